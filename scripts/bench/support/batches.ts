// Results that are not stored yet, in the three forms in which they can be sent. They carry what our own agent sends for a
// public https check: a sample of the body, how long each phase took, and when the certificate ends.
import type { ResultColumns } from '../../../packages/server/dist/store/results/results.js'
import type { FleetCheck, FleetMonitor } from '../../lab/fleet.ts'
import { request } from '../../lab/lane.ts'

interface Result {
  check: FleetCheck
  ran_at: string
  success: boolean
  http_status: number
  latency_ms: number
  error: string
  response_sample: string
  timings: Timings
  cert_expires_at: string
}

const PHASES = ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'transfer_ms'] as const
type Timings = Record<(typeof PHASES)[number], number>

export interface Batch {
  monitor: FleetMonitor
  results: Result[]
}

const FAILS_EVERY = 20
const ERROR = 'status 503 is not below 400; body does not contain "ready"'
const BUSY =
  '<html><head><title>503 Service Unavailable</title></head><body>The server is busy, try again.</body></html>'
const SAMPLE_CHARS = 200
/**
 * An agent uploads every few seconds. Results older than 45 s would be taken for held-back ones, which costs more. Batches
 * are made before they are sent, a millisecond apart, and none may lie in the future.
 */
const AGO_MS = 20_000
const DAY_MS = 86_400_000

let makers = 0

/** Whether the result at an index of a batch is a failure. */
export type Fails = (batch: number, place: number) => boolean

/** Makes batches without end: each monitor in turn, with one result for each of its checks, later than all before. */
export function batchMaker(monitors: readonly FleetMonitor[], fails: Fails = someFail): () => Batch {
  let made = 0
  let at = 0
  // Two that begin in the same millisecond must not make the same result twice.
  const maker = makers++ * 37
  return () => {
    const number = made++
    at = Math.max(at + 1, Date.now() - AGO_MS)
    const monitor = monitors[number % monitors.length] as FleetMonitor
    const results = monitor.checks.map((check, place) =>
      resultOf(check, at, { number: number + place + maker, success: !fails(number, place) }),
    )
    return { monitor, results }
  }
}

function someFail(batch: number, place: number): boolean {
  return (batch + place) % FAILS_EVERY === 0
}

function resultOf(check: FleetCheck, at: number, { number, success }: { number: number; success: boolean }): Result {
  const micros = String(number % 1000).padStart(3, '0')
  const timings = timingsOf(number)
  return {
    check,
    ran_at: new Date(at).toISOString().replace('Z', `${micros}Z`),
    success,
    http_status: success ? 200 : 503,
    latency_ms: PHASES.reduce((sum, name) => sum + timings[name], 0),
    error: success ? '' : ERROR,
    response_sample: success ? pageOf(check, number) : BUSY,
    timings,
    cert_expires_at: new Date(Math.ceil(at / DAY_MS) * DAY_MS + (30 + (check.check_id % 60)) * DAY_MS).toISOString(),
  }
}

function timingsOf(number: number): Timings {
  return {
    dns_ms: 1 + (number % 5),
    connect_ms: 4 + (number % 17),
    tls_ms: 9 + (number % 31),
    first_byte_ms: 20 + (number % 293),
    transfer_ms: number % 12,
  }
}

/** The beginning of a page, of which some words differ from check to check and from run to run. */
function pageOf({ guid }: FleetCheck, number: number): string {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Status of ${guid}</title>
<link rel="stylesheet" href="/app.css"></head><body><p>Ready. Request ${(number * 2_654_435_761).toString(36)}.</p></body>`
  return page.slice(0, SAMPLE_CHARS)
}

const SENT_AT = '"sent_at":"'
const TAIL_LENGTH = '2026-01-01T00:00:00.000Z"}'.length

/** As an agent uploads it. */
export function toRequest({ monitor, results }: Batch): Buffer {
  const uploads = results.map(({ check, success, error, ...told }) => ({
    check_guid: check.guid,
    monitor_id: monitor.id,
    success,
    ...told,
    ...(!success && { error }),
  }))
  // The last field, where `sentNow` finds it.
  const body = JSON.stringify({ results: uploads, remaining: 0, sent_at: new Date().toISOString() })
  return request('POST', '/results', { key: monitor.key, body })
}

/** The same request, said to be sent now: the server compares that with its own clock. */
export function sentNow(upload: Buffer): Buffer {
  const start = upload.length - TAIL_LENGTH
  if (upload.toString('latin1', start - SENT_AT.length, start) !== SENT_AT) throw new Error('not an upload')
  upload.write(new Date().toISOString(), start, 'latin1')
  return upload
}

/** As the server hands it to its statement. */
export function toColumns({ results }: Batch): ResultColumns {
  const phase = (name: keyof Timings) => results.map(({ timings }) => timings[name])
  return {
    check_guid: results.map(({ check }) => check.guid),
    ran_at: results.map(({ ran_at }) => ran_at),
    success: results.map(({ success }) => success),
    http_status: results.map(({ http_status }) => http_status),
    latency_ms: results.map(({ latency_ms }) => latency_ms),
    error: results.map(({ error }) => error),
    response_sample: results.map(({ response_sample }) => response_sample),
    dns_ms: phase('dns_ms'),
    connect_ms: phase('connect_ms'),
    tls_ms: phase('tls_ms'),
    first_byte_ms: phase('first_byte_ms'),
    transfer_ms: phase('transfer_ms'),
    retries: [],
    cert_expires_at: results.map(({ cert_expires_at }) => cert_expires_at),
  }
}

/** The columns of `toCopyRows`, in order. */
export const COPY_COLUMNS = `org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample,
  ${PHASES.join(', ')}, cert_expires_at`

/** As rows for `copy results (...) from stdin`, with nothing to look up. */
export function toCopyRows({ monitor, results }: Batch): Buffer {
  const lines = results.map(({ check, ran_at, success, http_status, latency_ms, error, ...more }) => {
    const row = [
      check.org_id,
      check.check_id,
      ran_at,
      latency_ms,
      http_status,
      success ? 't' : 'f',
      monitor.id,
      success ? '\\N' : error,
      more.response_sample.replaceAll('\n', '\\n'),
      ...PHASES.map((name) => more.timings[name]),
      more.cert_expires_at,
    ]
    return `${row.join('\t')}\n`
  })
  return Buffer.from(lines.join(''))
}
