// Two web servers on one database whose machines' clocks are five minutes apart: what is asked of both, in turn, is what one
// would answer. The one whose clock is wrong is in doubt; it takes no pings and judges nothing, and serves the rest.
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AccountClient } from '@dogwatch/account-sdk'
import { createHttpServer } from '@dogwatch/api/server'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import type { Deps } from '@dogwatch/domain/deps'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { sweepHeartbeats } from '@dogwatch/domain/heartbeats/sweep'
import { createEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { openSession } from '@dogwatch/domain/people/sessions'
import { MonitorClient, type SyncCursor } from '@dogwatch/monitor-sdk'
import { DatabaseClock } from '@dogwatch/runtime/database-clock'
import { silentLog } from '@dogwatch/runtime/log'
import { setByDatabase } from '@dogwatch/store/processes/time'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import { Browser } from './support/browser.ts'
import { type Org, PLACE, result, type World, world } from './support/world.ts'

const SKEWS_MS = [0, 300_000, -300_000]
const BURST = 30

interface WebServer {
  url: string
  deps: Deps
  server: Server
}

let w: World
let org: Org
/** The first one's clock is right. */
let webs: WebServer[]
let right: WebServer
let others: WebServer[]
beforeAll(async () => {
  w = await world({ pages: false })
  org = await w.org()
  webs = await Promise.all(SKEWS_MS.map(serve))
  right = webs[0] as WebServer
  others = webs.slice(1)
})
afterAll(async () => {
  await Promise.all(webs.map(({ server }) => new Promise((resolve) => server.close(resolve))))
  await w.close()
})

/** A web server on a machine whose clock is so far ahead of the database's. */
async function serve(skew_ms: number): Promise<WebServer> {
  const clock = new DatabaseClock({
    wallMs: () => Date.now() + skew_ms,
    monotonicMs: () => performance.now(),
    bootMs: () => performance.now(),
  })
  await setByDatabase(w.deps.database.pools.machines, clock)
  const deps: Deps = { database: w.deps.database, clock, random: randomBytes, log: silentLog }
  const app = createApp(deps, {
    trust_proxy: ['loopback'],
    address_limit: { per_sec: 0.001, burst: BURST },
    console: { public_url: 'http://dogwatch.example', sign_up: 'open', default_plan: 'free' },
  })
  const server = createHttpServer(app, randomBytes)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, deps, server }
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()

/** Comes from an address of its own, so that no test uses up the limit of another. */
let addresses = 0
const from = () => ({ 'X-Forwarded-For': `198.51.100.${++addresses}` })
function fetchFrom(headers = from()): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init)
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    return fetch(request)
  }
}

/** One monitor, by each of the servers. */
async function monitorOf(owner: Org): Promise<MonitorClient[]> {
  const { token } = await createEnrollmentToken(right.deps, owner.org_id)
  const fetch = fetchFrom()
  const { api_key } = await new MonitorClient({ baseUrl: right.url, token, fetch }).enroll(PLACE)
  return webs.map(({ url }) => new MonitorClient({ baseUrl: url, token: api_key, retries: 0, fetch }))
}

test('all tell one time, and only the one whose clock is right trusts it', () => {
  const times = webs.map(({ deps }) => deps.clock.now().getTime())
  expect(Math.max(...times) - Math.min(...times)).toBeLessThan(1000)
  expect(webs.map(({ deps }) => deps.clock.isTrusted())).toEqual([true, false, false])
})

test('a batch is taken alike by each, and stored once', async () => {
  const [guid = ''] = await w.checks(org, [{}], 'all')
  const clients = await monitorOf(org)
  const batch = [0, 200, 400].map((seconds) => result(guid, { ran_at: ago(seconds) }))
  for (const client of clients) expect(await client.upload(batch)).toMatchObject({ submitted: 3, accepted: 3 })
  const stored = await w.rows(
    'select count(*)::integer as count from results join check_guids using (org_id, check_id) where guid = $1',
    guid,
  )
  expect(stored).toEqual([{ count: 3 }])
})

