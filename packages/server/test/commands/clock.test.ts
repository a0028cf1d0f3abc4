// A server and operators' commands tell the database's time; where the machine's clock disagrees, a server says so and holds still.

import { importChecks } from '@dogwatch/domain/checks/import'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { withoutLayout } from '../../../store/test/support/cluster.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { eventually, result } from '../support/world.ts'
import { type Operator, operator, usageFault } from './operator.ts'

let o: Operator
let server: ServerProcess | undefined
beforeAll(async () => {
  o = await operator()
})
afterEach(() => server?.stop())
afterAll(() => o.close())

/** The database's clock from now on: that much ahead of the machine's. */
const setDatabase = (seconds: number) =>
  o.rows(
    `create or replace function database_time() returns timestamptz language sql volatile parallel safe
     as $$ select clock_timestamp() + interval '${seconds} seconds' $$`,
  )

test('a server in doubt is not ready and says why, takes results and no pings, and judges when the clocks agree', async () => {
  const org_id = await o.org()
  const monitor = await o.monitor(org_id)
  const entry = { name: 'shop', url: 'https://example.com/', interval_sec: 60, down_interval_sec: 1 }
  const [guid = ''] = (await importChecks(o.deps, org_id, [entry], 'all')).guids
  const job = { name: 'job', interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
  const { token } = await createHeartbeat(o.deps, org_id, job)
  await setDatabase(12)
  const running = await startServer({ DATABASE_URL: o.databaseUrl, METRICS_PORT: '0', LOG_LEVEL: 'info' }, 'all')
  server = running
  const readiness = async () => {
    const answer = await fetch(`${running.url}/readyz`)
    return `${answer.status} ${withoutLayout(await answer.text())}`
  }
  const ping = async () => (await fetch(`${running.url}/ping/${token}`)).status
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (.*)$`, 'm').exec(await (await fetch(`${running.metrics_url}/metrics`)).text())?.[1])
  expect(await readiness()).toMatch(/^503 this machine's clock is 1[12](\.\d)? s behind the database clock$/)
  expect([Math.round(await metric('dogwatch_clock_skew_seconds')), await metric('dogwatch_clock_in_doubt')]).toEqual([
    -12, 1,
  ])
  const [told] = await o.rows('select role, skew_ms::float8 as skew_ms, is_in_doubt from processes')
  expect(told).toMatchObject({ role: 'all', is_in_doubt: true })
  expect(Math.round(Number(told?.skew_ms) / 1000)).toBe(-12)
  expect(await ping()).toBe(503)
  const client = new MonitorClient({ baseUrl: running.url, token: monitor.api_key })
  const sync = () =>
    fetch(`${running.url}/monitor-api/v1/checks`, { headers: { Authorization: `Bearer ${monitor.api_key}` } })
  const failed = result(guid, { ran_at: new Date().toISOString(), success: false })
  expect(await client.upload([failed])).toMatchObject({ accepted: 1 })
  expect(await (await sync()).json()).not.toHaveProperty('now')
  const events = () => o.rows('select type from events where org_id = $1', org_id)
  expect(await events()).toEqual([])
  // The machine's clock was right: the database's is set.
  await setDatabase(2)
  await eventually(async () => (await readiness()).startsWith("200 ready, but this machine's clock is"), 'it is ready')
  await eventually(async () => (await events()).length === 1, 'the check is judged')
  expect(await ping()).toBe(200)
  expect(await (await sync()).json()).toHaveProperty('now')
  // Another process that says otherwise is told of, and counted.
  await o.rows(`insert into processes (process_id, role, host, pid, started_at, seen_at, skew_ms)
    values ('other', 'worker', 'elsewhere', 1, now(), now(), 4000)`)
  await setDatabase(0)
  await eventually(async () => {
    await o.rows("update processes set seen_at = clock_timestamp() where process_id = 'other'")
    const counts = [await metric('dogwatch_clock_processes'), await metric('dogwatch_clock_processes_disagreeing')]
    const line = '200 ready, but 1 of 1 other processes disagree with the database clock'
    return counts.join() === '1,1' && (await readiness()) === line
  }, 'the other is told of')
  await o.rows("delete from processes where process_id = 'other'")
  await eventually(async () => (await readiness()) === '200 ready', 'nothing is left to say')
  expect(await metric('dogwatch_clock_in_doubt')).toBe(0)
  const lines = ['the time is in doubt', 'the time is trusted again', 'agree again']
  for (const line of lines) expect(running.log().split(line)).toHaveLength(2)
})

test('operators` commands stamp by the database`s time, and let deletions go on', async () => {
  const org_id = await o.org()
  await setDatabase(86_400)
  const made = (await o.answer(['enrollment-token', 'create', '--org', String(org_id), '--ttl-sec', '60'])) as {
    expires_at: string
  }
  const ahead_sec = (Date.parse(made.expires_at) - Date.now()) / 1000 - 60
  expect(Math.abs(ahead_sec - 86_400)).toBeLessThan(30)
  expect(await o.refusal(['retention', 'confirm', '--all'])).toMatch(/^nothing is deleted while the time is in doubt/)
  await setDatabase(0)
  const today = () => new Date().toISOString().slice(0, 10)
  // A day may end meanwhile.
  const confirmed = async (...args: string[]) => {
    const before = today()
    const { day, ...rest } = (await o.answer(['retention', 'confirm', ...args])) as { day: string }
    expect([before, today()]).toContain(day)
    return rest
  }
  expect(await confirmed('--org', String(org_id))).toEqual({ org_ids: [org_id] })
  await confirmed('--all')
  expect(await usageFault(o, ['retention', 'confirm'])).toMatch(/--org <id>.*--all/)
})
