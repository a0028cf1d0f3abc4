// Results that are not stored yet, in the three forms in which they can be sent. They carry what our own agents sent when the
// demo was recorded.
import type { ResultColumns } from '../../../packages/server/dist/store/results/results.js'
import { type FleetCheck, type FleetMonitor, GROUPS } from '../../lab/fleet.ts'
import { request } from '../../lab/lane.ts'
import { certificateEndOf, ONE_FAILS_OF, PHASES, type RecordedRun, runOf, toldOf } from '../../lab/recording.ts'

interface Result extends Pick<RecordedRun, 'success' | 'http_status' | 'latency_ms' | 'error' | 'response_sample'> {
  check: FleetCheck
  /** Which of its runs. */
  number: number
  ran_at: string
  timings: RecordedRun['timings']
  cert_expires_at: string | null
}

export interface Batch {
  monitor: FleetMonitor
  results: Result[]
}

/**
 * An agent uploads every few seconds. Results older than 45 s would be taken for held-back ones, which costs more. Batches
 * are made before they are sent, a millisecond apart, and none may lie in the future.
 */
const AGO_MS = 20_000

let makers = 0

/** Whether the result at an index of a batch is a failure. */
export type Fails = (batch: number, place: number) => boolean

/** Makes batches without end: each monitor in turn, with one result for each of its checks, later than all before. */
export function batchMaker(monitors: readonly FleetMonitor[], fails: Fails = someFail): () => Batch {
  let made = 0
  let at = 0
  const maker = makers++
  return () => {
    const number = made++
    at = Math.max(at + 1, Date.now() - AGO_MS)
    const monitor = monitors[number % monitors.length] as FleetMonitor
    const results = monitor.checks.map((check, place) =>
      resultOf(check, at, { number: number + place + maker * 37, maker, success: !fails(number, place) }),
    )
    return { monitor, results }
  }
}

/**
 * One of a hundred. Every `GROUPS` batches, the same checks have their turn, by this monitor or another: then others of them
 * fail. A check that failed twice in a row would be down, and then no batch with it could take the short path.
 */
export const someFail: Fails = (batch, place) =>
  (batch * 7 + Math.floor(batch / GROUPS) * 3 + place) % ONE_FAILS_OF === 0

interface Numbers {
  number: number
  maker: number
  success: boolean
}

function resultOf(check: FleetCheck, at: number, { number, maker, success }: Numbers): Result {
  const run = runOf(check.check_id, number, success)
  // Makers may come to the same millisecond, and must not make the same result twice: each has a last digit of its own.
  const micros = String((number % 100) * 10 + (maker % 10)).padStart(3, '0')
  return {
    check,
    number,
    ran_at: new Date(at).toISOString().replace('Z', `${micros}Z`),
    success,
    http_status: run.http_status,
    latency_ms: run.latency_ms,
    error: run.error,
    response_sample: run.response_sample,
    timings: run.timings,
    cert_expires_at: certificateEndOf(check.check_id, run),
  }
}

const SENT_AT = '"sent_at":"'
const TAIL_LENGTH = '2026-01-01T00:00:00.000Z"}'.length

/** As an agent uploads it. */
export function toRequest({ monitor, results }: Batch): Buffer {
  const uploads = results.map(({ check, number, ran_at, success }) => ({
    ...{ check_guid: check.guid, monitor_id: '', ran_at },
    ...toldOf(check.check_id, number, success),
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
  const phase = (name: (typeof PHASES)[number]) => results.map(({ timings }) => timings[name])
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
      ...[check.org_id, check.check_id, ran_at, latency_ms, http_status, success ? 't' : 'f', monitor.id],
      ...[escaped(error), escaped(more.response_sample)],
      ...[...PHASES.map((name) => more.timings[name]), more.cert_expires_at].map((value) => value ?? NONE),
    ]
    return `${row.join('\t')}\n`
  })
  return Buffer.from(lines.join(''))
}

const NONE = '\\N'
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(text: string): string {
  return text === '' ? NONE : text.replace(/[\\\n\r\t]/g, (char) => ESCAPES[char] ?? char)
}
