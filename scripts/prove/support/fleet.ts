// The clients of a server in proofs about operating it: agents on the SDK that upload without pause, checks that go
// down and come up, heartbeats, and a receiver of alerts.
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { until, type World } from '../../lab/world.ts'
import {
  type Excuse,
  judgeAlerts,
  judgeRepeats,
  PENDING,
  STORED_DELIVERIES,
  type StoredDelivery,
} from '../alerting/judge.ts'
import { openReceiver } from '../alerting/receiver.ts'
import {
  type Course,
  checkStory,
  heartbeatStory,
  isTold,
  type Side,
  type Story,
  steadyStory,
} from '../alerting/stories.ts'
import { Book } from './book.ts'
import { type SdkAgent, startSdkAgent } from './sdk-agent.ts'
import { storedKeys } from './stored.ts'
import { OURS, type UseCases, useCasesOf } from './use-cases.ts'

/**
 * Settings of the servers that a fleet talks to: its agents run each check every second, and its stories change more often within minutes
 * than a channel is told of one by one.
 */
export const FLEET_LIMITS = {
  RESULTS_BEYOND: 'off',
  ALERTS_OF_CHANNEL: 'off',
  ALERTS_OF_ORG: 'off',
} as const

export interface FleetPlan {
  deps: Deps
  /** The compiled server of the build that knows the schema as it is at first; ours when left out. */
  dist?: string | undefined
  /** Where its clients find the server; they take turns at these. */
  baseUrls: readonly string[]
  agents: number
  seed: number
  /** How late a steady heartbeat may be; 30 s when left out. */
  steady_grace_sec?: number
  /** Processes that may send alerts. */
  senders: () => readonly number[]
}

export interface Fleet {
  readonly book: Book
  readonly agents: readonly SdkAgent[]
  readonly org_id: number
  /** Checks that never go down. */
  readonly wellGuids: readonly string[]
  /** Rejects when a story cannot go on. */
  readonly running: Promise<unknown>
  /** Changes of checks and heartbeats that were acknowledged so far. */
  changes(): number
  /** Checks that went down and were told: since when, and when that came; in milliseconds since the Unix epoch. */
  downs(): { since: number; at: number }[]
  /** Lets all of them finish what they are doing. */
  finish(): Promise<void>
  judge(excuse: Excuse): Promise<{ figures: string[]; faults: string[] }>
}

