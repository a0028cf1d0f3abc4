// Runs the clients of an organisation in proofs about operating a server: agents on the SDK that upload all the time, checks and
// heartbeats that change state, and receivers of alerts.
import type { Deps } from '../../../packages/domain/dist/deps.js'
import { dice } from '../../../packages/runtime/test/support/dice.ts'
import { Book } from '../clients/book.ts'
import { type SdkAgent, startSdkAgent } from '../clients/sdk-agent.ts'
import { need, sum, type Undo, until } from '../proof.ts'
import { numberOf, openOrg, shops, storedKeys } from '../world.ts'
import { type Excuse, judgeAlerts, judgeRepeats, readDeliveries, type StoredDelivery } from './judge.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { checkOf, jobOf, type Side, Story } from './stories.ts'

export interface SidePlan {
  deps: Deps
  /** URLs of the servers. The clients use them in turn. */
  baseUrls: readonly string[]
  agents: number
  seed: number
  name?: string
  upload_ms?: number
  receivers?: readonly { name: string; isMoody?: boolean }[]
  /** Whether a story waits for the alert of each change before it makes the next change. Default: true. */
  isPatient?: boolean
  killed_ms?: () => number
}

export interface FleetPlan extends SidePlan {
  checks?: number
  heartbeats?: number
  /** Number of heartbeats whose jobs stop pinging, so that the heartbeats go down. */
  silent?: number
  /** Number of heartbeats whose jobs ping all the time, and their grace period in the next field. */
  steady?: number
  steady_grace_sec?: number
}

export interface Fleet extends Side {
  readonly book: Book
  /** Promise of all clients, which rejects if the story of a check or heartbeat cannot go on. */
  readonly running: Promise<unknown>
  /** Returns the number of changes of state that the server has acknowledged. */
  changes(kind?: string): number
  /** Returns the alerts about checks that went down: the time of the outage and the time of arrival. */
  downs(): { since: number; at: number }[]
  /** Waits until the servers accept an upload. Returns the wait in milliseconds. If they accept none, the error names `what`. */
  untilAccepted(what: string): Promise<number>
  /** Lets all clients finish. */
  finish(): Promise<void>
  judge(excuse: Excuse, tolerance_ms?: number): Promise<{ figures: string[]; faults: string[]; rows: StoredDelivery[] }>
}

const WELL_CHECKS = 20
const [CATCH_UP_MS, BACK_MS] = [150_000, 90_000]
const PENDING = "select count(*) from deliveries where state = 'pending'"
const STEADY = { interval_sec: 3, beat_ms: 1000 }

/** Opens an organisation with agents and receivers. */
export async function openSide(plan: SidePlan, book: Book, undo: Undo): Promise<Side> {
  const { name = 'fleet', seed, receivers = [{ name: 'receiver' }], upload_ms = 1000 } = plan
  const { isPatient = true, killed_ms = () => 0 } = plan
  const org = await openOrg(plan.deps, name)
  const hearers: Receiver[] = []
  for (const own of receivers) {
    hearers.push(await openReceiver(org, { ...own, dice: dice(seed - hearers.length) }, undo))
  }
  const wellGuids = plan.agents > 0 ? await org.addChecks(shops('well', WELL_CHECKS)) : []
  const agents: SdkAgent[] = []
  for (let n = 0; n < plan.agents; n += 1) {
    const baseUrl = plan.baseUrls[n % plan.baseUrls.length] ?? ''
    const who = { name: `agent ${n}`, address: `127.1.0.${n + 1}`, enrollment_token: org.enrollment_token }
    agents.push(await startSdkAgent({ ...who, baseUrl, wellGuids, upload_ms, book }, undo))
  }
  return { ...org, agents, hearers, stories: [], isPatient, killed_ms }
}

