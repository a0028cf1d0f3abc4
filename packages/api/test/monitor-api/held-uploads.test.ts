// A body that begins to arrive while its monitor may still send it, and ends when it may not any more.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { askToRun } from '@dogwatch/domain/checks/ask-run'
import { resetMonitor, retireMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const UNKNOWN = { status: 401, line: 'missing, malformed or unknown monitor api key' }
const DISABLED = { status: 403, line: 'this monitor is disabled' }
const ENDS = {
  'its key was reset': [({ id }: Monitor) => resetMonitor(w.deps, id), UNKNOWN],
  'it was retired': [({ id }: Monitor) => retireMonitor(w.deps, id), UNKNOWN],
  'it was disabled': [({ id }: Monitor) => switchMonitor(w.deps, id, 'enabled', false), DISABLED],
  'the operator disabled it': [({ id }: Monitor) => switchMonitor(w.deps, id, 'platform_enabled', false), DISABLED],
  'its organisation was suspended': [
    (_: Monitor, org: Org) => suspendOrganisation(w.deps, org.org_id),
    { status: 403, line: 'the organisation of this monitor is suspended' },
  ],
} as const

const STATUS = { version: '9.9.9', uptime_sec: 1, unsent_results: 0 }
const BODIES = {
  'results without a failure': ['/results', (guid: string) => ({ results: [result(guid)] })],
  'results with a failure': ['/results', (guid: string) => ({ results: [result(guid, { success: false })] })],
  'a report of a run': [
    '/results',
    (_: string, run_id: string) => ({ results: [], runs: [{ id: run_id, success: true }] }),
  ],
  'its status': ['/status', () => ({ ...STATUS })],
} as const

/** Sends all of a body but its end, waits until the sender was let in, and returns what sends the rest. */
async function hold({ id, key }: Monitor, path: string, body: string): Promise<() => Promise<object>> {
  await w.rows('update monitors set last_seen_at = null where id = $1', id)
  const headers = { authorization: `Bearer ${key}`, 'content-length': String(body.length) }
  const sent = request(`${w.direct}${PREFIX}${path}`, { method: 'POST', headers })
  sent.write(body.slice(0, 5))
  const seen = async () => (await w.rows('select from monitors where id = $1 and last_seen_at is not null', id)).length
  await eventually(async () => (await seen()) === 1, 'it was let in')
  return async () => {
    sent.end(body.slice(5))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: answer.statusCode, line: await text(answer) }
  }
}

/** What is stored of the monitor and its check. */
const stored = (monitor: Monitor, org: Org) =>
  w.rows(
    `select version, clock_offset_ms, catching_up, (select count(*)::integer from results where org_id = $2) as results,
       (select count(*)::integer from incidents where org_id = $2) as incidents,
       (select count(*)::integer from asked_runs where org_id = $2 and reported_at is not null) as reported
     from monitors where id = $1`,
    ...[monitor.id, org.org_id],
  )

async function story(): Promise<{ org: Org; monitor: Monitor; guid: string; run_id: string }> {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{}], 'all')
  await monitor.client.ping()
  const actor = { person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null }
  const { run_id } = await askToRun(w.deps, { org_id: org.org_id, actor }, guid)
  await monitor.client.sync()
  return { org, monitor, guid, run_id }
}

describe.each(Object.entries(BODIES))('%s', (_, [path, bodyOf]) => {
  test.each(Object.entries(ENDS))(
    'is refused when it is whole after %s, and nothing of it is stored',
    async (_end, [end, refusal]) => {
      const { org, monitor, guid, run_id } = await story()
      const finish = await hold(monitor, path, JSON.stringify(bodyOf(guid, run_id)))
      const before = await stored(monitor, org)
      await end(monitor, org)
      expect(await finish()).toEqual(refusal)
      expect((await stored(monitor, org))[0]).toMatchObject({ ...before[0] })
    },
  )

  test('is taken when it is slow and nothing has changed', async () => {
    const { org, monitor, guid, run_id } = await story()
    const finish = await hold(monitor, path, JSON.stringify(bodyOf(guid, run_id)))
    const before = await stored(monitor, org)
    expect(await finish()).toMatchObject({ status: 200 })
    expect(await stored(monitor, org)).not.toEqual(before)
  })
})
