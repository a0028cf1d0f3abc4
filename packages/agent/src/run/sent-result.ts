// Builds the result of a run for the upload: limited in size, and without private content.
import { readTarget, usesTls } from '@dogwatch/check-rules/target'
import type { Check, Result } from '@dogwatch/monitor-sdk'
import type { RunResult } from './run-result.ts'
import { timingsOf } from './timings.ts'

/** Maximum length of a detail, whatever a check allows, because a result must fit in a request. */
const DETAIL_MAX_CHARS = 32_768

export interface Run {
  check: Check
  /** Whether the definition is private. Then, only the kind of a failure may be sent. */
  isPrivate: boolean
  /** Time of the run as RFC 3339, from `Stamps`. */
  ran_at: string
  result: RunResult
  /** Number of failed runs before this one. Absent if failures are not repeated. */
  retries?: number
}

export function resultOf({ check, isPrivate, ran_at, result, retries }: Run): Result {
  const max = Math.min(check.result_detail_max_chars, DETAIL_MAX_CHARS)
  const error = isPrivate && !result.success ? privateError(result) : result.error
  const latency_ms = Math.max(0, Math.round(result.latency_ms))
  const timings = timingsOf(result.phases, latency_ms)
  const [cert_expires_at, cert_issued_at] = validityOf(check, result).map((time) => (isPrivate ? dayOf(time) : time))
  return {
    check_guid: check.guid,
    // The server fills in the id of the monitor.
    monitor_id: '',
    ran_at,
    success: result.success,
    http_status: result.http_status,
    latency_ms,
    ...detail('error', result.success ? '' : error, max),
    ...detail('response_sample', isPrivate ? '' : sampleOf(result, max), max),
    ...(timings && { timings }),
    ...(cert_expires_at && { cert_expires_at }),
    ...(cert_issued_at && { cert_issued_at }),
    ...(retries !== undefined && { retries }),
  }
}

/** Returns the reason for a failure of a private definition, which contains nothing of the definition or the response. */
function privateError({ kind, rule }: RunResult): string {
  return rule === undefined ? kind : `${kind}: rule ${rule}`
}

/**
 * Returns the expiry of the certificate for a check of a certificate, and its start if the check warns by its lifetime. A
 * requested run of another check reads certificates, too.
 */
function validityOf(
  { url, cert_warn_percent = 0 }: Check,
  { certificate_ends, certificate_begins }: RunResult,
): string[] {
  const target = readTarget(url)
  if (!certificate_ends || 'fault' in target || !usesTls(target)) return []
  const begins = cert_warn_percent > 0 && certificate_begins ? [certificate_begins] : []
  return [certificate_ends, ...begins].map((time) => time.toISOString())
}

/**
 * Rounds an expiry down to its day. With the exact time, anyone could find the certificate in public certificate logs, while many
 * certificates expire on the same day.
 */
function dayOf(time: string): string {
  return `${time.slice(0, time.indexOf('T'))}T00:00:00.000Z`
}

/**
 * Returns the sample of the content, followed by the note about a success, because a result that is a success must not have an
 * error.
 */
function sampleOf({ response_sample, note }: RunResult, max: number): string {
  const said = note === undefined ? '' : ` [${note}]`
  return said.length > max ? response_sample : firstChars(response_sample, max - said.length) + said
}

/** Removes from a stored result the details that must not be sent after its check has become private. */
export function withoutDetail({ error, response_sample: _, ...result }: Result): Result {
  const { cert_expires_at: ends } = result
  return {
    ...result,
    // The part of the error before the colon is its kind, which may be sent.
    ...(error !== undefined && { error: error.replace(/:.*$/s, '') }),
    ...(ends !== undefined && { cert_expires_at: dayOf(ends) }),
  }
}

function detail<Name extends string>(name: Name, text: string, max: number): { [key in Name]?: string } {
  const cut = firstChars(text, max)
  return (cut === '' ? {} : { [name]: cut }) as { [key in Name]?: string }
}

/** Returns the first `max` Unicode characters, without cutting one in half. */
export function firstChars(text: string, max: number): string {
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('')
}
