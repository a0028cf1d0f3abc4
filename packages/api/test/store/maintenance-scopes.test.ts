// What maintenance windows cost on disk: in proportion to what was sent.

import { createWindow, editWindow, endWindow, readWindows, removeWindow } from '@dogwatch/domain/maintenance/edit'
import { spreadWindows } from '@dogwatch/domain/maintenance/spread'
import { forgetLeftovers } from '@dogwatch/domain/retention/prune'
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listPastTimes } from '@dogwatch/store/maintenance/times'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { liveOn } from '../retention/rows.ts'
import { type Org, type World, world } from '../support/world.ts'

const NAMES = 2000

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())
// Windows begin at full hours.
beforeEach(() => w.clock.forward(3600 - (w.clock.now().getTime() % 3_600_000) / 1000))

const guids = (count: number) => Array.from({ length: count }, () => newGuid(w.deps.random))
const hourly = (checks: readonly string[], name = 'hourly') => ({
  name,
  scope: { checks, heartbeats: [] },
  is_public: false,
  starts_at: `${w.clock.now().toISOString().slice(0, 14)}00`,
  duration_sec: 1800,
  zone: 'UTC',
  rule: 'FREQ=HOURLY',
})

/** Bytes of everything that is stored of maintenance. */
async function bytes(): Promise<number> {
  const [row] = await w.rows(
    `select sum(pg_total_relation_size(oid))::integer as bytes from pg_class
     where relname in ('maintenance_windows', 'maintenance_spans', 'maintenance_scopes')`,
  )
  return Number(row?.bytes)
}

const spansOf = ({ org_id }: Org) =>
  w.rows(`select begins_at, ends_at from maintenance_spans where org_id = $1 order by begins_at, window_id`, org_id)

describe('a window that names 2,000 checks and is on every hour', () => {
  test('takes less than a megabyte, and six edits of it less than half of one each', async () => {
    const org = await w.org()
    const checks = guids(NAMES)
    const wanted = hourly(checks)
    const before = await bytes()
    const { guid } = await createWindow(w.deps, org.org_id, wanted)
    expect(await spansOf(org)).toHaveLength(1440)
    const created = (await bytes()) - before
    expect(created).toBeLessThan(1_000_000)
    for (let n = 1; n <= 6; n++) {
      w.clock.forward(3600)
      await editWindow(
        w.deps,
        { org_id: org.org_id, guid },
        { ...wanted, scope: { checks: checks.slice(n), heartbeats: [] } },
      )
    }
    expect((await bytes()) - before - created).toBeLessThan(6 * 500_000)
  })

  test('keeps each name once, however often it was sent', async () => {
    const org = await w.org()
    const [one = ''] = guids(1)
    await createWindow(w.deps, org.org_id, hourly(Array.from({ length: NAMES }, () => one)))
    expect((await readWindows(w.deps, org.org_id)).map(({ scope }) => scope)).toEqual([
      { checks: [one], heartbeats: [] },
    ])
  })
})

describe('the scope of a span', () => {
  const between = async ({ org_id }: Org, from: Date) =>
    (
      await listPastTimes(w.deps.database.people, org_id, { from: fromDate(from), until: fromDate(w.clock.now()) })
    ).flatMap(({ name, scope, scope_id, begins }) => begins.map(() => ({ name, scope, scope_id })))

  test.each([1, 20])('of %i names stays as it was when its window is edited or deleted after it', async (count) => {
    const org = await w.org()
    const from = w.clock.now()
    const [before, after] = [guids(count), guids(count)]
    const { guid } = await createWindow(w.deps, org.org_id, hourly(before, 'before'))
    const at = { org_id: org.org_id, guid }
    w.clock.forward(3600)
    await editWindow(w.deps, at, hourly(after, 'after'))
    w.clock.forward(5400)
    await removeWindow(w.deps, at)
    w.clock.forward(7200)
    const found = await between(org, from)
    expect(found.map(({ name, scope }) => ({ name, scope }))).toEqual([
      { name: 'before', scope: { checks: before, heartbeats: [] } },
      { name: 'after', scope: { checks: after, heartbeats: [] } },
      { name: 'after', scope: { checks: after, heartbeats: [] } },
    ])
    expect(found[1]?.scope).toBe(found[2]?.scope)
    expect(new Set(found.map(({ scope_id }) => scope_id)).size).toBe(2)
  })

  test('is the one that a server of an earlier build has written', async () => {
    const org = await w.org()
    const from = w.clock.now()
    await createWindow(w.deps, org.org_id, hourly(guids(20)))
    const [one = ''] = guids(1)
    const scope = { checks: [one], heartbeats: [] }
    await w.rows('update maintenance_spans set scope = $2 where org_id = $1', org.org_id, JSON.stringify(scope))
    w.clock.forward(1800)
    expect(await between(org, from)).toMatchObject([{ scope }])
  })

  test('is stored for as long as a span has it', async () => {
    const org = await w.org()
    await createWindow(w.deps, org.org_id, { ...hourly(guids(20)), rule: null })
    const kept = () => w.rows('select bytes from maintenance_scopes where org_id = $1', org.org_id)
    w.clock.forward(399 * 86_400)
    await liveOn(w)
    await forgetLeftovers(w.deps)
    expect([await spansOf(org), await kept()]).toMatchObject([[{}], [{}]])
    w.clock.forward(100 * 86_400)
    await liveOn(w)
    await forgetLeftovers(w.deps)
    expect([await spansOf(org), await kept()]).toEqual([[], []])
  })
})

