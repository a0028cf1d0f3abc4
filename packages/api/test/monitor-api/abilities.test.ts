// Abilities: a check is handed out to monitors that can run it, and to the others it looks unassigned.

import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { restoreChecks } from '@dogwatch/domain/checks/deletions'
import { wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { resetMonitor } from '@dogwatch/domain/monitors/switches'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Monitor, type Org, PLACE, PREFIX, result, type World, world } from '../support/world.ts'

const TCP = { url: 'tcp://db.example.com:5432' }
const STATUS = { version: '1.2.3', uptime_sec: 60, unsent_results: 0 }

let w: World
let org: Org
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
})
afterAll(() => w.close())

const abilitiesOf = async ({ id }: Pick<Monitor, 'id'>) =>
  (await w.rows('select abilities from monitors where id = $1', id))[0]?.abilities
/** An agent says what it can do, after the minute in which a list can change only once. */
const say = async (monitor: Monitor, ...abilities: string[]) => {
  w.clock.forward(61)
  await monitor.client.reportStatus({ ...STATUS, abilities })
}
const silent = async (monitor: Monitor) => {
  w.clock.forward(61)
  await monitor.client.reportStatus(STATUS)
}
/** Returns the rank and the number of monitors that a monitor gets for a check, or `deleted`, or undefined. */
const seen = async ({ client }: Monitor, guid: string, since?: Parameters<MonitorClient['sync']>[0]) => {
  const check = (await client.sync(since)).checks.find((one) => one.guid === guid)
  if (!check) return undefined
  return check.deleted ? 'deleted' : [check.monitor_rank ?? 0, check.monitor_count ?? 1]
}
const movedAt = async (guid: string) =>
  (await w.rows('select wire_time(updated_at) as at from checks where guid = $1', guid))[0]?.at
const inOrder = (...monitors: Monitor[]) => monitors.toSorted((a, b) => (a.id < b.id ? -1 : 1))

describe('an agent says what it can do', () => {
  test('when it enrolls, and with each status, in place of the list before', async () => {
    const token = await w.token(org)
    const request = { ...PLACE, abilities: ['tcp', 'http', 'http'] }
    const { monitor_id: id, api_key } = await new MonitorClient({ baseUrl: w.url, token }).enroll(request)
    expect(await abilitiesOf({ id })).toEqual(['http', 'tcp'])
    const monitor = { id, key: api_key, client: new MonitorClient({ baseUrl: w.url, token: api_key }) }
    await say(monitor, 'http', 'telepathy.2')
    expect(await abilitiesOf(monitor)).toEqual(['http', 'telepathy.2'])
    await silent(monitor)
    expect(await abilitiesOf(monitor)).toEqual(['http', 'tcp', 'tls'])
  })

  test('and one that reclaims its monitor as well', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [TCP], 'all')
    await resetMonitor(w.deps, monitor.id)
    const client = new MonitorClient({ baseUrl: w.url, token: await w.token(org) })
    const { api_key } = await client.enroll({ ...PLACE, id: monitor.id, abilities: ['http'] })
    const again = { ...monitor, client: new MonitorClient({ baseUrl: w.url, token: api_key }) }
    expect(await seen(again, guid)).toBe('deleted')
  })

  test('one that says nothing can do what the first release could', async () => {
    const monitor = await w.monitor(org)
    const guids = await w.checks(org, [{}, TCP, { url: 'tls://example.com:443' }], 'all')
    for (const guid of guids) expect(await seen(monitor, guid)).toEqual([0, 1])
  })

  test.each([
    ['no list', 'http', 'abilities must be an array'],
    ['capitals', ['HTTP'], 'abilities[0] must match pattern "^[a-z0-9_.]+$"'],
    ['a long name', ['x'.repeat(33)], 'abilities[0] must not have more than 32 characters'],
    ['too many', Array.from({ length: 65 }, (_, i) => `a${i}`), 'abilities must not have more than 64 items'],
  ])('400: %s', async (_, abilities, message) => {
    const monitor = await w.monitor(org)
    const answer = await w.http
      .post(`${PREFIX}/status`)
      .set('Authorization', `Bearer ${monitor.key}`)
      .send({ ...STATUS, abilities })
    expect([answer.status, answer.text.trim()]).toEqual([400, message])
  })

  test('and is heard once a minute', async () => {
    const monitor = await w.monitor(org)
    await say(monitor, 'http')
    w.clock.forward(59)
    await monitor.client.reportStatus({ ...STATUS, abilities: ['tcp'] })
    expect(await abilitiesOf(monitor)).toEqual(['http'])
    w.clock.forward(1)
    await monitor.client.reportStatus({ ...STATUS, abilities: ['tcp'] })
    expect(await abilitiesOf(monitor)).toEqual(['tcp'])
  })
})

