// Mistakes that must not compile. Checked by tsc, never run.

import { type Check, MonitorClient, type Result, type Schemas, type SyncAnswer, syncCursor } from '../src/index.ts'

export async function mistakes(client: MonitorClient, result: Result, answer: SyncAnswer): Promise<void> {
  await client.sync(answer.server_time)
  await client.sync(syncCursor('2026-11-20T10:00:00.123456Z'))
  await client.sync(undefined, { signal: undefined, timeout: 5000 })
  // @ts-expect-error a time of the caller's own clock is no cursor
  await client.sync(new Date().toISOString())
  // @ts-expect-error nor is the time at which a check changed
  await client.sync(answer.checks[0]?.updated_at)

  await client.upload(new Set([result]))
  // @ts-expect-error a result needs ran_at
  await client.upload([{ check_guid: 'g', monitor_id: '', success: true, latency_ms: 1, http_status: 200 }])
  // @ts-expect-error one result is not many
  await client.upload(result)

  // @ts-expect-error the city is missing
  await client.enroll({ name: '', region: 'eu', country: 'DE' })
  // @ts-expect-error seconds are a number
  await client.reportStatus({ version: '1', uptime_sec: '1', unsent_results: 0 })
  // @ts-expect-error there is no such path
  await client.http.GET('/check')
  // @ts-expect-error the raw client wants the body that the contract wants
  await client.http.POST('/results', { body: [result] })

  // @ts-expect-error a token is needed
  new MonitorClient({ baseUrl: 'http://127.0.0.1:8080' })
  // @ts-expect-error the log is told no token
  new MonitorClient({ baseUrl: '', token: '', log: (event) => event.token })

  const check: Check = answer.checks[0] as Schemas['Check']
  // @ts-expect-error an optional field may be absent
  check.timeout_sec.toFixed()
}
