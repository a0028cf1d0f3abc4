// Decides whether a check is degraded: pure functions of its stored results, in whatever order they arrived. Degraded time does
// not count as downtime.
import type { DegradedCase } from '@dogwatch/store/checks/degradations'
import { type Health, type Judgement, judge } from './health.ts'
import type { Rules } from './places.ts'

/** A success and how long it took. Failures say nothing about speed. */
export interface Speed {
  /** Time of the run by the server's clock. UTC with six digits, so that it sorts as text. */
  at: string
  monitor_id: string
  latency_ms: number
}

/** Rules for a check's speed. `over_ms`: maximum latency of a success that is not slow, in milliseconds. */
type SpeedRules = Rules & { over_ms: number }

/**
 * Judges a check's speed by the rule for down, with slow successes as failures: degraded from `threshold` slow ones in a row
 * until the next one that is not slow. `speeds`: successes, newest first.
 */
export function judgeSpeed(
  state: Health,
  speeds: readonly Speed[],
  { over_ms, ...rules }: SpeedRules,
  now: Date,
  isWhole = false,
): Judgement {
  const judged = speeds.map(({ at, monitor_id, latency_ms }) => ({ at, monitor_id, success: latency_ms <= over_ms }))
  return judge(state, judged, rules, now, isWhole)
}

/** A result that says when the target's certificate expires. */
export interface Certificate {
  at: string
  monitor_id: string
  cert_expires_at: string
}

/**
 * Returns the certificate that counts: of the newest that each monitor saw, the one that expires first. Ignores those seen more
 * than `gap_ms` before the newest result. `seen` is newest first.
 */
export function certificateOf<One extends Certificate>(seen: readonly One[], gap_ms: number): One | undefined {
  const [newest] = seen
  if (!newest) return undefined
  const edge_ms = Date.parse(newest.at) - gap_ms
  const newestOf = new Map<string, One>()
  for (const one of seen) {
    if (Date.parse(one.at) < edge_ms) break
    if (!newestOf.has(one.monitor_id)) newestOf.set(one.monitor_id, one)
  }
  return [...newestOf.values()].reduce((first, one) => (one.cert_expires_at < first.cert_expires_at ? one : first))
}

const DAY_MS = 86_400_000

/** Whether a certificate had less than `warn_sec` left when a monitor saw it. */
function endsSoon({ at, cert_expires_at }: Certificate, warn_sec: number): boolean {
  return Date.parse(cert_expires_at) - Date.parse(at) < warn_sec * 1000
}

/** Returns how many whole days a certificate had left when a monitor saw it. Less than 0 once it has expired. */
export function daysLeft({ at, cert_expires_at }: Pick<Certificate, 'at' | 'cert_expires_at'>): number {
  return Math.floor((Date.parse(cert_expires_at) - Date.parse(at)) / DAY_MS)
}

type CertificateChange = 'none' | 'begin' | 'replace' | 'end' | 'rules'

/** Returns the change that follows from the certificate that counts. Returns `none` if no certificate is known. */
export function judgeCertificate(
  {
    open_expires_at,
    open_warn_days,
    cert_warn_days: warn_days,
    cert_warn_sec,
  }: Pick<DegradedCase, 'open_expires_at' | 'open_warn_days' | 'cert_warn_days' | 'cert_warn_sec'>,
  found: Certificate | undefined,
): CertificateChange {
  if (!found) return 'none'
  if (!endsSoon(found, cert_warn_sec)) {
    if (open_expires_at === null) return 'none'
    return found.cert_expires_at === open_expires_at ? 'rules' : 'end'
  }
  if (open_expires_at === null) return 'begin'
  return found.cert_expires_at === open_expires_at && warn_days === open_warn_days ? 'none' : 'replace'
}