const WELL_CHECKS = 20
const STORIES = 6
const HEARTBEATS = 2
const STEADY_HEARTBEATS = 4
const UPLOAD_MS = 1000
const SYNC_MS = 2000
const BEAT_MS = 1000
const AT_ONCE = 10
const CATCH_UP_MS = 150_000
const HEARTBEAT = { interval_sec: 3600, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
const STEADY_INTERVAL_SEC = 3
const STEADY_GRACE_SEC = 30

export async function openFleet(plan: FleetPlan, undo: World['undo']): Promise<Fleet> {
  const { deps, seed, senders } = plan
  const useCases = await useCasesOf(plan.dist ?? OURS)
  const book = new Book()
  const { org_id } = await useCases.createOrganisation(deps, {
    name: 'fleet',
    plan: 'team',
    owner_email: 'o@example.com',
  })
  const receiver = await openReceiver('receiver', { isMoody: false, dice: dice(seed), senders }, undo)
  const { url: webhook_url, secret: webhook_secret } = receiver
  const { id: channel_id } = await useCases.createChannel(deps, org_id, {
    kind: 'webhook',
    name: 'receiver',
    webhook_url,
    webhook_secret,
  })
  const { agents, wellGuids } = await startAgents(plan, { org_id, book, useCases }, undo)
  const side = { name: 'fleet', org_id, uploaders: agents, hearers: [{ ...receiver, channel_id }], isPatient: true }
  const stories = new Stories(plan, { side, book, useCases })
  await stories.begin()
  return {
    book,
    agents,
    org_id,
    wellGuids,
    running: stories.running,
    changes: () => stories.all.reduce((sum, { changes }) => sum + changes.length, 0),
    downs: () => receiver.arrivals.filter(({ type }) => type === 'check.down').map(({ since, at }) => ({ since, at })),
    finish: async () => {
      await stories.end()
      await Promise.all(agents.map((agent) => agent.finish()))
    },
    judge: (excuse) => judge(plan, { side, stories: stories.all, book }, excuse),
  }
}

async function startAgents(
  { deps, baseUrls, agents: count }: FleetPlan,
  { org_id, book, useCases }: { org_id: number; book: Book; useCases: UseCases },
  undo: World['undo'],
): Promise<Pick<Fleet, 'agents' | 'wellGuids'>> {
  const { token: enrollment_token } = await useCases.createEnrollmentToken(deps, org_id)
  const { guids } = await useCases.importChecks(deps, org_id, entries('well', WELL_CHECKS), 'all')
  const agents: SdkAgent[] = []
  const startOne = async (n: number): Promise<void> => {
    const baseUrl = turn(baseUrls, n)
    const plan = { baseUrl, enrollment_token, name: `agent ${n}`, address: `127.1.0.${n + 1}`, book }
    const work = { wellGuids: () => guids, upload_ms: UPLOAD_MS, sync_ms: SYNC_MS }
    agents.push(await startSdkAgent({ ...plan, ...work }, undo))
  }
  const all = Array.from({ length: count }, (_, n) => n)
  for (let n = 0; n < count; n += AT_ONCE) await Promise.all(all.slice(n, n + AT_ONCE).map(startOne))
  return { agents, wellGuids: guids }
}

class Stories {
  readonly all: Story[] = []
  running: Promise<unknown> = Promise.resolve()
  #told: readonly Promise<void>[] = []
  readonly #plan: FleetPlan
  readonly #side: Side
  readonly #book: Book
  readonly #useCases: UseCases
  /** Those that go down and come up begin nothing new. */
  #isOver = false
  /** Steady ones ping until the last of the others is told: else they would be missed meanwhile. */
  #isSilent = false

  constructor(plan: FleetPlan, { side, book, useCases }: { side: Side; book: Book; useCases: UseCases }) {
    this.#plan = plan
    this.#side = side
    this.#book = book
    this.#useCases = useCases
  }

  async begin(): Promise<void> {
    const { deps, steady_grace_sec: grace_sec = STEADY_GRACE_SEC } = this.#plan
    const { org_id } = this.#side
    const steady = { ...HEARTBEAT, interval_sec: STEADY_INTERVAL_SEC, grace_sec }
    const { guids } = await this.#useCases.importChecks(deps, org_id, entries('shop', STORIES), 'all')
    const told = guids.map((guid, n) => this.#tell(guid, (story, course) => checkStory(story, thresholdOf(n), course)))
    for (let n = 0; n < HEARTBEATS + STEADY_HEARTBEATS; n += 1) {
      const isSteady = n >= HEARTBEATS
      const wanted = { ...(isSteady ? steady : HEARTBEAT), name: `job ${n}` }
      const { guid, token } = await this.#useCases.createHeartbeat(deps, org_id, wanted)
      const url = `${turn(this.#plan.baseUrls, n)}/ping/${token}`
      const tell = (story: Story, course: Course) =>
        isSteady ? steadyStory(url, BEAT_MS, course) : heartbeatStory(story, url, course)
      told.push(this.#tell(guid, tell, isSteady ? () => this.#isSilent : undefined))
    }
    this.#told = told
    this.running = Promise.all(told)
    // Whoever waits for it later is told then.
    this.running.catch(() => {})
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.race([this.running, Promise.all(this.#told.slice(0, STORIES + HEARTBEATS))])
    for (const story of this.all) await isTold(story, story.changes.length)
    this.#isSilent = true
    await this.running
  }

  #tell(
    guid: string,
    run: (story: Story, course: Course) => Promise<void>,
    isOver: () => boolean = () => this.#isOver,
  ): Promise<void> {
    const story: Story = { guid, side: this.#side, changes: [] }
    this.all.push(story)
    return run(story, {
      seed: this.#plan.seed + this.all.length,
      isOver,
      onFailedCall: (response, lasted_ms) => this.#book.failPlainly('heartbeat', response, lasted_ms),
    })
  }
}

function turn(all: readonly string[], n: number): string {
  return all[n % all.length] ?? ''
}

function thresholdOf(n: number): number {
  return 1 + (n % 3)
}

function entries(name: string, count: number) {
  return Array.from({ length: count }, (_, n) => ({
    name: `${name} ${n}`,
    url: `https://${name}-${n}.example.com/`,
    interval_sec: 60,
    down_interval_sec: thresholdOf(n),
    // Many of them fail at once from one agent alone.
    alert_every_change: true,
  }))
}

interface Seen {
  side: Side
  stories: readonly Story[]
  book: Book
}

async function judge(
  { deps }: FleetPlan,
  { side, stories, book }: Seen,
  excuse: Excuse,
): Promise<{ figures: string[]; faults: string[] }> {
  const { machines } = deps.database.pools
  await until(async () => (await machines.query<{ count: number }>(PENDING)).rows[0]?.count === 0, CATCH_UP_MS)
  const { rows } = await machines.query<StoredDelivery>(STORED_DELIVERIES)
  const stored = await storedKeys(deps, side.org_id)
  const once = new Set(stored)
  const lost = [...book.acknowledged].filter((key) => !once.has(key))
  const strange = [...once].filter((key) => !book.made.has(key))
  const twice = stored.length - once.size
  const untaken = book.made.size - book.acknowledged.size
  const arrivals = side.hearers.flatMap((hearer) => hearer.arrivals)
  const messages = new Set(arrivals.map(({ webhook_id }) => webhook_id)).size
  const changes = stories.reduce((sum, story) => sum + story.changes.length, 0)
  return {
    figures: [
      `${side.uploaders.length} agents, ${book.attempts} requests`,
      `${book.acknowledged.size} results acknowledged, ${lost.length} lost, ${twice} twice`,
      `${changes} changes told in ${messages} messages, ${arrivals.length - messages} told again`,
    ],
    faults: [
      ...book.faults,
      ...(lost.length > 0 ? [`lost, although acknowledged: ${lost.slice(0, 5).join(', ')}`] : []),
      ...(twice > 0 ? [`${twice} results are stored twice`] : []),
      ...(untaken > 0 ? [`${untaken} results were never taken`] : []),
      ...(strange.length > 0 ? [`stored, and never made: ${strange.slice(0, 5).join(', ')}`] : []),
      ...judgeAlerts({ sides: [side], stories, rows }),
      ...side.hearers.flatMap((hearer) => judgeRepeats(hearer, excuse)),
    ],
  }
}
