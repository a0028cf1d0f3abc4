// A small agent to copy: it enrolls once, keeps its checks in step with the server, runs http, https and tcp checks in its
// turn, keeps what it finds on disk until the server has it, and reports how it is doing. probe.ts runs a check.
//
//   DOGWATCH_SERVER=http://127.0.0.1:8080 DOGWATCH_AGENT_STATE_DIR=./state DOGWATCH_ENROLLMENT_TOKEN=dogwatch_enroll_... \
//   DOGWATCH_AGENT_REGION=eu-central DOGWATCH_AGENT_COUNTRY=DE DOGWATCH_AGENT_CITY=Frankfurt node agent.ts

import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  ApiError,
  type Check,
  MonitorClient,
  type Result,
  type SyncAnswer,
  type SyncCursor,
} from '@dogwatch/monitor-sdk'
import {
  isFromServer,
  nextSlot,
  ResultOutbox,
  ServerClock,
  type Slot,
  type Turn,
  turnOf,
} from '@dogwatch/monitor-sdk/agent'
import { probe } from './probe.ts'

const VERSION = '0.2.0'
/** Kinds of checks that probe.ts can run. The server sends no others. */
const ABILITIES = ['http', 'tcp']
const WHOLE_SYNC_MS = 10 * 60_000
/** A run that would begin later than this in its slot is left out: the next monitor's turn may be near. */
const LATE_START_MS = 2000
/** A key that is refused for so long was reset. Before that the server may be about to be restored from a backup. */
const RESET_MS = 2 * 60_000
const REFUSED_WAIT_MAX_MS = 60_000
const DISABLED_WAIT_MS = 30_000

interface Identity {
  server: string
  monitor_id: string
  api_key: string
}

interface Plan {
  check: Check
  turn: Turn
  next: Slot
  /** The number of the last slot that was run or left out. */
  last?: number | undefined
}

const server = setting('SERVER')
const stateDir = setting('AGENT_STATE_DIR')
const stopping = new AbortController()
const { signal } = stopping
process.on('SIGTERM', () => stopping.abort())
process.on('SIGINT', () => stopping.abort())

let identity: Identity
const client = new MonitorClient({
  baseUrl: server,
  token: () => identity.api_key,
  userAgent: `dogwatch-example-agent/${VERSION}`,
  retries: 0, // The loops below try again.
})

const plans = new Map<string, Plan>()
const running = new Set<string>()
const clock = new ServerClock(() => performance.now(), Date.now() - performance.now())
/** False until the server has told the time: slots are counted on its clock. */
let isTimeKnown = false
let cursor: SyncCursor | undefined
let lastWholeSync = 0
/** What the server last said of this monitor. Only `accepted` sends anything but syncs; `disabled` runs nothing. */
let standing: 'accepted' | 'refused' | 'disabled' = 'accepted'
let refusedSince = 0
let refusals = 0

async function main(): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  await chmod(stateDir, 0o700)
  // Before an enrollment: a disk that cannot be written to should be known before the key is on its way.
  const outbox = await ResultOutbox.open(join(stateDir, 'results'), {
    onRefused: ({ check_guid, ran_at }, why) => say('result_refused', { check_guid, ran_at, why: why.message }),
    onDropped: (results) => say('dropped_oldest', { results }),
  })
  identity = (await loadIdentity()) ?? (await enroll())
  say('started', { monitor_id: identity.monitor_id, server, unsent_results: outbox.size })
  // Before the first sync, so that it follows the abilities of this version.
  await reportStatus(outbox.size).catch((error) => say('failed', { what: 'first status', error: wordsOf(error) }))
  await Promise.all([
    every(5000, 'sync', sync),
    every(100, 'run', () => startDueRuns((result) => outbox.add(result))),
    every(3000, 'upload', () => whenAccepted(() => outbox.upload(client, { signal }))),
    every(60_000, 'status', () => whenAccepted(() => reportStatus(outbox.size))),
  ])
  const last = whenAccepted(() => outbox.upload(client, { signal: AbortSignal.timeout(5000) }))
  await last.catch((error) => say('failed', { what: 'last upload', error: wordsOf(error) }))
  say('stopped', { unsent_results: outbox.size })
}

// ---- identity -------------------------------------------------------------------------------------------------------

