// Web and worker apart, and two web processes: they know each other by the database alone.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { importChecks } from '@dogwatch/domain/checks/import'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { openSession } from '@dogwatch/domain/people/sessions'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { Browser } from '../support/browser.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { eventually, result } from '../support/world.ts'
import { type Operator, operator } from './operator.ts'

const SHOP = { name: 'shop', url: 'https://example.com/', interval_sec: 60, down_interval_sec: 1 }

let o: Operator
let inbox: Receiver
const running: ServerProcess[] = []
beforeAll(async () => {
  o = await operator()
  inbox = await receiver()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})
afterAll(async () => {
  await inbox.close()
  await o.close()
})

async function start(role: 'web' | 'worker'): Promise<ServerProcess> {
  const settings = { DATABASE_URL: o.databaseUrl, METRICS_PORT: '0', EGRESS_ALLOW: '127.0.0.0/8' }
  const server = await startServer(settings, role)
  running.push(server)
  return server
}

async function metric(server: ServerProcess, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${server.metrics_url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length))
}

test('what the web process takes in, the worker tells; what nobody called, the worker notices; each is seen at its own metrics', async () => {
  const org_id = await o.org()
  const monitor = await o.monitor(org_id)
  await createChannel(o.deps, org_id, { kind: 'webhook', name: 'hook', webhook_url: inbox.url })
  const [check_guid = ''] = (await importChecks(o.deps, org_id, [SHOP], 'all')).guids
  const wanted = { name: 'nightly', interval_sec: 1, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  const web = await start('web')
  const client = new MonitorClient({ baseUrl: web.url, token: monitor.api_key })
  const failed = { success: false, ran_at: new Date().toISOString(), error: 'refused' }
  await client.upload([result(check_guid, failed)])
  const { token } = await createHeartbeat(o.deps, org_id, wanted)
  expect((await fetch(`${web.url}/ping/${token}`)).status).toBe(200)
  // Nobody sends it yet, and it shows.
  await eventually(async () => (await metric(web, 'dogwatch_deliveries_pending')) === 1, 'it waits')
  expect(inbox.got).toEqual([])
  const worker = await start('worker')
  await eventually(() => inbox.got.some(({ json }) => json.type === 'check.down'), 'the check is told')
  await eventually(() => inbox.got.some(({ json }) => json.type === 'heartbeat.down'), 'the silence is told')
  const delivered = 'dogwatch_deliveries_total{kind="webhook",outcome="delivered"}'
  await eventually(async () => (await metric(worker, delivered)) === 2, 'the worker counts them')
  expect(await metric(web, delivered)).toBeUndefined()
  expect(await metric(web, 'dogwatch_ingest_results_total{outcome="fresh"}')).toBe(1)
  expect(await metric(worker, 'dogwatch_ingest_results_total{outcome="fresh"}')).toBeUndefined()
})

test('a run that is asked for at one web process wakes the monitor whose ping waits at another', async () => {
  const org_id = await o.org()
  const { api_key: token } = await o.monitor(org_id)
  const [guid = ''] = (await importChecks(o.deps, org_id, [{ ...SHOP, name: 'asked' }], 'all')).guids
  const [near, far] = await Promise.all([start('web'), start('web')])
  const listening =
    "select from pg_stat_activity where datname = current_database() and query like 'select current_setting%'"
  await eventually(async () => (await o.rows(listening)).length === 2, 'both hear of runs')
  const client = new MonitorClient({ baseUrl: far.url, token })
  const held = client.ping({ wait_sec: 25, timeout: 60_000 })
  const waiting = 'dogwatch_http_requests_under_way{part="held"}'
  await eventually(async () => (await metric(far, waiting)) === 1, 'the ping waits')
  const [owner] = await o.rows('select person_id from memberships where org_id = $1', org_id)
  const alice = new Browser(near.url, await openSession(o.deps, Number(owner?.person_id), org_id))
  await alice.open(`/checks/${guid}`)
  // The page waits for what the run comes to.
  const shown = alice.submit(`/checks/${guid}/run`)
  expect(await held).toEqual({ status: 'ok', sync: true })
  const { runs = [] } = await client.sync()
  await client.reportRuns(runs.map(({ id }) => ({ id, success: true, http_status: 200, latency_ms: 12 })))
  expect((await shown).status).toBe(200)
  // On a busy machine, the page ends its wait before that, and shows it when it is opened again.
  const isShown = async () => {
    await alice.open(alice.page.path)
    return /Passed\s+from/.test(alice.text())
  }
  await eventually(isShown, 'what the run came to is shown')
})
