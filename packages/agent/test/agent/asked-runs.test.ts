// Runs that people ask for: done once and at once, reported without waiting, and no more told of than may be.
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, type Check, type RunReport, type RunRequest } from '@dogwatch/monitor-sdk'
import { slotNumberAt, turnOf } from '@dogwatch/monitor-sdk/agent'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Log } from '../../src/process/log.ts'
import { Bell } from '../../src/process/repeat.ts'
import { runCheck } from '../../src/run/run-check.ts'
import type { Run } from '../../src/run/sent-result.ts'
import { AskedRuns } from '../../src/schedule/asked-runs.ts'
import type { ScheduledRuns } from '../../src/schedule/scheduled-runs.ts'
import { NewsWaiter } from '../../src/sync/waiting.ts'
import { mint } from '../support/certificates.ts'
import { aCheck } from '../support/checks.ts'
import { closedPort, serveHttp, serveHttps, serveTcp, serveTls } from '../support/servers.ts'
import { startAgent, UP, worldOf } from './support/running-agent.ts'
import { checkRow, json, scriptedApi, serverTime } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

const DAY_MS = 86_400_000

/** An agent whose first sync asks for these; resolves with the reports, by id, and with what was uploaded meanwhile. */
async function reportsOf(checks: Check[], requests: RunRequest[], settings: Record<string, string> = {}) {
  const api = await scriptedApi()
  const world = { ...(await worldOf(api)), runCheck, settings }
  api.next('GET /checks', json({ checks, server_time: serverTime(), now: serverTime(), runs: requests }))
  startAgent(world)
  const reports = () =>
    api.arrived.flatMap(({ route, body }) =>
      route === 'POST /results' ? ((JSON.parse(body) as { runs?: RunReport[] }).runs ?? []) : [],
    )
  await api.until(() => reports().length >= requests.length)
  return { api, reports: new Map(reports().map((report) => [report.id, report])) }
}

test('definitions of every scheme are tried once, with phases, certificate, redirects and sample, and leave no result', async () => {
  const minted = mint({ name: 'localhost', for: ['127.0.0.1'], not_after: new Date(Date.now() + 20.5 * DAY_MS) })
  const site = await serveHttp((req, res) => {
    if (req.url?.startsWith('/moved')) res.writeHead(302, { location: `/arrived?token=secret#there` }).end()
    else res.end(`hello ${'x'.repeat(5000)}`)
  })
  const https = await serveHttps(minted)
  const tls = await serveTls(minted)
  const tcp = await serveTcp((socket) => socket.write('220 mail.example ready\r\n'))
  const insecure = { insecure_skip_verify: true, result_detail_max_chars: 2048 }
  const trying = (id: string, check: Check) => ({ id, check: { ...check, guid: id } })
  const { api, reports } = await reportsOf(
    [],
    [
      trying('http', aCheck(`${site}/moved?a=b`)),
      trying('https', aCheck(`https://127.0.0.1:${https}/`, insecure)),
      trying('tls', aCheck(`tls://127.0.0.1:${tls}`, insecure)),
      trying('tcp', aCheck(`tcp://127.0.0.1:${tcp}`, { match_string: '220 ', result_detail_max_chars: 2048 })),
      trying('refused', aCheck(`tcp://127.0.0.1:${await closedPort()}`)),
      trying('match', aCheck(site, { match_string: 'goodbye', result_detail_max_chars: 0 })),
      trying('inverted', aCheck(site, { invert_result: true })),
      trying('config', aCheck('gopher://example.com/')),
    ],
  )
  expect(reports.get('http')).toMatchObject({
    success: true,
    kind: 'ok',
    http_status: 200,
    address: '127.0.0.1',
    redirects: [`${site}/arrived`],
    phases: { connect: expect.any(Number), first_byte: expect.any(Number), body: expect.any(Number) },
  })
  expect(reports.get('http')?.response_sample).toHaveLength(2048)
  expect(reports.get('https')).toMatchObject({
    success: true,
    certificate_days: 20,
    phases: { tls: expect.any(Number) },
  })
  expect(reports.get('tls')).toMatchObject({ success: true, certificate_days: 20, http_status: 0 })
  expect(reports.get('tcp')).toMatchObject({ success: true, response_sample: expect.stringContaining('220 mail') })
  expect(reports.get('refused')).toMatchObject({ success: false, kind: 'refused', error: expect.any(String) })
  expect(reports.get('match')).toMatchObject({ success: false, kind: 'match', http_status: 200 })
  expect(reports.get('match')).not.toHaveProperty('response_sample')
  expect(reports.get('inverted')).toMatchObject({ success: false, kind: 'inverted' })
  expect(reports.get('config')).toMatchObject({ success: false, kind: 'config' })
  expect(api.uploads.flat()).toEqual([])
})

