// What a finding becomes when it is sent: turned around if the check says so, cut to its size, silent about what is private.
import type { Check, Result } from '@dogwatch/monitor-sdk'
import type { Finding, Kind } from './run-check.ts'

/** Whatever a check allows, a result must fit in a request. */
const DETAIL_MAX_CHARS = 32_768

/** These are no finding about the target, so there is nothing to turn around. */
const NOT_THE_TARGET: ReadonlySet<Kind> = new Set(['config', 'blocked'])

/** The verdict of a check in upside-down mode. */
export function inverted(finding: Finding): Finding {
  if (finding.success) return { ...finding, success: false, kind: 'inverted', error: 'inverted: the target is healthy' }
  return NOT_THE_TARGET.has(finding.kind) ? finding : { ...finding, success: true, kind: 'ok', error: '' }
}

export interface Run {
  check: Check
  /** The check's content never leaves this machine: what was found is told by its kind alone. */
  isPrivate: boolean
  ran_at: number
  finding: Finding
}

export function resultOf({ check, isPrivate, ran_at, finding }: Run): Result {
  const max = Math.min(check.result_detail_max_chars, DETAIL_MAX_CHARS)
  const error = isPrivate && !finding.success ? finding.kind : finding.error
  return {
    check_guid: check.guid,
    // The server puts in its own.
    monitor_id: '',
    ran_at: new Date(ran_at).toISOString(),
    success: finding.success,
    http_status: finding.http_status,
    latency_ms: Math.max(0, Math.round(finding.latency_ms)),
    ...detail('error', finding.success ? '' : error, max),
    ...detail('response_sample', isPrivate ? '' : finding.response_sample, max),
  }
}

function detail<Name extends string>(name: Name, text: string, max: number): { [key in Name]?: string } {
  const cut = firstChars(text, max)
  return (cut === '' ? {} : { [name]: cut }) as { [key in Name]?: string }
}

/** The first `max` characters as Unicode counts them: none is cut in half. */
export function firstChars(text: string, max: number): string {
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('')
}
