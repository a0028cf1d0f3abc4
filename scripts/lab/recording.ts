// What our own agents upload, from a recording of the demo: samples, phases, certificates, monitors in turn, failures. All
// benches make their results here. `node scripts/bench/support/record-demo.ts` makes a new recording.
import { readFileSync } from 'node:fs'

export const PHASES = ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'transfer_ms'] as const
export type Phase = (typeof PHASES)[number]

/** One run, without its check and its time. */
export interface RecordedRun {
  success: boolean
  http_status: number
  latency_ms: number
  /** Empty if there is none. */
  error: string
  response_sample: string
  /** Null for a phase that the run did not come to. */
  timings: Readonly<Record<Phase, number | null>>
  has_certificate: boolean
  /** How long after its turn it began. */
  late_ms: number
}

export interface Recording {
  monitors: number
  texts: string[]
  checks: { name: string; has_certificate: boolean; runs: number[][] }[]
}

/** One result of so many fails, as in the recording's source: nearly all are successes. */
export const ONE_FAILS_OF = 100
/** Default length of the detail of a result. */
const DETAIL_CHARS = 256
/** Started so late after its turn, a run was held up by the machine that recorded. */
const LATE_MAX_MS = 60

const recording = JSON.parse(readFileSync(new URL('recording.gen.json', import.meta.url), 'utf8')) as Recording
const failures = recording.checks.flatMap((check) => runsIn(check).filter(({ success }) => !success))
const checks = recording.checks
  .map((check) => {
    const runs = runsIn(check)
    const failed = runs.filter(({ success }) => !success)
    return { well: runs.filter(({ success }) => success), failed: failed.length > 0 ? failed : failures }
  })
  // One whose rules it never met is of no use here.
  .filter(({ well }) => well.length > 0)

/** How many different checks were recorded, and of how many runs at most. */
export const RECORDED = { checks: checks.length, runs: Math.max(...checks.map(({ well }) => well.length)) }

/** Returns a run of a check by their numbers. Every check behaves like a recorded one, and fails like it or like another one. */
export function runOf(check: number, run: number, success = true): RecordedRun {
  const { well, failed } = checks[check % checks.length] as (typeof checks)[number]
  const runs = success ? well : failed
  return runs[(run + Math.floor(check / checks.length) * 7) % runs.length] as RecordedRun
}

const DAY_MS = 86_400_000

/** Returns the end of the certificate of a check, which is the same for all runs, or null. */
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

/** Returns the fields that an agent sends about a run, without empty ones. */
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