async function loadIdentity(): Promise<Identity | undefined> {
  const text = await readFile(join(stateDir, 'identity.json'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const found: Identity = JSON.parse(text)
  if (found.server !== server) throw new Error(`the identity in ${stateDir} belongs to ${found.server}`)
  return found
}

/** Becomes a monitor, or takes the place of `id` after a reset. The key is shown once: it is stored before anything else. */
async function enroll(id?: string): Promise<Identity> {
  const token = setting('ENROLLMENT_TOKEN')
  const place = {
    abilities: ABILITIES,
    region: setting('AGENT_REGION'),
    country: setting('AGENT_COUNTRY'),
    city: setting('AGENT_CITY'),
  }
  const name = process.env.DOGWATCH_AGENT_NAME ?? ''
  const answer = await client.enroll({ name, ...place, ...(id === undefined ? {} : { id }) }, { token, retries: 2 })
  const made = { server, monitor_id: answer.monitor_id, api_key: answer.api_key }
  await writeAtomically('identity.json', `${JSON.stringify(made, null, 2)}\n`)
  say('enrolled', { monitor_id: made.monitor_id })
  return made
}

async function writeAtomically(name: string, text: string): Promise<void> {
  const draft = join(stateDir, `${name}.new`)
  const file = await open(draft, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
  await file.close()
  await rename(draft, join(stateDir, name))
}

// ---- the set of checks ----------------------------------------------------------------------------------------------

/** Asks for changes. Returns after how many milliseconds to ask again, when that is sooner than usual. */
async function sync(): Promise<number | undefined> {
  const isWhole = cursor === undefined || performance.now() - lastWholeSync > WHOLE_SYNC_MS
  const sent = performance.now()
  let answer: SyncAnswer
  try {
    answer = await client.sync(isWhole ? undefined : cursor, { signal })
  } catch (error) {
    if (!isReset(error)) throw error
    // Always with the id of before: a new monitor would have no checks, and its results no history.
    identity = await enroll(identity.monitor_id)
    return 0
  }
  if (answer.class === 'shared') {
    // Strangers define the checks of a shared monitor, and probe.ts connects to any address.
    say('gave_up', { error: 'this example must not be a shared monitor' })
    process.exit(1)
  }
  standing = 'accepted'
  refusals = 0
  const isDoubted = answer.now !== undefined && !learnTime(sent, answer.now)
  isTimeKnown ||= !isDoubted
  if (isWhole) {
    lastWholeSync = sent
    const named = new Set(answer.checks.map(({ guid }) => guid))
    for (const guid of plans.keys()) if (!named.has(guid)) plans.delete(guid)
  }
  for (const check of answer.checks) {
    if (check.deleted) plans.delete(check.guid)
    else plans.set(check.guid, planOf(check, plans.get(check.guid)))
  }
  cursor = answer.server_time
  if (isWhole || answer.checks.length > 0) say('synced', { changed: answer.checks.length, checks: plans.size })
  return isDoubted ? 500 : undefined
}

/** Whether the key has been refused for so long that it was reset, and there is a token to take the place back with. */
function isReset(error: unknown): boolean {
  const isRefused = error instanceof ApiError && error.status === 401 && isFromServer(error)
  const isLasting = standing === 'refused' && performance.now() - refusedSince > RESET_MS
  return isRefused && isLasting && process.env.DOGWATCH_ENROLLMENT_TOKEN !== undefined
}

/** Takes in what an answer says about the time. Returns false when another answer has to confirm it. */
function learnTime(sent: number, now: string): boolean {
  const learnt = clock.learn({ sent, received: performance.now(), server_ms: Date.parse(now), unit_ms: 1 })
  if (learnt.kind === 'set') {
    say('clock_set', { by_ms: Math.round(learnt.by_ms) })
    for (const plan of plans.values()) plan.next = nextSlot(plan.turn, clock.now(), plan.last)
  }
  return learnt.kind !== 'doubted'
}

/** Plans the next run of a check. A slot that is waited for stays, unless the turn has changed. */
function planOf(check: Check, before: Plan | undefined): Plan {
  const turn = turnOf(check)
  const isSameTurn = before && JSON.stringify(before.turn) === JSON.stringify(turn)
  return isSameTurn ? { ...before, check } : { check, turn, next: nextSlot(turn, clock.now()) }
}

// ---- running --------------------------------------------------------------------------------------------------------

/** Starts what is due. A slot that was missed is not made up for, and no check runs twice at once. */
async function startDueRuns(keep: (result: Result) => void): Promise<undefined> {
  if (!isTimeKnown || standing === 'disabled') return
  for (const plan of plans.values()) {
    const { check, next } = plan
    // A slot begins at a fraction of a millisecond, which `ran_at` does not have.
    const late_ms = clock.now() - Math.ceil(next.at)
    if (late_ms < 0) continue
    plan.last = next.number
    plan.next = nextSlot(plan.turn, clock.now(), next.number)
    // An empty url is a private definition, which this example has no file for: no run, no result.
    if (late_ms > LATE_START_MS || !check.enabled || check.url === '' || running.has(check.guid)) continue
    running.add(check.guid)
    run(check)
      .then((result) => result && keep(result))
      .catch((error) => say('failed', { what: 'run', check: check.guid, error: wordsOf(error) }))
      .finally(() => running.delete(check.guid))
  }
}

/** Runs a check once. Returns undefined when the agent stopped in the middle of it. */
async function run(check: Check): Promise<Result | undefined> {
  const ran_at = new Date(clock.now()).toISOString()
  const { success, latency_ms, http_status, error, body } = await probe(check, signal)
  if (signal.aborted) return undefined
  return {
    check_guid: check.guid,
    monitor_id: identity.monitor_id,
    ran_at,
    success,
    latency_ms,
    http_status,
    error: cut(error, check.result_detail_max_chars),
    response_sample: cut(body, check.result_detail_max_chars),
  }
}

/** Returns the first `max` characters, counted as code points. */
function cut(text: string, max: number): string {
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('')
}

// ---- reporting ------------------------------------------------------------------------------------------------------

async function reportStatus(unsent_results: number): Promise<void> {
  const uptime_sec = Math.floor(performance.now() / 1000)
  await client.reportStatus({ version: VERSION, uptime_sec, unsent_results, abilities: ABILITIES }, { signal })
}

/** Does what needs a key that the server accepts. */
async function whenAccepted(work: () => Promise<unknown>): Promise<undefined> {
  if (standing === 'accepted') await work()
}

// ---- loops ----------------------------------------------------------------------------------------------------------

/** Does `work` again and again until the agent stops, `ms` after its end or when it says. A failure is logged and waited out. */
async function every(ms: number, what: string, work: () => Promise<number | undefined>): Promise<void> {
  while (!signal.aborted) {
    let wait_ms = ms
    try {
      wait_ms = (await work()) ?? ms
    } catch (error) {
      if (signal.aborted) return
      wait_ms = Math.max(ms, waitAfter(error))
      say('failed', { what, error: wordsOf(error), wait_ms })
    }
    await pause(wait_ms, undefined, { signal }).catch(() => {})
  }
}

/** Draws the conclusions from a failure, and returns how many milliseconds to wait. No answer of a proxy changes anything. */
function waitAfter(error: unknown): number {
  if (!(error instanceof ApiError)) return 0
  if (error.retryAfter !== undefined) return error.retryAfter * 1000
  if (!isFromServer(error)) return 0
  if (error.status === 403) {
    standing = 'disabled'
    plans.clear()
    cursor = undefined
    return DISABLED_WAIT_MS
  }
  if (error.status === 401 || standing === 'refused') {
    // The checks go on and results wait: the server may be away in another way, and come back with this key.
    if (standing !== 'refused') refusedSince = performance.now()
    standing = 'refused'
    refusals += 1
    return Math.min(REFUSED_WAIT_MAX_MS, 2500 * 2 ** refusals)
  }
  return 0
}

function setting(name: string): string {
  const value = process.env[`DOGWATCH_${name}`]
  if (!value) throw new Error(`set DOGWATCH_${name}`)
  return value
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

function say(event: string, facts: Record<string, unknown> = {}): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), event, ...facts })}\n`)
}

await main().then(
  () => process.exit(0),
  (error) => {
    say('gave_up', { error: wordsOf(error) })
    process.exit(1)
  },
)
