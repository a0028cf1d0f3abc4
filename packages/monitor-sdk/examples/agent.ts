// A small agent: enrolls once, keeps its checks in step with the server, runs http and https checks in its turn, uploads
// what it finds and reports how it is doing. It holds results in memory only, so a crash loses those not yet uploaded,
// and it probes with fetch, which refuses some ports (1, 22, 25 ...).
//
//   DOGWATCH_SERVER=http://127.0.0.1:8080 DOGWATCH_AGENT_STATE_DIR=./state DOGWATCH_ENROLLMENT_TOKEN=dogwatch_enroll_... \
//   DOGWATCH_AGENT_REGION=eu-central DOGWATCH_AGENT_COUNTRY=DE DOGWATCH_AGENT_CITY=Frankfurt node agent.ts

import { createHash } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Check, MonitorClient, type Result, type SyncCursor } from '@dogwatch/monitor-sdk'

const VERSION = '0.1.0'
const FULL_SYNC_MS = 10 * 60_000
const BUFFER_MAX_RESULTS = 100_000
const BODY_MAX_BYTES = 1024 * 1024
const LATE_START_SEC = 2
const CLOCK_STEP_MS = 1000

interface Identity {
  server: string
  monitor_id: string
  api_key: string
}

const server = setting('SERVER')
const stateDir = setting('AGENT_STATE_DIR')
const stopping = new AbortController()
process.on('SIGTERM', () => stopping.abort())
process.on('SIGINT', () => stopping.abort())

let identity: Identity
const client = new MonitorClient({
  baseUrl: server,
  token: () => identity.api_key,
  userAgent: `dogwatch-example-agent/${VERSION}`,
  log: (event) => {
    if (event.type === 'failure' || event.type === 'wait') say(`request_${event.type}`, { ...event })
  },
})

const checks = new Map<string, Check>()
const buffer: Result[] = []
const lastSlots = new Map<string, number>()
const running = new Set<string>()
let cursor: SyncCursor | undefined
let lastFullSync = 0
let clock = { offset: Date.now() - performance.now(), doubted: Number.NaN }

async function main(): Promise<void> {
  identity = (await loadIdentity()) ?? (await enroll())
  say('started', { monitor_id: identity.monitor_id, server })
  await Promise.all([
    every(5000, 'sync', sync),
    every(200, 'run', runDueChecks),
    every(3000, 'upload', () => upload(stopping.signal)),
    every(60_000, 'status', reportStatus),
  ])
  await upload(AbortSignal.timeout(5000)).catch((error) =>
    say('failed', { what: 'last upload', error: wordsOf(error) }),
  )
  say('stopped', { unsent_results: buffer.length })
}

// ---- identity -------------------------------------------------------------------------------------------------------