describe('turns', () => {
  test('a check is counted and ranked among the monitors that can run it, and the others see a tombstone', async () => {
    const [first, second, third] = inOrder(await w.monitor(org), await w.monitor(org), await w.monitor(org)) as [
      Monitor,
      Monitor,
      Monitor,
    ]
    const [web = '', tcp = ''] = await w.checks(org, [{}, TCP], 'all')
    const { server_time } = await third.client.sync()
    const moved = await movedAt(web)
    await say(first, 'http')
    expect(await seen(first, tcp)).toBe('deleted')
    expect(await seen(second, tcp, server_time)).toEqual([0, 2])
    expect(await seen(third, tcp, server_time)).toEqual([1, 2])
    // What the ability does not concern stays as it is.
    expect(await seen(third, web, server_time)).toBeUndefined()
    expect(await movedAt(web)).toBe(moved)
    expect(await seen(third, web)).toEqual([2, 3])
    const { server_time: later } = await first.client.sync()
    await say(first, 'http', 'tcp')
    expect(await seen(first, tcp, later)).toEqual([0, 3])
    expect(await seen(third, tcp, later)).toEqual([2, 3])
  })

  test('an ability that no check needs moves nothing', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [TCP], 'all')
    const moved = await movedAt(guid)
    await say(monitor, 'http', 'tcp', 'tls', 'telepathy')
    expect(await movedAt(guid)).toBe(moved)
  })

  test('an edit of the target hands the check to those who can run the new one', async () => {
    const monitor = await w.monitor(org)
    await say(monitor, 'http')
    const [guid = ''] = await w.checks(org, [TCP], 'all')
    expect(await seen(monitor, guid)).toBe('deleted')
    await w.checks(org, [{ guid, url: 'https://example.com/' }])
    expect(await seen(monitor, guid)).toEqual([0, 1])
    await w.checks(org, [{ guid, ...TCP }])
    expect(await seen(monitor, guid)).toBe('deleted')
    await wipeDefinition(w.deps, guid)
    expect(await seen(monitor, guid)).toEqual([0, 1])
  })

  test('a monitor that cannot run a check is assigned to it all the same, until that is taken back', async () => {
    const monitor = await w.monitor(org)
    await say(monitor, 'http')
    const [given = '', taken = ''] = await w.checks(org, [TCP, TCP], [monitor.id])
    await unassignMonitors(w.deps, taken, [monitor.id])
    await say(monitor, 'tcp')
    expect(await seen(monitor, given)).toEqual([0, 1])
    expect(await seen(monitor, taken)).toBe('deleted')
    await say(monitor, 'http')
    await assignMonitors(w.deps, taken, [monitor.id])
    expect(await seen(monitor, taken)).toBe('deleted')
    await silent(monitor)
    expect(await seen(monitor, taken)).toEqual([0, 1])
  })

  test('a deleted check stays deleted, and comes back to the monitors that it had', async () => {
    const monitor = await w.monitor(org)
    await say(monitor, 'http')
    const [guid = ''] = await w.checks(org, [TCP], [monitor.id])
    const actor = { person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null }
    const editor = { org_id: org.org_id, actor }
    await changeChecks(w.deps, editor, [guid], { kind: 'delete' })
    await say(monitor, 'tcp')
    expect(await seen(monitor, guid)).toBe('deleted')
    const [row] = await w.rows('select batch_id from deleted_checks where org_id = $1', org.org_id)
    await restoreChecks(w.deps, editor, String(row?.batch_id))
    expect(await seen(monitor, guid)).toEqual([0, 1])
  })

  test('results that it still sends are stored', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [TCP], 'all')
    await say(monitor, 'http')
    const upload = () =>
      monitor.client.http.POST('/results', {
        body: { results: [result(guid, { ran_at: w.clock.now().toISOString() })] },
      })
    expect((await upload()).data).toEqual({ accepted: 1 })
    await unassignMonitors(w.deps, guid, 'all')
    w.clock.forward(1)
    expect((await upload()).data).toEqual({ accepted: 0 })
  })
})

describe('servers of the build before', () => {
  test('write checks whose needs follow from the target', async () => {
    const monitor = await w.monitor(org)
    await say(monitor, 'http')
    const [guid = ''] = await w.checks(org, [TCP], 'all')
    await w.rows('update checks set needs = null where guid = $1', guid)
    expect(await seen(monitor, guid)).toBe('deleted')
    await w.rows("update checks set needs = '{tcp,telepathy}' where guid = $1", guid)
    await w.rows("update checks set url = 'https://example.com/' where guid = $1", guid)
    expect(await w.rows('select needs from checks where guid = $1', guid)).toEqual([{ needs: ['http', 'telepathy'] }])
    await w.rows('update checks set needs = null where guid = $1', guid)
    expect(await seen(monitor, guid)).toEqual([0, 1])
  })

  test('take a check from the shared fleet without knowing who cannot run it, and it does not come back', async () => {
    const shared = await w.monitor(null)
    await say(shared, 'http')
    const [guid = ''] = await w.checks(org, [TCP], [shared.id])
    await w.rows('update checks set restricted = true where guid = $1', guid)
    await w.rows('update assignments set active = false where guid = $1 and active', guid)
    await silent(shared)
    expect(await seen(shared, guid)).toBe('deleted')
  })

  test('assign by active alone', async () => {
    const monitor = await w.monitor(org)
    await say(monitor, 'http')
    const [guid = ''] = await w.checks(org, [TCP], 'none')
    await w.rows(
      `insert into assignments (monitor_id, guid, org_id, check_id, active, result_detail_max_chars)
        select $1, guid, org_id, check_id, true, 0 from checks where guid = $2`,
      monitor.id,
      guid,
    )
    expect(await seen(monitor, guid)).toBe('deleted')
    await w.rows('update assignments set active = true where guid = $1 and not active', guid)
    expect(await seen(monitor, guid)).toBe('deleted')
    await silent(monitor)
    expect(await seen(monitor, guid)).toEqual([0, 1])
  })
})