describe('the budget of an organisation', () => {
  test('is 20,000 spans to come; a window that is edited gives its own back', async () => {
    const org = await w.org()
    const twice = { ...hourly([], 'w'), scope: { all: true } as const, duration_sec: 600 }
    for (let n = 0; n < 13; n++) await createWindow(w.deps, org.org_id, twice)
    const { guid } = await createWindow(w.deps, org.org_id, { ...twice, rule: 'FREQ=DAILY' })
    const one = createWindow(w.deps, org.org_id, twice)
    await expect(one).rejects.toThrow(
      'rule must repeat less often, because all maintenance windows together can occur at most 20000 times within 60 days, and this change would make 20220',
    )
    await editWindow(w.deps, { org_id: org.org_id, guid }, { ...twice, rule: 'FREQ=HOURLY;INTERVAL=2' })
    const [{ spans } = {}] = await w.rows(
      'select count(*)::integer as spans from maintenance_spans where org_id = $1',
      org.org_id,
    )
    expect(spans).toBe(13 * 1440 + 720)
  })

  test('is 200,000 spans in 400 days', async () => {
    const org = await w.org()
    await createWindow(w.deps, org.org_id, { ...hourly(guids(1)), rule: null })
    await w.rows(
      `insert into maintenance_spans (org_id, window_id, begins_at, ends_at, name, scope, is_public)
       select org_id, window_id, at, at + interval '1 minute', name, scope, is_public
       from maintenance_windows, generate_series(created_at - interval '199999 minutes', created_at - interval '2 minutes', interval '1 minute') at
       where org_id = $1`,
      org.org_id,
    )
    await expect(createWindow(w.deps, org.org_id, { ...hourly(guids(1)), rule: null })).resolves.toBeDefined()
    await expect(createWindow(w.deps, org.org_id, hourly(guids(1)))).rejects.toThrow(
      'all maintenance windows together can occur at most 200000 times within 400 days; make windows repeat less often',
    )
  })

  test('is 32 MiB of scopes; what nothing has any longer does not count', async () => {
    const org = await w.org()
    const { guid } = await createWindow(w.deps, org.org_id, hourly(guids(20)))
    await w.rows('update maintenance_scopes set bytes = 33554432 where org_id = $1', org.org_id)
    const at = { org_id: org.org_id, guid }
    await editWindow(w.deps, at, {
      ...hourly(guids(20)),
      name: 'no other scope',
      scope: (await readWindows(w.deps, org.org_id))[0]?.scope ?? { all: true },
    })
    await expect(editWindow(w.deps, at, hourly(guids(20)))).rejects.toThrow(
      'the scopes of all maintenance windows within 400 days can have at most 32 MiB together',
    )
    await removeWindow(w.deps, at)
    await w.rows('delete from maintenance_spans where org_id = $1', org.org_id)
    await expect(createWindow(w.deps, org.org_id, hourly(guids(20)))).resolves.toBeDefined()
    expect(await w.rows('select bytes from maintenance_scopes where org_id = $1', org.org_id)).toHaveLength(1)
  })

  test('ends with what an edit does: an end stores nothing', async () => {
    const org = await w.org()
    const { guid } = await createWindow(w.deps, org.org_id, hourly(guids(20)))
    w.clock.forward(60)
    const before = (await spansOf(org)).length
    await endWindow(w.deps, { org_id: org.org_id, guid })
    expect((await spansOf(org)).length).toBe(before)
  })
})

describe('when a window is on next', () => {
  const shown = async ({ org_id }: Org) =>
    (await readWindows(w.deps, org_id)).map(({ name, state, span }) => [name, state, span?.begins_at])
  const at = (days: number) => `${new Date(w.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 13)}:00`

  test('is stored, however far ahead that is; a rule that is over is not expanded again', async () => {
    const org = await w.org()
    const base = { ...hourly(guids(1)), scope: { all: true } as const }
    await createWindow(w.deps, org.org_id, { ...base, name: 'yearly', starts_at: at(300), rule: 'FREQ=YEARLY' })
    await createWindow(w.deps, org.org_id, { ...base, name: 'twice', starts_at: at(1), rule: 'FREQ=DAILY;COUNT=2' })
    await createWindow(w.deps, org.org_id, { ...base, name: 'once', starts_at: at(1000), rule: null })
    const far = [
      ['yearly', 'announced', `${at(300)}:00.000000Z`],
      ['once', 'announced', `${at(1000)}:00.000000Z`],
    ]
    expect(await shown(org)).toEqual([['twice', 'announced', `${at(1)}:00.000000Z`], ...far])
    w.clock.forward(3 * 86_400)
    await spreadWindows(w.deps)
    expect((await shown(org)).map(([name, state]) => [name, state])).toEqual([
      ['yearly', 'announced'],
      ['once', 'announced'],
      ['twice', 'over'],
    ])
    // The rule as it is stored no longer matters.
    await w.rows(`update maintenance_windows set rule = 'FREQ=HOURLY' where org_id = $1 and name = 'twice'`, org.org_id)
    expect((await shown(org)).at(-1)?.slice(0, 2)).toEqual(['twice', 'over'])
  })
})
