// What our own agents upload, from a recording of the demo: samples, phases, certificates, monitors in turn, failures. All
// benches make their results here. `node scripts/bench/support/record-demo.ts` makes a new recording.
import { readFileSync } from 'node:fs'

export const PHASES = ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'transfer_ms'] as const
export type Phase = (typeof PHASES)[number]

/** One recorded run, without its check and its time. */
export interface RecordedRun {
  success: boolean
  http_status: number
  latency_ms: number
  /** Error of the run. Empty if the run succeeded. */
  error: string
  response_sample: string
  /** Duration of each phase. Null for a phase that the run did not reach. */
  timings: Readonly<Record<Phase, number | null>>
  has_certificate: boolean
  /** Time from the slot of the run to its start, in milliseconds. */
  late_ms: number
}

export interface Recording {
  monitors: number
  texts: string[]
  checks: { name: string; has_certificate: boolean; runs: number[][] }[]
}

/** One result in this many fails, as in the results that were recorded. */
export const ONE_FAILS_OF = 100
/** Default maximum length of the detail of a result, in characters. */
const DETAIL_CHARS = 256
/** Maximum lateness of a recorded run, in milliseconds. A run that began later was held up by the machine that recorded it. */
const LATE_MAX_MS = 60

const recording = JSON.parse(readFileSync(new URL('recording.gen.json', import.meta.url), 'utf8')) as Recording
const failures = recording.checks.flatMap((check) => runsIn(check).filter(({ success }) => !success))
const checks = recording.checks
  .map((check) => {
    const runs = runsIn(check)
    const failed = runs.filter(({ success }) => !success)
    return { well: runs.filter(({ success }) => success), failed: failed.length > 0 ? failed : failures }
  })
  // Leaves out a check that never succeeded in the recording.
  .filter(({ well }) => well.length > 0)

/** Number of different checks in the recording, and the largest number of successful runs of one check. */
export const RECORDED = { checks: checks.length, runs: Math.max(...checks.map(({ well }) => well.length)) }

/**
 * Returns the recorded run for the numbers of a check and a run. Every check behaves like one of the recorded checks. If that one
 * never failed, its failures are those of another.
 */
export function runOf(check: number, run: number, success = true): RecordedRun {
  const { well, failed } = checks[check % checks.length] as (typeof checks)[number]
  const runs = success ? well : failed
  return runs[(run + Math.floor(check / checks.length) * 7) % runs.length] as RecordedRun
}

const DAY_MS = 86_400_000

/** Returns the expiry of a check's certificate, which is the same for all runs. Returns null for a run without a certificate. */
export function certificateEndOf(check: number, run: Pick<RecordedRun, 'has_certificate'>): string | null {
  if (!run.has_certificate) return null
  return new Date(CERTIFICATES_FROM + (check % 60) * DAY_MS + (check % 86_400) * 1000).toISOString()
}

const CERTIFICATES_FROM = Math.floor(Date.now() / DAY_MS) * DAY_MS + 30 * DAY_MS

function runsIn({ runs, has_certificate }: Recording['checks'][number]): RecordedRun[] {
  return runs.map((row) => {
    const [, late_ms = 0, success, http_status = 0, latency_ms = 0, error = 0, sample = 0, ...phases] = row
    return {
      success: success === 1,
      ...{ http_status, latency_ms, has_certificate },
      error: cut(recording.texts[error] ?? ''),
      response_sample: cut(recording.texts[sample] ?? ''),
      timings: Object.fromEntries(
        PHASES.map((name, place) => [name, (phases[place] ?? -1) < 0 ? null : phases[place]]),
      ) as RecordedRun['timings'],
      late_ms: Math.min(late_ms, LATE_MAX_MS),
    }
  })
}

function cut(text: string): string {
  return text.slice(0, DETAIL_CHARS)
}

/** Returns the fields of a run as an agent uploads them, without empty ones. */
export function toldOf(check: number, run: number, success: boolean): object {
  const { http_status, latency_ms, error, response_sample, ...more } = runOf(check, run, success)
  const timings = Object.entries(more.timings).filter(([, ms]) => ms !== null)
  const cert_expires_at = certificateEndOf(check, { has_certificate: more.has_certificate })
  return {
    ...{ success, http_status, latency_ms },
    ...(error !== '' && { error }),
    ...(response_sample !== '' && { response_sample }),
    ...(timings.length > 0 && { timings: Object.fromEntries(timings) }),
    ...(cert_expires_at !== null && { cert_expires_at }),
  }
}