test('a check is run now and its result uploaded; of a private one nothing but the verdict is told', async () => {
  const site = await serveHttp((_req, res) => res.writeHead(500).end('a secret answer'))
  const [shop, vault] = ['8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11', '0b5a7c2e-9d41-4c36-8f27-3e1d5a6b7c80']
  const file = join(await tempDir(), 'definitions.json')
  await writeFile(file, JSON.stringify({ [vault]: { url: site } }))
  await chmod(file, 0o600)
  const checks = [checkRow({ url: site, ...longAfter(shop) }), checkRow({ url: '', ...longAfter(vault) })]
  const asked = [
    { id: 'shop', check_guid: shop },
    { id: 'vault', check_guid: vault },
    { id: 'nowhere', check_guid: 'nowhere' },
    { id: 'nothing' },
  ]
  const { api, reports } = await reportsOf(checks, asked, { definitions: file })
  expect(reports.get('shop')).toMatchObject({ success: false, kind: 'status', response_sample: 'a secret answer' })
  const verdict = { success: false, kind: 'status', http_status: 500, latency_ms: expect.any(Number) }
  expect(reports.get('vault')).toEqual({ id: 'vault', ...verdict })
  expect(reports.get('nowhere')).toEqual({ id: 'nowhere', not_run: 'unknown_check' })
  expect(reports.get('nothing')).toEqual({ id: 'nothing', not_run: 'unknown_check' })
  const results = () => api.uploads.flat()
  await api.until(() => results().length >= 2)
  expect(
    results()
      .map(({ check_guid }) => check_guid)
      .sort(),
  ).toEqual([vault, shop])
  expect(results().find(({ check_guid }) => check_guid === shop)?.ran_at).toBe(reports.get('shop')?.ran_at)
})

/** A check whose own turns come long after the test, at whatever time of day that runs. */
function longAfter(guid: string): Partial<Check> {
  const daily = { guid, interval_sec: 86_400 }
  const monitor_count = 1000
  const today = slotNumberAt(turnOf(daily), Date.now())
  return { ...daily, monitor_count, monitor_rank: (today + monitor_count / 2) % monitor_count }
}

function taking(runs: Partial<ScheduledRuns> = {}, isAway = false) {
  const reports: RunReport[] = []
  const lost: unknown[] = []
  const run: Run = { check: aCheck('http://a/'), isPrivate: false, ran_at: serverTime(), result: UP }
  const asked = new AskedRuns({
    runs: { runNow: async () => run, tryOut: async () => run, ...runs },
    client: {
      reportRuns: async (told) => {
        if (isAway) throw new Error('away')
        return { accepted: reports.push(...told) }
      },
    },
    now: Date.now,
    log: { debug: (facts: unknown) => void lost.push(facts) } as Log,
  })
  return { asked, reports, lost, run }
}

test('a request that comes again is not done again', async () => {
  const { asked, reports } = taking()
  for (let times = 0; times < 3; times += 1) asked.take([{ id: 'a', check_guid: 'x' }])
  await new Promise((resolve) => setImmediate(resolve))
  expect(reports.map(({ id }) => id)).toEqual(['a'])
})

