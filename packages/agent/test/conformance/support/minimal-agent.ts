// A monitor agent of a few pages, written from the protocol alone: the kit's second opinion. It can be told one fault to have.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { components } from '@dogwatch/contract/monitor'
import type { Fault } from './faults.ts'

type Check = components['schemas']['Check']
type Result = components['schemas']['Result']
type Definition = Partial<Pick<Check, 'url' | 'match_string' | 'post_data' | 'headers' | 'method' | 'status_codes'>>

interface Reply {
  status: number
  body: string
  wait_ms: number
}

interface Found {
  success: boolean
  http_status: number
  error?: string
  body?: string
}

// Imported, it would load what `fetch` is made of, and this agent is started more than a hundred times: half of each start.
const { request } = process.getBuiltinModule('node:http')

const [server = '', dir = '', name = '', definitionsFile = '', given = ''] = process.argv.slice(2)
const has = (fault: Fault): boolean => given === fault
const token = process.env.DOGWATCH_ENROLLMENT_TOKEN
/** Kinds of checks that this agent can run, and fields of theirs. */
const ABILITIES = ['http', 'method', 'status_codes', 'tcp']
const identityFile = join(dir, 'identity.json')
const queueFile = join(dir, 'queue.ndjson')
const cursorFile = join(dir, 'cursor')
const began = performance.now()

mkdirSync(dir, { recursive: true, mode: 0o700 })
const definitions = JSON.parse(readFileSync(definitionsFile, 'utf8')) as Record<string, Definition>
const checks = new Map<string, Check>()
const lastSlots = new Map<string, number>()
const shares = new Map<string, number>()
const running = new Set<string>()
const asked = new Set<string>()
const stopped = new Set<string>()
let queue = existsSync(queueFile) ? readQueue() : []
let ahead_ms = 0
let since = has('keeps-cursor') && existsSync(cursorFile) ? readFileSync(cursorFile, 'utf8') : undefined
let isRefused = false
let isKeyRefused = false
let batchSize = has('sends-600') ? 600 : 500

process.on('SIGTERM', () => process.exit(0))
const isKnown = existsSync(identityFile) && !has('enrolls-again')
let identity = isKnown
  ? (JSON.parse(readFileSync(identityFile, 'utf8')) as { id: string; key: string })
  : await enroll()

// Before the first sync, so that it follows the list.
if (!has('lists-late')) await report()
void repeat(sync, has('pesters') ? 20 : 1000)
void repeat(upload, 500)
void repeat(report, 2000)
setInterval(startDue, 10)

// ---- the API --------------------------------------------------------------------------------------------------------

/** Undefined when nobody answered. */
async function call(method: string, path: string, body?: unknown, key = identity.key): Promise<Reply | undefined> {
  try {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const text = body === undefined ? undefined : JSON.stringify(body)
    const answer = await ask(`${server}/monitor-api/v1${path}`, { method, headers, body: text, ms: 5000 })
    const wait_ms = Number(answer.headers['retry-after'] ?? 0) * 1000
    // Something in between answered: that is as good as nobody.
    const type = answer.headers['content-type'] ?? ''
    const isOurs = 'x-request-id' in answer.headers && !type.includes('html')
    if (!isOurs && !has('believes-anyone')) return undefined
    return { status: answer.status, body: answer.body, wait_ms: has('ignores-retry-after') ? 0 : wait_ms }
  } catch {
    return undefined
  }
}

interface Asked {
  method: string
  headers: Record<string, string>
  body: string | undefined
  ms: number
}

/** Not by `fetch`, for the same reason. */
function ask(url: string, { method, headers, body, ms }: Asked) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const asking = request(url, { method, headers, signal: AbortSignal.timeout(ms) }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      res.once('error', reject)
      res.once('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }))
    })
    asking.once('error', reject).end(body)
  })
}

async function enroll(id?: string): Promise<{ id: string; key: string }> {
  if (!token) return end('there is no enrollment token')
  return (await tryToEnroll(id)) ?? end('the enrollment failed')
}

/** Undefined when it is refused. */
async function tryToEnroll(id?: string): Promise<{ id: string; key: string } | undefined> {
  const place = {
    name,
    region: 'here',
    country: 'XX',
    city: 'loopback',
    abilities: ABILITIES,
    ...(id === undefined ? {} : { id }),
  }
  const reply = await call('POST', '/enroll', place, token)
  if (reply?.status !== 200) return undefined
  const { monitor_id, api_key } = JSON.parse(reply.body) as components['schemas']['EnrollResponse']
  const made = { id: monitor_id, key: api_key }
  replace(identityFile, JSON.stringify(made))
  return made
}

