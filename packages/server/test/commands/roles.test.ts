// Web and worker apart: two processes that know each other by the database alone.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { importChecks } from '../../src/domain/checks/import.ts'
import { createHeartbeat } from '../../src/domain/heartbeats/edit.ts'
import { createChannel } from '../../src/domain/channels/edit.ts'
import { type Receiver, receiver } from '../support/receiver.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { eventually, result } from '../support/world.ts'
import { type Operator, operator } from './operator.ts'

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
  const entry = { name: 'shop', url: 'https://example.com/', interval_sec: 60, down_interval_sec: 1 }
  const [check_guid = ''] = (await importChecks(o.deps, org_id, [entry], 'all')).guids
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
