// Makes results that are not stored yet, in the forms in which they can be sent. They have what real agents sent when the
// demo was recorded.
import type { ResultColumns } from '../../../packages/server/dist/store/results/results.js'
import { type FleetCheck, type FleetMonitor, GROUPS } from '../../lab/fleet.ts'
import { request } from '../../lab/lane.ts'
import { certificateEndOf, ONE_FAILS_OF, PHASES, type RecordedRun, runOf, toldOf } from '../../lab/recording.ts'

export interface BatchResult extends RecordedRun {
  check: FleetCheck
  /** Number of the run among those of its check. */
  number: number
  ran_at: string
  cert_expires_at: string | null
}

export interface Batch {
  monitor: FleetMonitor
  results: BatchResult[]
}

/**
 * Age of results when they are sent. An agent uploads every few seconds, and the server takes results that are older than 45 s
 * for delayed ones, which cost more.
 */
const AGO_MS = 20_000

let makers = 0

/** Decides whether the result at a position of a batch is a failure. */
export type Fails = (batch: number, position: number) => boolean

/** Returns a function that makes batches: from each monitor in turn, with one result for each of its checks. */
export function batchMaker(monitors: readonly FleetMonitor[], fails: Fails = someFail): () => Batch {
  let made = 0
  let at = 0
  const maker = makers++
  return () => {
    const number = made++
    at = Math.max(at + 1, Date.now() - AGO_MS)
    const monitor = monitors[number % monitors.length] as FleetMonitor
    const results = monitor.checks.map((check, position) => {
      const run = number + position + maker * 37
      // Two makers may choose the same millisecond, and must not make the same result: each has a last digit of its own.
      const micros = String((run % 100) * 10 + (maker % 10)).padStart(3, '0')
      const ran_at = new Date(at).toISOString().replace('Z', `${micros}Z`)
      return resultOf(check, run, ran_at, !fails(number, position))
    })
    return { monitor, results }
  }
}

/** Lets no result fail. */
export const noneFails: Fails = () => false

/** Lets one result of a hundred fail, and never two in a row of a check, because a check that is down costs more. */
const someFail: Fails = (batch, position) =>
  (batch * 7 + Math.floor(batch / GROUPS) * 3 + position) % ONE_FAILS_OF === 0

export function resultOf(check: FleetCheck, number: number, ran_at: string, success: boolean): BatchResult {
  const run = runOf(check.check_id, number, success)
  return { ...run, check, number, ran_at, cert_expires_at: certificateEndOf(check.check_id, run) }
}

/** Returns the request of an agent that uploads a batch. */
export function toRequest({ monitor, results }: Batch): Buffer {
  const uploads = results.map(({ check, number, ran_at, success }) => ({
    ...{ check_guid: check.guid, monitor_id: '', ran_at },
    ...toldOf(check.check_id, number, success),
  }))
  // The last field, where `sentNow` finds it.
  const body = JSON.stringify({ results: uploads, remaining: 0, sent_at: new Date().toISOString() })
  return request('POST', '/results', { key: monitor.key, body })
}

const TAIL_LENGTH = '2026-01-01T00:00:00.000Z"}'.length

/** Sets the time at which an upload is sent to now, because the server compares that with its own clock. */
export function sentNow(upload: Buffer): Buffer {
  upload.write(new Date().toISOString(), upload.length - TAIL_LENGTH, 'latin1')
  return upload
}

/** Returns the columns that the server passes to its statement. */
export function toColumns(results: readonly BatchResult[]): ResultColumns {
  const column = <Name extends keyof BatchResult>(name: Name) => results.map((result) => result[name])
  const phases = PHASES.map((name) => [name, results.map(({ timings }) => timings[name])] as const)
  return {
    check_guid: results.map(({ check }) => check.guid),
    ran_at: column('ran_at'),
    success: column('success'),
    http_status: column('http_status'),
    latency_ms: column('latency_ms'),
    error: column('error'),
    response_sample: column('response_sample'),
    ...(Object.fromEntries(phases) as Record<(typeof PHASES)[number], (number | null)[]>),
    retries: [],
    cert_expires_at: column('cert_expires_at'),
  }
}