function end(why: string): never {
  process.stderr.write(`${why}\n`)
  process.exit(has('ends-with-0') ? 0 : 78)
}

async function sync(): Promise<number> {
  const reply = await call('GET', since === undefined ? '/checks' : `/checks?since=${encodeURIComponent(since)}`)
  if (reply?.status === 401) return keyRefused()
  if (reply?.status === 403) refused()
  if (reply?.status !== 200) return reply?.wait_ms ?? 0
  isRefused = isKeyRefused = false
  const answer = JSON.parse(reply.body) as components['schemas']['ChecksResponse']
  // An agent that knows nothing of runs that people ask for is sound.
  if (has('stops-at-unknown-fields') && 'runs' in answer) return end('an unknown field')
  if (has('runs-each-turn-asked')) for (const { check_guid = '' } of answer.runs ?? []) asked.add(check_guid)
  for (const guid of asked) void look(checks.get(guid) ?? {}, 5000)
  if (since === undefined || (has('replaces-with-delta') && answer.checks.length > 0)) checks.clear()
  for (const row of answer.checks) {
    if (row.deleted && !has('ignores-tombstones')) checks.delete(row.guid)
    else if (!row.deleted && !stopped.has(row.guid)) checks.set(row.guid, row)
    if (row.deleted && has('stops-for-good')) stopped.add(row.guid)
  }
  since = has('cursor-of-own-clock') ? new Date().toISOString() : answer.server_time
  if (has('keeps-cursor')) writeFileSync(cursorFile, since)
  const told = has('clock-of-cursor') ? answer.server_time : answer.now
  if (!has('local-clock') && told !== undefined) ahead_ms = Date.parse(told) - Date.now()
  return 0
}

function refused(): void {
  isRefused = !has('runs-while-disabled')
  since = undefined
}

/** The server may be away in another way: the checks go on, and results wait. */
async function keyRefused(): Promise<number> {
  since = undefined
  isKeyRefused = true
  if (has('stops-when-refused')) isRefused = true
  const taken = token ? await tryToEnroll(has('reclaims-as-new') ? undefined : identity.id) : undefined
  if (token && !taken && has('ends-when-refused')) end('the place is not free')
  if (taken) identity = taken
  return taken ? 0 : 3000
}

async function report(): Promise<number> {
  if (isRefused || isKeyRefused) return 0
  const uptime_sec = Math.floor((performance.now() - began) / 1000)
  await call('POST', '/status', {
    version: '1',
    uptime_sec,
    unsent_results: has('tells-no-backlog') ? 0 : queue.length,
    abilities: has('lists-at-random') ? [`a${Date.now()}`] : ABILITIES,
  })
  return 0
}

// ---- results --------------------------------------------------------------------------------------------------------

async function upload(): Promise<number> {
  const batch = oldest()
  if (batch.length === 0 || isRefused || isKeyRefused) return 0
  const reply = await call('POST', '/results', { results: batch })
  if (reply === undefined && has('new-ran-at')) for (const one of batch) one.ran_at = later(one.ran_at)
  if (reply === undefined && has('drops-when-away')) forget(batch)
  if (reply === undefined) return 0
  const { status, wait_ms } = reply
  if (status === 200 && !isPossible(reply.body, batch.length)) return 0
  const isGivenUp = (status === 400 && batch.length === 1) || has(`gives-up-on-${status}` as Fault)
  if (status === 200 || isGivenUp) forget(batch)
  if (isGivenUp) batchSize = 500
  else if (status === 413 || status === 400) batchSize = Math.max(1, Math.floor(batch.length / 2))
  return wait_ms
}

function isPossible(body: string, sent: number): boolean {
  if (has('believes-anyone') || has('believes-accepted')) return true
  const { accepted } = JSON.parse(body) as components['schemas']['ResultsResponse']
  return accepted >= 0 && accepted <= sent
}

function oldest(): Result[] {
  let bytes = 0
  return queue
    .slice(0, batchSize)
    .filter(
      (one) => (bytes += Buffer.byteLength(JSON.stringify(one)) + 1) < (has('sends-4-mib') ? 4_000_000 : 1_000_000),
    )
}

function keep(result: Result): void {
  queue.push(result)
  if (!has('keeps-in-memory')) appendFileSync(queueFile, `${JSON.stringify(result)}\n`)
}