test('a monitor that asks one after the other hears of every change once, and the cursor never goes back', async () => {
  const own = await w.org()
  const clients = await monitorOf(own)
  const heard: string[] = []
  let since: SyncCursor | undefined
  for (let round = 0; round < 6; round++) {
    const [guid = ''] = await w.checks(own, [{ name: `round ${round}` }], 'all')
    const { checks, server_time } = await (clients[round % clients.length] as MonitorClient).sync(since)
    expect(checks.map((check) => check.guid)).toEqual([guid])
    heard.push(server_time)
    since = server_time
  }
  expect(heard).toEqual(heard.toSorted())
})

test('failures that came by servers in doubt are told once, by the one that trusts the time', async () => {
  const own = await w.org()
  const [guid = ''] = await w.checks(own, [{ down_interval_sec: 3 }], 'all')
  const clients = await monitorOf(own)
  for (const [n, client] of clients.entries()) {
    await client.upload([result(guid, { ran_at: ago(30 - n), success: false, http_status: 503 })])
  }
  await rejudgeChecks(right.deps)
  await rejudgeChecks(right.deps)
  const told = await w.rows('select type from events where org_id = $1', own.org_id)
  expect(told).toEqual([{ type: 'check.down' }])
})

test('a ping is taken by the server that trusts the time, and refused for now by the others', async () => {
  const own = await w.org()
  const { guid, token } = await createHeartbeat(right.deps, own.org_id, {
    name: 'backup',
    interval_sec: 60,
    grace_sec: 10,
    resend_interval_sec: 0,
    show_on_status_page: false,
  })
  const call = (web: WebServer) => fetch(`${web.url}/ping/${token}`)
  for (const web of others) {
    const answer = await call(web)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  }
  expect((await call(right)).status).toBe(200)
  await sweepHeartbeats(right.deps)
  const [row] = await w.rows(
    `select state, extract(epoch from due_at - last_heartbeat_at)::integer as due_after,
       abs(extract(epoch from last_heartbeat_at - clock_timestamp())) < 30 as is_now from heartbeats where guid = $1`,
    guid,
  )
  expect(row).toEqual({ state: 'up', due_after: 70, is_now: true })
})

describe('what expires', () => {
  test.each([
    ['lives', 0, 200],
    ['is over', 121, 401],
  ])('an enrollment token that %s is that to each', async (_, passed_sec, status) => {
    for (const made of webs) {
      const { token } = await createEnrollmentToken(made.deps, org.org_id, 120)
      await w.rows("update enrollment_tokens set expires_at = expires_at - $1 * interval '1 second'", passed_sec)
      for (const web of webs) {
        const answer = await fetch(`${web.url}/monitor-api/v1/enroll`, {
          method: 'POST',
          headers: { ...from(), Authorization: `Bearer ${token}` },
          body: JSON.stringify(PLACE),
        })
        expect(answer.status).toBe(status)
      }
    }
  })

  test('whoever signs in at one is signed in at the others', async () => {
    for (const made of webs) {
      const session = await openSession(made.deps, org.owner_id, org.org_id)
      for (const web of webs) {
        const page = await new Browser(web.url, session).open('/checks')
        expect([page.status, page.path]).toEqual([200, '/checks'])
      }
    }
  })

  test('a personal access token reads at each', async () => {
    const token = await w.pat(org)
    for (const { url } of webs) {
      const settings = await new AccountClient({ baseUrl: url, token, fetch: fetchFrom() }).settings()
      expect(settings.entitlements.Plan).toBe('team')
    }
  })
})

test('an address has one burst at all of them together', async () => {
  const headers = from()
  const statuses: number[] = []
  for (let n = 0; n < BURST + webs.length; n++) {
    const { url } = webs[n % webs.length] as WebServer
    statuses.push((await fetch(`${url}/monitor-api/v1/ping`, { headers })).status)
  }
  expect(statuses).toEqual([...Array<number>(BURST).fill(401), ...Array<number>(webs.length).fill(429)])
})
