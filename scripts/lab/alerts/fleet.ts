// The clients of an organisation in proofs about operating a server: agents on the SDK that upload without pause, checks and heartbeats that
// change state, and a receiver of alerts.
import { createHeartbeat } from '../../../packages/server/dist/domain/heartbeats/edit.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { Book } from '../clients/book.ts'
import { type SdkAgent, startSdkAgent } from '../clients/sdk-agent.ts'
import { sum, type Undo, until } from '../proof.ts'
import { heartbeatOf, openOrg, shops, storedKeys } from '../world.ts'
import { countPending, type Excuse, judgeAlerts, judgeRepeats, readDeliveries } from './judge.ts'
import { openReceiver } from './receiver.ts'
import { type Course, checkStory, heartbeatStory, type Side, steadyStory, Story } from './stories.ts'

export interface FleetPlan {
  deps: Deps
  /** URLs of the servers, which its clients use in turn. */
  baseUrls: readonly string[]
  agents: number
  seed: number
  /** Tolerance of steady heartbeats. */
  steady_grace_sec?: number
  /** Process ids of possible senders of alerts. */
  senders: () => readonly number[]
}

export interface Fleet {
  readonly book: Book
  readonly agents: readonly SdkAgent[]
  readonly org_id: number
  /** Rejects if a story cannot go on. */
  readonly running: Promise<unknown>
  /** Returns the number of acknowledged changes of state. */
  changes(): number
  /** Returns the alerts about checks that went down. */
  downs(): { since: number; at: number }[]
  /** Lets all clients finish. */
  finish(): Promise<void>
  judge(excuse: Excuse): Promise<{ figures: string[]; faults: string[] }>
}

const WELL_CHECKS = 20
const STORIES = 6
const HEARTBEATS = 2
const STEADY_HEARTBEATS = 4
const AT_ONCE = 10
const CATCH_UP_MS = 150_000
const STEADY = { interval_sec: 3, grace_sec: 30, beat_ms: 1000 }

export async function openFleet(plan: FleetPlan, undo: Undo): Promise<Fleet> {
  const { deps, seed, senders } = plan
  const book = new Book()
  const org = await openOrg(deps, 'fleet')
  const { org_id } = org
  const receiver = await openReceiver('receiver', { isMoody: false, dice: dice(seed), senders }, undo)
  const channel_id = await org.addWebhook(receiver)
  const wellGuids = await org.addChecks(shops('well', WELL_CHECKS))
  const baseUrl = (n: number) => plan.baseUrls[n % plan.baseUrls.length] ?? ''
  const agents: SdkAgent[] = []
  const startOne = async (n: number): Promise<void> => {
    const who = { name: `agent ${n}`, address: `127.1.0.${n + 1}`, enrollment_token: org.enrollment_token }
    agents.push(await startSdkAgent({ ...who, baseUrl: baseUrl(n), wellGuids, upload_ms: 1000, book }, undo))
  }
  const numbers = Array.from({ length: plan.agents }, (_, n) => n)
  for (let n = 0; n < plan.agents; n += AT_ONCE) await Promise.all(numbers.slice(n, n + AT_ONCE).map(startOne))
  const hearers = [{ ...receiver, channel_id }]
  const side: Side = { ...org, uploaders: agents, hearers, isPatient: true }

  let [isOver, isSilent] = [false, false]
  const stories: Story[] = []
  const begin = (guid: string, run: (story: Story, course: Course) => Promise<void>, ends = () => isOver) => {
    const story = new Story(guid, side)
    stories.push(story)
    const onFailedCall = (response?: Response) => book.failPlainly('heartbeat', response)
    return run(story, { seed: seed + stories.length, isOver: ends, onFailedCall })
  }
  const more = (n: number) => ({ down_interval_sec: thresholdOf(n), alert_every_change: true })
  const guids = await org.addChecks(shops('shop', STORIES, more))
  const changing = guids.map((guid, n) => begin(guid, (story, course) => checkStory(story, thresholdOf(n), course)))
  const steady: Promise<void>[] = []
  for (let n = 0; n < HEARTBEATS + STEADY_HEARTBEATS; n += 1) {
    const isSteady = n >= HEARTBEATS
    const times = isSteady
      ? ([STEADY.interval_sec, plan.steady_grace_sec ?? STEADY.grace_sec] as const)
      : ([3600, 60] as const)
    const { guid, token } = await createHeartbeat(deps, org_id, heartbeatOf(`job ${n}`, ...times))
    const url = `${baseUrl(n)}/ping/${token}`
    if (isSteady)
      steady.push(
        begin(
          guid,
          (_, course) => steadyStory(url, STEADY.beat_ms, course),
          () => isSilent,
        ),
      )
    else changing.push(begin(guid, (story, course) => heartbeatStory(story, url, course)))
  }
  const running = Promise.all([...changing, ...steady])
  running.catch(() => {})
  return {
    ...{ book, agents, org_id, running },
    changes: () => sum(stories.map((story) => story.changes.length)),
    downs: () => receiver.arrivals.filter(({ type }) => type === 'check.down'),
    finish: async () => {
      isOver = true
      await Promise.race([running, Promise.all(changing)])
      for (const story of stories) await story.untilTold()
      // Steady heartbeats ping until then, because they would be missed.
      isSilent = true
      await running
      await Promise.all(agents.map((agent) => agent.finish()))
    },
    judge: (excuse) => judge(deps, { side, stories, book }, excuse),
  }
}

export function thresholdOf(n: number): number {
  return 1 + (n % 3)
}

interface FleetRecord {
  side: Side
  stories: readonly Story[]
  book: Book
}

async function judge(deps: Deps, { side, stories, book }: FleetRecord, excuse: Excuse) {
  await until(async () => (await countPending(deps)) === 0, CATCH_UP_MS)
  const rows = await readDeliveries(deps)
  const results = judgeResults(book, await storedKeys(deps, side.org_id))
  const arrivals = side.hearers.flatMap((hearer) => hearer.arrivals)
  const messages = new Set(arrivals.map(({ webhook_id }) => webhook_id)).size
  const changes = sum(stories.map((story) => story.changes.length))
  return {
    figures: [
      `${side.uploaders.length} agents, ${book.attempts} requests`,
      results.figure,
      `${changes} changes alerted in ${messages} messages, ${arrivals.length - messages} repeated`,
    ],
    faults: [
      ...results.faults,
      ...judgeAlerts([side], stories, rows),
      ...side.hearers.flatMap((hearer) => judgeRepeats(hearer, excuse)),
    ],
  }
}

/** Compares the stored results with those that the clients made. */
export function judgeResults(book: Book, stored: readonly string[]): { figure: string; faults: string[] } {
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
