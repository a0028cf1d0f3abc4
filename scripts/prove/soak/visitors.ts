// Runs agents that come and go, people who sign in and out of the console, and readers of the account API with their exports. None of them
// reaches a limit.
import { setTimeout as pause } from 'node:timers/promises'
import { AccountClient } from '../../../packages/account-sdk/dist/index.js'
import { MonitorClient } from '../../../packages/monitor-sdk/dist/index.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { resetMonitor } from '../../../packages/server/dist/domain/monitors/switches.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { setPassword } from '../../../packages/server/dist/domain/people/edit.js'
import { Browser } from '../../../packages/server/test/support/browser.ts'
import { fetchFrom } from '../../lab/clients/from-address.ts'
import { PLACE } from '../../lab/clients/sdk-agent.ts'
import type { Undo } from '../../lab/proof.ts'
import { openOrg, shops } from '../../lab/world.ts'

export interface Visitors {
  /** Number of visits by name. */
  readonly done: ReadonlyMap<string, number>
  readonly faults: readonly string[]
  stop(): Promise<void>
}

const CHECKS = 20
const TRANSIENTS = 10
const PEOPLE = 4
const EXPORT_TOKENS = 2
const PASSWORD = 'correct horse battery'
const COME_MS = 2000
const PAGE_MS = 1000
const SIGN_IN_MS = 20_000
const READ_MS = 700
const EXPORT_MS = 35_000
const PAGES = [
  '/checks',
  '/monitors',
  '/heartbeats',
  '/channels',
  '/channels/deliveries',
  '/settings',
  '/settings/audit',
]

interface Place {
  deps: Deps
  baseUrl: string
  org_id: number
  enrollment_token: string
  guids: string[]
  signal: AbortSignal
}

export async function startVisitors(deps: Deps, port: number, undo: Undo): Promise<Visitors> {
  const baseUrl = `http://127.0.0.1:${port}`
  const ending = new AbortController()
  const { org_id, enrollment_token, addChecks } = await openOrg(deps, 'person-0')
  const guids = await addChecks(shops('shop', CHECKS))
  const place: Place = { deps, baseUrl, org_id, enrollment_token, guids, signal: ending.signal }
  const done = new Map<string, number>()
  const faults: string[] = []
  const every = async (what: string, ms: number, act: (turn: number) => Promise<void>): Promise<void> => {
    for (let turn = 0; !ending.signal.aborted; turn++) {
      try {
        await act(turn)
        done.set(what, (done.get(what) ?? 0) + 1)
      } catch (error) {
        if (!ending.signal.aborted) faults.push(`${what}: ${String(error)}`)
      }
      await pause(ms, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }
  const loops = [
    every('agents came and went', COME_MS, await comeAndGo(place)),
    every('pages', PAGE_MS, await lookAround(place)),
    every('sign-ins', SIGN_IN_MS, await signInAndOut(place)),
    every('account API reads', READ_MS, await readAccount(place)),
    every('exports', EXPORT_MS, await exportAll(place)),
  ]
  const stop = async () => {
    ending.abort()
    await Promise.all(loops)
  }
  undo(stop)
  return { done, faults, stop }
}

/** Starts a machine that reports on its checks and leaves. The next one takes over its name. */
async function comeAndGo({
  deps,
  baseUrl,
  enrollment_token: token,
  guids,
  signal,
}: Place): Promise<(turn: number) => Promise<void>> {
  const ids: (string | undefined)[] = []
  return async (turn) => {
    const known = ids[turn % TRANSIENTS]
    const { fetch, close } = await fetchFrom(`127.1.0.${(turn % 250) + 1}`)
    try {
      if (known !== undefined) await resetMonitor(deps, known)
      const place = { ...PLACE, name: `guest ${turn % TRANSIENTS}` }
      const enrolling = new MonitorClient({ baseUrl, token, fetch, signal })
      const { api_key, monitor_id } = await enrolling.enroll({ ...place, ...(known !== undefined && { id: known }) })
      ids[turn % TRANSIENTS] = monitor_id
      const client = new MonitorClient({ baseUrl, token: api_key, fetch, signal })
      await client.sync()
      const ran_at = new Date().toISOString()
      const results = guids.map((check_guid, n) => {
        const success = (turn + n) % 25 > 2
        return { check_guid, monitor_id, ran_at, success, http_status: success ? 200 : 503, latency_ms: 42 }
      })
      const { accepted } = await client.upload(results)
      if (accepted !== guids.length) throw new Error(`${accepted} of ${guids.length} results were accepted`)
      await client.reportStatus({ version: '1.0.0', uptime_sec: 1, unsent_results: 0 })
    } finally {
      await close()
    }
  }
}

async function lookAround({ deps, baseUrl, guids }: Place): Promise<(turn: number) => Promise<void>> {
  const browser = new Browser(baseUrl)
  await setPassword(deps, emailOf(0), PASSWORD)
  await signIn(browser, emailOf(0))
  return async (turn) => {
    const path = turn % 2 === 0 ? `/checks/${guids[turn % guids.length]}` : (PAGES[turn % PAGES.length] ?? '/')
    const { status } = await browser.open(path)
    if (status !== 200) throw new Error(`${path} had the status ${status}`)
  }
}

/** Signs each person in and out in turn, in a fresh browser. */
async function signInAndOut({ deps, baseUrl }: Place): Promise<(turn: number) => Promise<void>> {
  const emails: string[] = []
  for (let n = 1; n <= PEOPLE; n++) {
    await openOrg(deps, `person-${n}`, 'free')
    await setPassword(deps, emailOf(n), PASSWORD)
    emails.push(emailOf(n))
  }
  return async (turn) => {
    const browser = new Browser(baseUrl)
    await signIn(browser, emails[turn % PEOPLE] ?? '')
    await browser.submit('/sign-out')
  }
}

async function signIn(browser: Browser, email: string): Promise<void> {
  await browser.open('/sign-in')
  const { status, path } = await browser.submit('/sign-in', { email, password: PASSWORD })
  if (status !== 200 || path === '/sign-in') throw new Error(`signing in answered ${status} at ${path}`)
}

async function readAccount({ deps, baseUrl, org_id, guids, signal }: Place): Promise<(turn: number) => Promise<void>> {
  const { token } = await createPersonalToken(deps, org_id)
  const client = new AccountClient({ baseUrl, token, signal })
  return async (turn) => {
    const guid = guids[turn % guids.length] ?? ''
    if (turn % 3 === 0) await client.checks()
    else if (turn % 3 === 1) await client.check(guid)
    else for await (const page of client.pages(guid)) if (page.results.length > 0) break
  }
}

async function exportAll({ deps, baseUrl, org_id, signal }: Place): Promise<(turn: number) => Promise<void>> {
  const clients: AccountClient[] = []
  for (let n = 0; n < EXPORT_TOKENS; n++) {
    clients.push(new AccountClient({ baseUrl, token: (await createPersonalToken(deps, org_id)).token, signal }))
  }
  return async (turn) => {
    const { checks } = (await clients[turn % EXPORT_TOKENS]?.export()) ?? { checks: [] }
    if (checks.length !== CHECKS) throw new Error(`an export of ${checks.length} checks`)
  }
}

function emailOf(n: number): string {
  return `person-${n}@example.com`
}