async function loadIdentity(): Promise<Identity | undefined> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  await chmod(stateDir, 0o700)
  const text = await readFile(join(stateDir, 'identity.json'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const found: Identity = JSON.parse(text)
  if (found.server !== server) throw new Error(`the identity in ${stateDir} belongs to ${found.server}`)
  return found
}

/** Becomes a monitor, or takes the place of `id` after a reset. The key is told once: it is stored before anything else. */
async function enroll(id?: string): Promise<Identity> {
  const token = setting('ENROLLMENT_TOKEN')
  const place = { region: setting('AGENT_REGION'), country: setting('AGENT_COUNTRY'), city: setting('AGENT_CITY') }
  const name = process.env.DOGWATCH_AGENT_NAME ?? ''
  // A disk that cannot be written to should be known before the key is on its way.
  await writeAtomically('probe', '')
  await unlink(join(stateDir, 'probe'))
  const answer = await client.enroll({ name, ...place, ...(id === undefined ? {} : { id }) }, { token })
  const made = { server, monitor_id: answer.monitor_id, api_key: answer.api_key }
  await writeAtomically('identity.json', `${JSON.stringify(made, null, 2)}\n`)
  say('enrolled', { monitor_id: made.monitor_id })
  return made
}

async function writeAtomically(name: string, text: string): Promise<void> {
  const draft = join(stateDir, `${name}.${process.pid}.tmp`)
  const file = await open(draft, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
  await file.close()
  await rename(draft, join(stateDir, name))
}

// ---- the set of checks ----------------------------------------------------------------------------------------------

async function sync(): Promise<void> {
  const full = cursor === undefined || performance.now() - lastFullSync > FULL_SYNC_MS
  const sent = performance.now()
  try {
    const answer = await client.sync(full ? undefined : cursor, { retries: 0, signal: stopping.signal })
    // server_time is only the cursor. Without now, the server says nothing about the time.
    if (answer.now !== undefined) learnTime(Date.parse(answer.now) - (sent + performance.now()) / 2)
    const held = new Map(checks)
    if (full) checks.clear()
    if (full) lastFullSync = sent
    for (const check of answer.checks) {
      checks.set(check.guid, check)
      // A slot that is running out now is not run late, and another interval counts other slots.
      if (held.get(check.guid)?.interval_sec !== check.interval_sec) lastSlots.set(check.guid, slotOf(check).slot)
      if (check.deleted) checks.delete(check.guid)
    }
    cursor = answer.server_time
    if (full || answer.checks.length > 0) say('synced', { full, changed: answer.checks.length, checks: checks.size })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 401) identity = await enroll(identity.monitor_id).catch(giveUp)
    if (error.status === 401 || error.status === 403) {
      checks.clear()
      cursor = undefined
    }
    if (error.status !== 401) throw error
  }
}

/** Follows the server's clock: small differences by a tenth each time, a large one once a second answer agrees with it. */
function learnTime(told: number): void {
  const isNear = (offset: number) => Math.abs(told - offset) < CLOCK_STEP_MS
  if (isNear(clock.offset)) clock = { offset: clock.offset + (told - clock.offset) / 10, doubted: Number.NaN }
  else if (isNear(clock.doubted)) {
    say('clock_set', { by_ms: Math.round(told - clock.offset) })
    clock = { offset: told, doubted: Number.NaN }
    // What ran just now is not run again. Slots farther ahead were counted on a clock that was wrong.
    for (const check of checks.values()) {
      const { slot } = slotOf(check)
      const last = lastSlots.get(check.guid) ?? slot
      if (last > slot + (check.monitor_count ?? 1)) lastSlots.set(check.guid, slot)
    }
  } else clock.doubted = told
}

/** Milliseconds since the Unix epoch, by the server. Until it has told the time, by this machine. */
function serverNow(): number {
  return performance.now() + clock.offset
}

// ---- running --------------------------------------------------------------------------------------------------------

/** The slot that is on now, and how many seconds ago it began. Every agent counts slots alike. */
function slotOf(check: Check): { slot: number; age: number } {
  const phase = (createHash('sha256').update(check.guid).digest().readUInt32BE(0) / 2 ** 32) * check.interval_sec
  const since = serverNow() / 1000 - phase
  const slot = Math.floor(since / check.interval_sec)
  return { slot, age: since - slot * check.interval_sec }
}

async function runDueChecks(): Promise<void> {
  for (const check of checks.values()) {
    const { slot, age } = slotOf(check)
    if (slot <= (lastSlots.get(check.guid) ?? Number.NEGATIVE_INFINITY)) continue
    lastSlots.set(check.guid, slot)
    const count = check.monitor_count ?? 1
    const mine = count < 2 || slot % count === check.monitor_rank
    // An empty url is a private definition, which this example has no file for: no run, no result.
    if (!mine || age > LATE_START_SEC || !check.enabled || check.url === '' || running.has(check.guid)) continue
    running.add(check.guid)
    void run(check)
      .then((result) => result && buffer.push(result))
      .finally(() => running.delete(check.guid))
  }
}

interface ProbeResult {
  latency_ms: number
  http_status: number
  body: string
  /** Why it failed, or empty. */
  error: string
}

/** One run of a check, or undefined when the agent stopped in the middle of it. */
async function run(check: Check): Promise<Result | undefined> {
  const ran_at = new Date(serverNow()).toISOString()
  const beyond = notDoneHere(check)
  const found = beyond
    ? { latency_ms: 0, http_status: 0, body: '', error: `config: this example does not do ${beyond}` }
    : await probe(check)
  if (stopping.signal.aborted) return undefined
  let error = found.error
  // A check that cannot be run has not failed the target, so there is nothing to turn around.
  if (check.invert_result && !beyond) error = error ? '' : 'inverted: the target is healthy'
  say('ran', {
    check: check.guid,
    success: !error,
    latency_ms: found.latency_ms,
    http_status: found.http_status,
    error,
  })
  return {
    check_guid: check.guid,
    monitor_id: identity.monitor_id,
    ran_at,
    success: !error,
    latency_ms: found.latency_ms,
    http_status: found.http_status,
    ...cut('error', error, check.result_detail_max_chars),
    ...cut('response_sample', found.body, check.result_detail_max_chars),
  }
}

function notDoneHere(check: Check): string | undefined {
  if (!/^https?:\/\//i.test(check.url)) return `${check.url.split(':')[0]} checks`
  if (check.insecure_skip_verify) return 'insecure_skip_verify'
  if (check.cert_expiry_warn_days) return 'cert_expiry_warn_days'
  if (check.match_string && !/^(not_)?contains$/.test(check.match_mode ?? 'contains'))
    return `match_mode ${check.match_mode}`
  if (check.status_code_op && !(check.status_code_op in COMPARE)) return `status_code_op ${check.status_code_op}`
  return undefined
}

const COMPARE: Record<string, (status: number, value: number) => boolean> = {
  eq: (status, value) => status === value,
  ne: (status, value) => status !== value,
  lt: (status, value) => status < value,
  lte: (status, value) => status <= value,
  gt: (status, value) => status > value,
  gte: (status, value) => status >= value,
}

/** Fetches the target and applies the rules in their order: transport, status, match, response time. */
async function probe(check: Check): Promise<ProbeResult> {
  const seconds = Math.min(60, check.timeout_sec || 10)
  const deadline = AbortSignal.timeout(seconds * 1000)
  const began = performance.now()
  let http_status = 0
  const probeResult = (error: string, body = ''): ProbeResult => {
    return { latency_ms: Math.round(performance.now() - began), http_status, body, error }
  }
  try {
    const target = new URL(check.url)
    const headers = new Headers(check.headers)
    if (target.username || target.password) {
      const userinfo = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`
      if (!headers.has('authorization'))
        headers.set('authorization', `Basic ${Buffer.from(userinfo).toString('base64')}`)
      target.username = ''
      target.password = ''
    }
    const post = check.post_data ? { method: 'POST', body: check.post_data } : { method: 'GET' }
    if (check.post_data && !headers.has('content-type'))
      headers.set('content-type', 'application/x-www-form-urlencoded')
    const response = await fetch(target, {
      ...post,
      headers,
      redirect: check.disable_redirects ? 'manual' : 'follow',
      signal: AbortSignal.any([deadline, stopping.signal]),
    })
    http_status = response.status
    const body = await readBeginning(response)
    const done = probeResult('', body)
    return { ...done, error: verdict(check, done) }
  } catch (error) {
    if (deadline.aborted) return probeResult(`timeout: no complete answer within ${seconds} s`)
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return probeResult(`transport: ${wordsOf(cause)}`)
  }
}

function verdict(check: Check, found: ProbeResult): string {
  const { http_status: status, latency_ms } = found
  const compare = COMPARE[check.status_code_op ?? '']
  if (compare && !compare(status, check.status_code_value ?? 0)) {
    return `status: ${status} is not ${check.status_code_op} ${check.status_code_value}`
  }
  if (!compare && status >= 400) return `status: ${status}`
  const unwanted = check.match_mode === 'not_contains'
  if (check.match_string && found.body.includes(check.match_string) === unwanted) {
    return `match: the text is ${unwanted ? 'there' : 'missing'}`
  }
  const limit = check.max_response_time_ms || Number.POSITIVE_INFINITY
  return latency_ms > limit ? `slow: ${latency_ms} ms, allowed are ${limit} ms` : ''
}

async function readBeginning(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    bytes += piece.length
    if (bytes > BODY_MAX_BYTES) break
  }
  return text + decoder.decode()
}

/** The first `max` characters of a text as a field, or no field. */
function cut<Name extends string>(name: Name, text: string, max: number): { [key in Name]?: string } {
  const kept = Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('')
  return (kept ? { [name]: kept } : {}) as { [key in Name]?: string }
}

// ---- telling the server ---------------------------------------------------------------------------------------------

async function upload(signal: AbortSignal): Promise<void> {
  if (buffer.length > BUFFER_MAX_RESULTS) {
    say('dropped_oldest', { results: buffer.splice(0, buffer.length - BUFFER_MAX_RESULTS).length })
  }
  try {
    const before = buffer.length
    await client.upload(buffer, { signal, retries: 0, onBatch: ({ submitted }) => void buffer.splice(0, submitted) })
    if (before > 0) say('uploaded', { results: before })
  } catch (error) {
    // A result that the server will never take must not hold up the others. The 400 names its place in the batch.
    if (error instanceof ApiError && (error.status === 400 || error.status === 413)) {
      buffer.splice(Number(/results\[(\d+)\]/.exec(error.message)?.[1] ?? 0), 1)
    }
    throw error
  }
}

async function reportStatus(): Promise<void> {
  const uptime_sec = Math.floor(performance.now() / 1000)
  await client.reportStatus(
    { version: VERSION, uptime_sec, unsent_results: buffer.length },
    { signal: stopping.signal },
  )
}

// ---- the rest -------------------------------------------------------------------------------------------------------

/** Does `work` now and then each `ms` milliseconds until the agent stops. A failure is logged and tried again. */
async function every(ms: number, what: string, work: () => Promise<void>): Promise<void> {
  while (!stopping.signal.aborted) {
    try {
      await work()
    } catch (error) {
      if (error instanceof GivingUp) throw error
      if (stopping.signal.aborted) return
      say('failed', { what, error: wordsOf(error) })
      // The server may ask for more patience than a call has.
      const wait = error instanceof ApiError ? (error.retryAfter ?? (error.status === 403 ? 60 : 0)) : 0
      await pause(wait * 1000, undefined, { signal: stopping.signal }).catch(() => {})
    }
    await pause(ms, undefined, { signal: stopping.signal }).catch(() => {})
  }
}

class GivingUp extends Error {}

function giveUp(error: unknown): never {
  throw new GivingUp(`the API key is not valid any more, and enrolling again failed: ${wordsOf(error)}`)
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