export async function openFleet(plan: FleetPlan, undo: Undo): Promise<Fleet> {
  const { deps, seed, baseUrls, checks = 6, heartbeats = 2, silent = 0, steady = 4, steady_grace_sec = 30 } = plan
  const book = new Book()
  const side = await openSide(plan, book, undo)
  let [isOver, isSilent] = [false, false]
  const over = () => isOver
  const { stories } = side
  const more = (n: number) => ({ down_interval_sec: 1 + (n % 3), alert_every_change: true })
  const guids = await side.addChecks(shops('shop', checks, more))
  const changing = guids.map((guid, n) => {
    const act = checkOf(side, guid, 1 + (n % 3))
    return new Story(side, { name: `shop ${n}`, guid, kind: 'check', act, seed: seed + n }).alternate(over)
  })
  const openJob = async (n: number, interval_sec: number, grace_sec: number): Promise<Story> => {
    const name = `job ${n}`
    const { guid, token } = await side.addHeartbeat(name, interval_sec, grace_sec)
    const url = `${baseUrls[n % baseUrls.length]}/ping/${token}`
    const act = jobOf(url, (response) => book.failPlainly('heartbeat', response))
    return new Story(side, { name, guid, kind: 'heartbeat', act, seed: seed - n })
  }
  for (let n = 0; n < heartbeats; n += 1) changing.push((await openJob(n, 3600, 60)).alternate(over))
  for (let n = 0; n < silent; n += 1) changing.push((await openJob(heartbeats + n, 3, 7)).fallSilent(over))
  const steadily: Promise<void>[] = []
  for (let n = 0; n < steady; n += 1) {
    const story = await openJob(heartbeats + silent + n, STEADY.interval_sec, steady_grace_sec)
    steadily.push(story.beSteady(STEADY.beat_ms, () => isSilent))
  }
  const running = Promise.all([...changing, ...steadily])
  running.catch(() => {})
  const changes = (kind = '') =>
    sum(stories.map((story) => story.changes.filter(({ type }) => type.startsWith(kind)).length))
  return {
    ...{ ...side, book, running, changes },
    downs: () =>
      side.hearers.flatMap(({ arrivals }) =>
        arrivals.flatMap(({ type, since, at }) => (type === 'check.down' ? [{ since, at }] : [])),
      ),
    untilAccepted: async (what) => {
      const from = Date.now()
      const first = () => book.acknowledgedAt.find((at) => at > from)
      await need(() => first() !== undefined, BACK_MS, `${what}: the servers accept nothing`)
      return (first() ?? from) - from
    },
    finish: async () => {
      isOver = true
      await Promise.race([running, Promise.all(changing)])
      for (const story of stories) await story.untilTold()
      // Ends the steady heartbeats last. They would go down if they stopped pinging while others still run.
      isSilent = true
      await running
      await Promise.all(side.agents.map((agent) => agent.finish()))
    },
    judge: async (excuse, tolerance_ms) => {
      await until(async () => (await numberOf(deps, PENDING)) === 0, CATCH_UP_MS)
      const rows = await readDeliveries(deps, side.org_id)
      const results = judgeResults(book, await storedKeys(deps, side.org_id))
      const arrivals = side.hearers.flatMap((hearer) => hearer.arrivals)
      const messages = new Set(arrivals.map(({ webhook_id }) => webhook_id)).size
      return {
        rows,
        figures: [
          `${side.agents.length} agents, ${book.attempts} requests`,
          results.figure,
          `${changes()} changes alerted in ${messages} messages, ${arrivals.length - messages} repeated`,
        ],
        faults: [
          ...results.faults,
          ...judgeAlerts(side, rows, tolerance_ms),
          ...side.hearers.flatMap((hearer) => judgeRepeats(hearer, excuse)),
        ],
      }
    },
  }
}

/** Compares the stored results with those that the clients made. */
function judgeResults(book: Book, stored: readonly string[]): { figure: string; faults: string[] } {
  const once = new Set(stored)
  const lost = [...book.acknowledged].filter((key) => !once.has(key))
  const strange = [...once].filter((key) => !book.made.has(key))
  const [twice, left] = [stored.length - once.size, book.made.size - book.acknowledged.size]
  return {
    figure: `${book.acknowledged.size} results acknowledged, ${lost.length} lost, ${twice} twice`,
    faults: [
      ...book.faults,
      ...lost.slice(0, 5).map((key) => `lost, although acknowledged: ${key}`),
      ...(twice > 0 ? [`${twice} results are stored twice`] : []),
      ...(left > 0 ? [`${left} results were never accepted`] : []),
      ...strange.slice(0, 5).map((key) => `stored, and never made: ${key}`),
    ],
  }
}