function forget(batch: readonly Result[]): void {
  const gone = new Set(batch)
  queue = queue.filter((one) => !gone.has(one))
  replace(queueFile, queue.map((one) => `${JSON.stringify(one)}\n`).join(''))
}

function readQueue(): Result[] {
  const lines = readFileSync(queueFile, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result)
}

function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function later(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString()
}

// ---- runs -----------------------------------------------------------------------------------------------------------

function startDue(): void {
  const now = Date.now() + ahead_ms
  for (const check of checks.values()) {
    const interval = check.interval_sec * 1000
    const slot = Math.floor((now - shareOf(check.guid) * interval) / interval)
    const last = lastSlots.get(check.guid)
    lastSlots.set(check.guid, slot)
    const count = has('ignores-rank') ? 1 : Math.max(1, check.monitor_count ?? 1)
    const isTurn = slot % count === (check.monitor_rank ?? 0) % count
    if (last !== undefined && last !== slot && isTurn && (check.enabled || has('runs-disabled')) && !isRefused)
      void run(check, now)
  }
}

/** How far into its interval a check runs. It is asked for a hundred times a second, and reckoned once. */
function shareOf(guid: string): number {
  const known = shares.get(guid)
  if (known !== undefined) return known
  const share = createHash('sha256').update(guid).digest().readUInt32BE(0) / 2 ** 32
  shares.set(guid, share)
  return share
}

async function run(check: Check, ran_at: number): Promise<void> {
  const definition = check.url === '' && !has('ignores-definitions') ? definitions[check.guid] : check
  if (has('tells-of-undefined') && !definition) keep(resultOf(check, ran_at, { success: false, http_status: 0 }, 0))
  if (!definition) return
  if (running.has(check.guid)) return
  running.add(check.guid)
  const start = performance.now()
  const found = await look(definition, (check.timeout_sec ?? 10) * 1000)
  running.delete(check.guid)
  const latency_ms = performance.now() - start
  keep(resultOf(check, ran_at, found, has('float-latency') ? latency_ms : Math.round(latency_ms)))
}

function resultOf(check: Check, ran_at: number, found: Found, latency_ms: number): Result {
  const isPrivate = check.url === ''
  const why = isPrivate && !has('leaks-host') ? 'failed' : (found.error ?? '')
  const cap = (text: string): string =>
    has('tells-all') ? text : Array.from(text).slice(0, check.result_detail_max_chars).join('')
  return {
    check_guid: check.guid,
    monitor_id: identity.id,
    ran_at: new Date(ran_at).toISOString(),
    success: found.success || has('always-up'),
    http_status: found.http_status,
    latency_ms,
    error: found.success ? '' : cap(why),
    response_sample: isPrivate ? '' : cap(found.body ?? ''),
    ...(has('tells-retries-only') && check.retry_count ? { retries: 0 } : {}),
    ...(has('tells-phases-at-random') ? { timings: { connect_ms: latency_ms + 20 } } : {}),
  }
}

async function look(
  { url = '', match_string = '', post_data = '', headers = {}, method: named = '', status_codes = [] }: Definition,
  ms: number,
): Promise<Found> {
  try {
    if (url.startsWith('tcp:')) return await dial(new URL(url))
    const usual = post_data === '' ? 'GET' : 'POST'
    const method = named === '' || has('ignores-method') ? usual : named
    const { status: http_status, body } = await ask(url, { method, headers, body: post_data || undefined, ms })
    const ranges = has('ignores-status-codes') || status_codes.length === 0 ? ['200-299'] : status_codes
    const isOk = ranges.some((range) => isWithin(http_status, range))
    if (!isOk) return { success: false, http_status, error: `${url} answered ${http_status}`, body }
    const isMatch = body.includes(match_string)
    return { success: isMatch, http_status, body, ...(isMatch ? {} : { error: `no ${match_string} at ${url}` }) }
  } catch (error) {
    return { success: false, http_status: 0, error: (error as Error).message }
  }
}

/** Whether a range such as `200-299`, or a single status, has this one. */
function isWithin(status: number, range: string): boolean {
  const [first = 0, last = first] = range.split('-').map(Number)
  return status >= first && status <= last
}

function dial({ hostname, port }: URL): Promise<Found> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy()
      resolve({ success: true, http_status: 0 })
    })
    socket.once('error', reject)
  })
}

/** Calls `step` again and again, `ms` after its end, or later when it says so. */
async function repeat(step: () => Promise<number>, ms: number): Promise<never> {
  for (;;) await pause(Math.max(ms, await step()))
}