test('trouble of this machine is no verdict, too much at once is refused, and a report that is lost ends nothing', async () => {
  const { asked, reports, lost } = taking({
    runNow: async () => undefined,
    tryOut: () => new Promise(() => {}),
  })
  asked.take([{ id: 'a', check_guid: 'x' }])
  await new Promise((resolve) => setImmediate(resolve))
  asked.take(Array.from({ length: 9 }, (_, n) => ({ id: `try ${n}`, check: aCheck('http://a/') })))
  await new Promise((resolve) => setImmediate(resolve))
  expect(reports).toEqual([
    { id: 'a', not_run: 'no_verdict' },
    { id: 'try 8', not_run: 'busy' },
  ])
  const failing = taking({}, true)
  failing.asked.take([{ id: 'b', check_guid: 'x' }])
  await new Promise((resolve) => setImmediate(resolve))
  expect([failing.lost.length, lost.length]).toEqual([1, 0])
})

test('whatever an answer asks for, nothing is thrown, and only what has an id is reported', async () => {
  const odd = fc.oneof(fc.jsonValue(), fc.array(fc.record({ id: fc.jsonValue(), check: fc.jsonValue() })))
  await fc.assert(
    fc.asyncProperty(odd, async (requests) => {
      const { asked, reports, lost } = taking()
      asked.take(requests)
      await new Promise((resolve) => setImmediate(resolve))
      expect(lost).toEqual([])
      expect(reports.every(({ id }) => typeof id === 'string')).toBe(true)
    }),
    { numRuns: 100 },
  )
})

function refusal(status: number): ApiError {
  const request = { method: 'GET', path: '/ping' }
  return new ApiError('refused', { request, status, headers: new Headers(), retryAfter: undefined })
}

function waiting(answers: ({ sync?: boolean; after_ms: number; status?: number } | 'fails')[]) {
  const time = { ms: 0 }
  const asked: (number | undefined)[] = []
  let news = 0
  const bell = new Bell()
  const one = new NewsWaiter({
    client: {
      ping: async (options) => {
        asked.push(options?.wait_sec)
        const answer = answers.shift() ?? 'fails'
        if (answer === 'fails') throw new Error('away')
        time.ms += answer.after_ms
        if (answer.status !== undefined) throw refusal(answer.status)
        return { status: 'ok', ...(answer.sync === undefined ? {} : { sync: answer.sync }) }
      },
    },
    mono: () => time.ms,
    random: () => 0,
    bell,
    onNews: () => (news += 1),
  })
  return { one, asked, news: () => news, step: () => one.step(new AbortController().signal) }
}

test('it waits at the server only where that says so, and syncs at once when there is something to do', async () => {
  const { one, asked, news, step } = waiting([{ after_ms: 25_000 }, { sync: true, after_ms: 10 }])
  expect([await step(), asked]).toEqual([30_000, []])
  one.hear(25)
  expect(await step()).toBe(0)
  expect([await step(), asked, news()]).toEqual([1000, [25, 25], 1])
  one.hear(undefined)
  expect([await step(), asked.length]).toEqual([30_000, 2])
})

test('a disabled monitor waits at a server that holds its request, and syncs at once when it is enabled', async () => {
  const disabled = { status: 403, after_ms: 25_000 }
  const { one, news, step } = waiting([disabled, { ...disabled, after_ms: 5 }, { sync: true, after_ms: 9000 }])
  one.hear(25)
  expect([await step(), await step(), await step(), news()]).toEqual([0, 30_000, 1000, 1])
})

test('a server that does not hold the request, or is away, is not pestered', async () => {
  const { one, asked, step } = waiting([{ after_ms: 5 }, 'fails', { after_ms: 50_000 }])
  one.hear(3600)
  expect([await step(), await step()]).toEqual([30_000, 30_000])
  expect([await step(), asked]).toEqual([0, [50, 50, 50]])
})
