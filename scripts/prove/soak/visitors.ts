// Runs agents that come and go, people who sign in and out of the console, and programs that read the account API and its
// exports. None of them reaches a limit.
import { setTimeout as pause } from 'node:timers/promises'
import { AccountClient } from '../../../packages/account-sdk/dist/index.js'
import type { Deps } from '../../../packages/domain/dist/deps.js'
import { resetMonitor } from '../../../packages/domain/dist/monitors/switches.js'
import { createPersonalToken } from '../../../packages/domain/dist/organisations/personal-tokens.js'
import { setPassword } from '../../../packages/domain/dist/people/edit.js'
import { MonitorClient } from '../../../packages/monitor-sdk/dist/index.js'
import { Browser } from '../../../packages/server/test/support/browser.ts'
import { fetchFrom } from '../../lab/clients/from-address.ts'
import { PLACE, resultOf } from '../../lab/clients/sdk-agent.ts'
import type { Undo } from '../../lab/proof.ts'
import { openOrg, shops } from '../../lab/world.ts'

const CHECKS = 20
const TRANSIENTS = 10
const PEOPLE = 4
const PASSWORD = 'correct horse battery'
const PAGES = [
  '/checks',
  '/monitors',
  '/heartbeats',
  '/channels',
  '/channels/deliveries',
  '/settings',
  '/settings/audit',
]

export async function startVisitors(deps: Deps, port: number, undo: Undo) {
  const baseUrl = `http://127.0.0.1:${port}`
  const ending = new AbortController()
  const { signal } = ending
  const { org_id, enrollment_token, addChecks } = await openOrg(deps, 'person-0')
  const guids = await addChecks(shops('shop', CHECKS))
  const done = new Map<string, number>()
  const faults: string[] = []
  const loops: Promise<void>[] = []
  const every = async (what: string, ms: number, act: (turn: number) => Promise<unknown>): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn++) {
      try {
        await act(turn)
        done.set(what, (done.get(what) ?? 0) + 1)
      } catch (error) {
        if (!signal.aborted) faults.push(`${what}: ${String(error)}`)
      }
      await pause(ms, undefined, { signal }).catch(() => undefined)
    }
  }

  for (let n = 0; n <= PEOPLE; n++) {
    if (n > 0) await openOrg(deps, `person-${n}`, 'free')
    await setPassword(deps, `person-${n}@example.com`, PASSWORD)
  }
  const signIn = async (n: number): Promise<Browser> => {
    const browser = new Browser(baseUrl)
    await browser.open('/sign-in')
    const { status, path } = await browser.submit('/sign-in', { email: `person-${n}@example.com`, password: PASSWORD })
    if (status !== 200 || path === '/sign-in') throw new Error(`signing in had the status ${status} at ${path}`)
    return browser
  }
  const owner = await signIn(0)
  const look = async (turn: number): Promise<void> => {
    const path = turn % 2 === 0 ? `/checks/${guids[turn % guids.length]}` : (PAGES[turn % PAGES.length] ?? '/')
    const { status } = await owner.open(path)
    if (status !== 200) throw new Error(`${path} had the status ${status}`)
  }

  const openAccount = async () =>
    new AccountClient({ baseUrl, token: (await createPersonalToken(deps, org_id)).token, signal })
  const [reader, ...exporters] = [await openAccount(), await openAccount(), await openAccount()]
  const read = async (turn: number): Promise<void> => {
    const guid = guids[turn % guids.length] ?? ''
    if (turn % 3 === 0) await reader.checks()
    else if (turn % 3 === 1) await reader.check(guid)
    else for await (const page of reader.pages(guid)) if (page.results.length > 0) break
  }
  const exportAll = async (turn: number): Promise<void> => {
    const exported = await exporters[turn % exporters.length]?.export()
    if (exported?.checks.length !== CHECKS) throw new Error(`an export of ${exported?.checks.length} checks`)
  }

  loops.push(every('agents came and went', 2000, comeAndGo({ deps, baseUrl, enrollment_token, guids, signal })))
  loops.push(every('pages', 1000, look))
  loops.push(every('sign-ins', 20_000, async (turn) => (await signIn(1 + (turn % PEOPLE))).submit('/sign-out')))
  loops.push(every('account API reads', 700, read))
  loops.push(every('exports', 35_000, exportAll))
  const stop = async (): Promise<void> => {
    ending.abort()
    await Promise.all(loops)
  }
  undo(stop)
  return { done: done as ReadonlyMap<string, number>, faults: faults as readonly string[], stop }
}

interface Place {
  deps: Deps
  baseUrl: string
  enrollment_token: string
  guids: readonly string[]
  signal: AbortSignal
}

/**
 * Returns a function that enrolls an agent, reports on its checks, and stops. After some turns, an agent reclaims the monitor of
 * an earlier one.
 */
function comeAndGo({ deps, baseUrl, enrollment_token, guids, signal }: Place): (turn: number) => Promise<void> {
  const ids = new Map<number, string>()
  return async (turn) => {
    const known = ids.get(turn % TRANSIENTS)
    const { fetch, close } = await fetchFrom(`127.1.0.${(turn % 250) + 1}`)
    try {
      if (known !== undefined) await resetMonitor(deps, known)
      const enrolling = new MonitorClient({ baseUrl, token: enrollment_token, fetch, signal })
      const id = known === undefined ? {} : { id: known }
      const { api_key, monitor_id } = await enrolling.enroll({ ...PLACE, name: `guest ${turn % TRANSIENTS}`, ...id })
      ids.set(turn % TRANSIENTS, monitor_id)
      const client = new MonitorClient({ baseUrl, token: api_key, fetch, signal })
      await client.sync()
      const at = Date.now()
      const runs = guids.map((guid, n) => resultOf({ guid, at, success: (turn + n) % 25 > 2 }, monitor_id))
      const { accepted } = await client.upload(runs)
      if (accepted !== guids.length) throw new Error(`${accepted} of ${guids.length} results were accepted`)
      await client.reportStatus({ version: '1.0.0', uptime_sec: 1, unsent_results: 0 })
    } finally {
      await close()
    }
  }
}
