// What is over for good and belongs to no plan goes after its own time, and no agent misses that it lost a check.

import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { createEnrollmentToken, revokeEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { createPersonalToken, revokePersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { forgetLeftovers, pruneOrgs } from '@dogwatch/domain/retention/prune'
import { createLog } from '@dogwatch/runtime/log'
import { openDatabase } from '@dogwatch/store/database'
import { gatedTime } from '@dogwatch/store/gated-time'
import { LEFTOVERS } from '@dogwatch/store/results/leftovers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ages, DAY_SEC, daysAgo, liveOn } from '../../../api/test/retention/rows.ts'
import { runChores } from '../../src/chores.ts'
import { eventually, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** Duration of a run of a chore, in seconds, on a server that has run every day. */
async function live<Answer>(chore: (deps: World['deps']) => Promise<Answer>): Promise<Answer> {
  await liveOn(w)
  return chore(w.deps)
}

const count = async (table: string, where = 'true', ...values: unknown[]): Promise<number> => {
  const [row] = await w.rows(`select count(*)::integer as n from ${table} where ${where}`, ...values)
  return Number(row?.n)
}

test('a chore that is cut off by the end of the process is no failure in the log; one that fails before is', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const database = openDatabase({ url: w.databaseUrl })
  const ended = runChores({ ...w.deps, database, log })()
  // As after a second signal: nobody waits for the chores.
  await database.close()
  await ended
  expect(lines.filter((line) => line.includes('"level":50'))).toEqual([])
  expect(lines.join('')).toContain('a chore was interrupted by shutdown')
  const end = runChores({ ...w.deps, database, log })
  await eventually(() => lines.join('').includes('a chore failed; will retry'), 'one failed')
  await end()
})

test('outages of the service are known as long as a heartbeat may be silent', async () => {
  for (const age of [799, 801])
    await w.rows(
      `insert into service_outages (began_at, ended_at) values ($1::timestamptz - interval '1 minute', $1)`,
      daysAgo(w, age),
    )
  expect(await live(forgetLeftovers)).toMatchObject({ service_outages: 1 })
  expect(await count('service_outages')).toBe(1)
})

test('a refused ping is known until its heartbeat is heard again, or is gone', async () => {
  const { org_id } = await w.org()
  const job = { name: 'job', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  for (const name of ['silent', 'heard']) await createHeartbeat(w.deps, org_id, { ...job, name })
  const heard = { silent: daysAgo(w, 3), heard: daysAgo(w, 1) }
  for (const [name, at] of Object.entries(heard))
    await w.rows(
      "update heartbeats set state = 'up', last_heartbeat_at = $2, due_at = $2 where org_id = $3 and name = $1",
      name,
      at,
      org_id,
    )
  await w.rows(
    'insert into refused_pings select $1::bigint, unnest(array(select heartbeat_id from heartbeats) || -1), $2::timestamptz',
    org_id,
    daysAgo(w, 2),
  )
  expect(await live(forgetLeftovers)).toMatchObject({ refused_pings: 2 })
  expect(await w.rows('select name from refused_pings join heartbeats using (heartbeat_id)')).toEqual([
    { name: 'silent' },
  ])
})

test('tokens go some time after they were over: enrollment tokens in 30 days, access tokens in 90', async () => {
  const org = await w.org()
  const [, , ended] = [
    await createEnrollmentToken(w.deps, org.org_id),
    await createEnrollmentToken(w.deps, org.org_id, 40 * DAY_SEC),
    await createEnrollmentToken(w.deps, org.org_id, 40 * DAY_SEC),
  ]
  await revokeEnrollmentToken(w.deps, ended.token)
  const [kept, revoked] = [await createPersonalToken(w.deps, org.org_id), await createPersonalToken(w.deps, org.org_id)]
  await revokePersonalToken(w.deps, revoked.token)
  const left = async () => [
    await count('enrollment_tokens', 'org_id = $1', org.org_id),
    await count('personal_access_tokens', 'org_id = $1', org.org_id),
  ]
  await live(forgetLeftovers)
  expect(await left()).toEqual([3, 2])
  w.clock.forward(32 * DAY_SEC)
  await live(forgetLeftovers)
  expect(await left()).toEqual([1, 2])
  w.clock.forward(59 * DAY_SEC)
  await live(forgetLeftovers)
  expect(await left()).toEqual([0, 1])
  expect(await count('personal_access_tokens', 'revoked_at is null')).toBe(1)
  expect(kept.token).not.toBe(revoked.token)
})

test('a check that was taken from a monitor is told of until the monitor must know, however long it is away', async () => {
  const org = await w.org()
  const [here, away] = [await w.monitor(org, 'here'), await w.monitor(org, 'away')]
  const guids = await w.checks(org, [{}, {}], 'all')
  await w.rows('update assignments set active = false where guid = $1', guids[0])
  const seen = (id: string, days: number) =>
    w.rows(`update monitors set last_seen_at = now() + make_interval(days => $2) where id = $1`, id, days)
  const tombstones = () => count('assignments', 'not active and org_id = $1', org.org_id)
  // The database stamps assignments by its own clock: what follows is told from there.
  const forward = (days: number) => w.clock.forward((Date.now() - w.clock.now().getTime()) / 1000 + days * DAY_SEC)
  await seen(here.id, 80)
  await seen(away.id, 29)
  forward(89)
  await live(forgetLeftovers)
  expect(await tombstones()).toBe(2)
  forward(91)
  await live(forgetLeftovers)
  expect(await tombstones()).toBe(1)
  forward(4000)
  await live(forgetLeftovers)
  expect(await tombstones()).toBe(1)
  const answer = await away.client.sync()
  expect(answer.checks.map(({ guid, deleted }) => ({ guid, deleted: deleted ?? false }))).toEqual(
    expect.arrayContaining([
      { guid: guids[0], deleted: true },
      { guid: guids[1], deleted: false },
    ]),
  )
  await seen(away.id, 31)
  await live(forgetLeftovers)
  expect(await tombstones()).toBe(0)
  expect(await count('assignments', 'active and org_id = $1', org.org_id)).toBe(2)
})

test('a deleted check goes when nothing of it is left, and not before', async () => {
  const org = await w.org('free')
  const monitor = await w.monitor(org)
  const [guid = '', other = ''] = await w.checks(org, [{ interval_sec: 120 }, { interval_sec: 120 }], 'all')
  await monitor.client.upload([guid, other].map((one) => result(one, { ran_at: w.clock.now().toISOString() })))
  await w.rows('update checks set deleted = true where guid = $1', guid)
  await w.rows('update assignments set active = false where guid = $1', guid)
  const left = () => count('checks', 'org_id = $1', org.org_id)
  w.clock.forward(31 * DAY_SEC)
  await live(pruneOrgs)
  await live(forgetLeftovers)
  expect(await left()).toBe(2)
  w.clock.forward(90 * DAY_SEC)
  await w.rows('update monitors set last_seen_at = $1 where id = $2', w.clock.now().toISOString(), monitor.id)
  await live(pruneOrgs)
  await live(forgetLeftovers)
  expect(await ages(w, org)).toEqual([])
  expect(await left()).toBe(1)
  expect(await count('check_guids', 'guid = $1', guid)).toBe(0)
  expect(await count('check_guids', 'guid = $1', other)).toBe(1)
  // The other one has its results, and nobody who works with it waits meanwhile.
  await monitor.client.upload([result(other, { ran_at: w.clock.now().toISOString() })])
  await w.rows('update checks set deleted = true where guid = $1', other)
  await w.rows('delete from assignments where guid = $1', other)
  await w.deps.database.machines.transaction().execute(async (trx) => {
    await LEFTOVERS['checks']?.(trx, gatedTime(w.clock.now().toISOString()), 200)
    const free = await w.rows('select guid from checks where org_id = $1 for update skip locked', org.org_id)
    expect(free).toEqual([{ guid: other }])
  })
})
