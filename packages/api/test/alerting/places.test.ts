// Checks that several monitors must see failing, and checks that flap: timelines on a clock that stands still until it is told.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { unassignMonitors } from '@dogwatch/domain/checks/assign'
import { importChecks } from '@dogwatch/domain/checks/import'
import { switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { rejudgeChecks, untilNextRejudging } from '@dogwatch/domain/checks/update-health'
import { remind } from '@dogwatch/domain/events/remind'
import { sweepPresence } from '@dogwatch/domain/monitors/presence'
import { retireMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

interface Story {
  org: Org
  guid: string
  idOf(name: string): string
  /** `A+ B-`: a turn after the other, 30 s apart; `.` is a turn that nobody took. */
  run(turns: string): Promise<void>
  events(): Promise<{ type: string; data: Record<string, unknown>; deliveries: number }[]>
  told(): Promise<string[]>
}

async function story(entry: Record<string, unknown>, names = ['A', 'B', 'C']): Promise<Story> {
  const org = await w.org()
  await createChannel(w.deps, org.org_id, { kind: 'email', name: 'us', email: 'us@example.com' })
  const monitors = new Map<string, Monitor>()
  for (const name of names) monitors.set(name, await w.monitor(org, name))
  const [guid = ''] = await w.checks(org, [{ name: 'shop', ...entry }], 'all')
  const events: Story['events'] = async () =>
    (await w.rows(
      `select e.type, e.data, count(d.delivery_id)::integer as deliveries from events e
       left join deliveries d using (org_id, event_id)
       where e.org_id = $1 group by e.org_id, e.event_id order by e.created_at, e.type desc`,
      org.org_id,
    )) as Awaited<ReturnType<Story['events']>>
  return {
    org,
    guid,
    idOf: (name) => monitors.get(name)?.id ?? '',
    run: async (turns) => {
      for (const word of turns.split(' ')) {
        const monitor = monitors.get(word.slice(0, -1))
        const ran_at = w.clock.now().toISOString()
        const success = word.endsWith('+')
        if (monitor)
          await monitor.client.upload([result(guid, { ran_at, success, ...(!success && { error: 'refused: no' }) })])
        w.clock.forward(30)
      }
    },
    events,
    told: async () => (await events()).map(({ type }) => type),
  }
}

const incidentsOf = ({ org }: Story) =>
  w.rows('select verdict, ended_at is null as is_open from incidents where org_id = $1 order by began_at', org.org_id)

test('one bad region of three is told to nobody; a majority is, with what it was judged by', async () => {
  const shop = await story({ down_majority: true, interval_sec: 30 })
  await shop.run('A+ B+ C+ A- B+ C+ A- B+ C+')
  expect(await shop.told()).toEqual([])
  await shop.run('A- B- C+')
  const [down] = await shop.events()
  expect(down).toMatchObject({ type: 'check.down', data: { places: { failing: 2, of: 3 }, failures: 4 } })
  expect(await incidentsOf(shop)).toMatchObject([{ verdict: { places: { failing: 2, of: 3 }, rules: '1/majority/1' } }])
  await shop.run('A- B+')
  expect(await shop.told()).toEqual(['check.down', 'check.up'])
})

test('a majority with a monitor away: silence neither ends the incident nor hides that the others fail', async () => {
  const shop = await story({ down_majority: true, interval_sec: 30 })
  await shop.run(`A+ B+ C+ A- B- C+ ${'A- . C+ '.repeat(8).trim()}`)
  expect(await shop.told()).toEqual(['check.down'])
  await shop.run('A+')
  expect(await shop.told()).toEqual(['check.down', 'check.up'])
})

test('with one failing place for long, few results are read, and a second place is still noticed', async () => {
  const shop = await story({ down_majority: true, interval_sec: 30 })
  await shop.run(`A+ B+ C+ ${'A- B+ C+ '.repeat(30).trim()}`)
  expect(await shop.told()).toEqual([])
  await shop.run('A- B+ C- A- B+ C-')
  expect(await shop.told()).toEqual(['check.down'])
})

test('a check is up after as many successes in a row as it wants', async () => {
  const shop = await story({ up_successes: 2 })
  await shop.run('A- B+ C- A+')
  expect(await shop.told()).toEqual(['check.down'])
  await shop.run('B+')
  const [, up] = await shop.events()
  expect(up).toMatchObject({ type: 'check.up', data: { duration_sec: 90 } })
})

test('a majority asked for while one place keeps the check down ends its incident at the next result', async () => {
  const shop = await story({ interval_sec: 30, down_places: 1 })
  await shop.run('A+ B+ C+ A- B+ C+ A- B+ C+')
  expect(await shop.told()).toEqual(['check.down'])
  const entry = { guid: shop.guid, name: 'shop', url: 'https://example.com/', interval_sec: 30, down_majority: true }
  await importChecks(w.deps, shop.org.org_id, [entry])
  await shop.run('A-')
  expect((await shop.events())[1]).toMatchObject({ type: 'check.up', data: { reason: 'threshold' } })
})

test('a check that changes too often is told as flapping, and once it has settled', async () => {
  const shop = await story({ interval_sec: 30, resend_interval_sec: 60 }, ['A'])
  await shop.run('A+ A- A+ A- A+ A- A+ A- A+ A-')
  const told = ['check.down', 'check.up', 'check.down', 'check.up', 'check.flapping']
  expect(await shop.told()).toEqual(told)
  expect(await incidentsOf(shop)).toHaveLength(5)
  expect((await shop.events()).at(-1)).toMatchObject({ data: { check_state: 'down', changes: 5 }, deliveries: 1 })
  await remind(w.deps)
  expect(await shop.told()).toEqual(told)
  // It stays down from now on.
  for (let turns = 0; turns < 12; turns += 3) await shop.run('A- . .')
  await rejudgeChecks(w.deps)
  expect(await shop.told()).toEqual(told)
  expect(await untilNextRejudging(w.deps)).toBeLessThanOrEqual(120_000)
  await shop.run('A- . . A- . .')
  await rejudgeChecks(w.deps)
  const [settled, down] = (await shop.events()).slice(-2)
  expect(settled).toMatchObject({ type: 'check.settled', data: { check_state: 'down', changes: 9 }, deliveries: 1 })
  expect(down).toMatchObject({ type: 'check.down', data: { incident_id: settled?.data.incident_id }, deliveries: 1 })
  await shop.run('A+')
  expect((await shop.events()).at(-1)).toMatchObject({ type: 'check.up', deliveries: 1 })
})

test('a pause ends flapping without a word', async () => {
  const shop = await story({ interval_sec: 30 }, ['A'])
  await shop.run('A- A+ A- A+ A-')
  await switchCheck(w.deps, shop.guid, false)
  await switchCheck(w.deps, shop.guid, true)
  w.clock.forward(30)
  await shop.run('A-')
  expect((await shop.told()).slice(4)).toEqual(['check.flapping', 'check.down'])
})

describe.each<[string, (shop: Story, name: string) => Promise<unknown>]>([
  ['unassigned', (shop, name) => unassignMonitors(w.deps, shop.guid, [shop.idOf(name)])],
  ['disabled', (shop, name) => switchMonitor(w.deps, shop.idOf(name), 'enabled', false)],
  ['switched off by the platform', (shop, name) => switchMonitor(w.deps, shop.idOf(name), 'platform_enabled', false)],
  ['retired', (shop, name) => retireMonitor(w.deps, shop.idOf(name))],
  ['offline', async () => {}],
])('when two of three monitors are %s', (kind, leave) => {
  const after = async (before: string, turn: string) => {
    const shop = await story({ down_majority: true, interval_sec: 30 })
    await shop.run(before)
    await leave(shop, 'A')
    await leave(shop, 'B')
    // Somebody who is silent is offline after three minutes.
    if (kind === 'offline') await shop.run(`. . ${turn} . . ${turn} . ${turn}`)
    await sweepPresence(w.deps)
    await rejudgeChecks(w.deps)
    return (await shop.told()).filter((type) => type.startsWith('check.'))
  }

  test('and were failing, a check that the third sees well is up', async () => {
    expect(await after('A+ B+ C+ A- B- C+', 'C+')).toEqual(['check.down', 'check.up'])
  })

  test('and were well, a check that the third sees failing is down', async () => {
    expect(await after('A+ B+ C- A+ B+ C-', 'C-')).toEqual(['check.down'])
  })
})
