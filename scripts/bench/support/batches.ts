// Results that are not stored yet, in the three forms in which they can be sent.
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
}

export interface Batch {
  monitor: FleetMonitor
  results: Result[]
}

const FAILS_EVERY = 20
const ERROR = 'status 503 is not below 400; body does not contain "ready"'
const SAMPLE =
  '<html><head><title>503 Service Unavailable</title></head><body>The server is busy, try again.</body></html>'
/** Recent enough not to belong to an hour that is over, which would be folded again. */
const AGO_MS = 60_000

let makers = 0

/** Whether the result at an index of a batch is a failure. */
export type Fails = (batch: number, place: number) => boolean

/** Makes batches without end: each monitor in turn, with one result for each of its checks, later than all before. */
export function batchMaker(monitors: readonly FleetMonitor[], fails: Fails = someFail): () => Batch {
  let made = 0
  const begun = Date.now() - AGO_MS
  // Two that begin in the same millisecond must not make the same result twice.
  const maker = makers++ * 37
  return () => {
    const number = made++
    const monitor = monitors[number % monitors.length] as FleetMonitor
    const results = monitor.checks.map((check, place) =>
      resultOf(check, begun + number, { number: number + place + maker, success: !fails(number, place) }),
    )
    return { monitor, results }
  }
}

function someFail(batch: number, place: number): boolean {
  return (batch + place) % FAILS_EVERY === 0
}

function resultOf(check: FleetCheck, at: number, { number, success }: { number: number; success: boolean }): Result {
  const micros = String(number % 1000).padStart(3, '0')
  return {
    check,
    ran_at: new Date(at).toISOString().replace('Z', `${micros}Z`),
    success,
    http_status: success ? 200 : 503,
    latency_ms: 40 + (number % 400),
    error: success ? '' : ERROR,
    response_sample: success ? '' : SAMPLE,
  }
}

/** As an agent uploads it. */
export function toRequest({ monitor, results }: Batch): Buffer {
  const uploads = results.map(({ check, ran_at, success, http_status, latency_ms, error, response_sample }) => ({
    check_guid: check.guid,
    monitor_id: monitor.id,
    ran_at,
    success,
    http_status,
    latency_ms,
    ...(!success && { error, response_sample }),
  }))
  return request('POST', '/results', { key: monitor.key, body: JSON.stringify({ results: uploads }) })
}

/** As the server hands it to its statement. */
export function toColumns({ results }: Batch): ResultColumns {
  return {
    check_guid: results.map(({ check }) => check.guid),
    ran_at: results.map(({ ran_at }) => ran_at),
    success: results.map(({ success }) => success),
    http_status: results.map(({ http_status }) => http_status),
    latency_ms: results.map(({ latency_ms }) => latency_ms),
    error: results.map(({ error }) => error),
    response_sample: results.map(({ response_sample }) => response_sample),
    ...NOTHING_TOLD,
  }
}

/** What agents of an earlier build do not send. */
const NOTHING_TOLD = {
  dns_ms: [],
  connect_ms: [],
  tls_ms: [],
  first_byte_ms: [],
  transfer_ms: [],
  retries: [],
  cert_expires_at: [],
}

/** As rows for `copy results (...) from stdin`, with nothing to look up. */
export function toCopyRows({ monitor, results }: Batch): Buffer {
  const lines = results.map(({ check, ran_at, success, http_status, latency_ms, error, response_sample }) => {
    const details = success ? ['\\N', '\\N'] : [error, response_sample]
    const row = [
      check.org_id,
      check.check_id,
      ran_at,
      latency_ms,
      http_status,
      success ? 't' : 'f',
      monitor.id,
      ...details,
    ]
    return `${row.join('\t')}\n`
  })
  return Buffer.from(lines.join(''))
}
