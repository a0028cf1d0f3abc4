// A result as it is sent: cut to its size, and without anything private.
import type { Check, Result } from '@dogwatch/monitor-sdk'
import type { RunResult } from './run-result.ts'
import { timingsOf } from './timings.ts'

/** Whatever a check allows, a result must fit in a request. */
const DETAIL_MAX_CHARS = 32_768

export interface Run {
  check: Check
  /** The check's content never leaves this machine: only the kind of failure is sent. */
  isPrivate: boolean
  /** RFC 3339, as `Stamps` makes it. */
  ran_at: string
  result: RunResult
  /** How many runs failed before this one; undefined where failures are not repeated. */
  retries?: number
}

export function resultOf({ check, isPrivate, ran_at, result, retries }: Run): Result {
  const max = Math.min(check.result_detail_max_chars, DETAIL_MAX_CHARS)
  const error = isPrivate && !result.success ? result.kind : result.error
  const latency_ms = Math.max(0, Math.round(result.latency_ms))
  const timings = timingsOf(result.phases, latency_ms)
  const cert_expires_at = expiryOf(check, result)
  return {
    check_guid: check.guid,
    // The server puts in its own.
    monitor_id: '',
    ran_at,
    success: result.success,
    http_status: result.http_status,
    latency_ms,
    ...detail('error', result.success ? '' : error, max),
    ...detail('response_sample', isPrivate ? '' : sampleOf(result, max), max),
    ...(timings && { timings }),
    ...(cert_expires_at && { cert_expires_at: isPrivate ? dayOf(cert_expires_at) : cert_expires_at }),
    ...(retries !== undefined && { retries }),
  }
}

/** Of a check that is about a certificate. Someone who asks for a run of another one sees certificates, too. */
function expiryOf({ url }: Check, { certificate_ends }: RunResult): string | undefined {
  return /^(https|tls):/i.test(url) ? certificate_ends?.toISOString() : undefined
}

/** Every public certificate is in logs that can be searched. Many end on the same day. */
function dayOf(time: string): string {
  return `${time.slice(0, time.indexOf('T'))}T00:00:00.000Z`
}

/** The beginning of what came, and behind it what there is to say about a success: its error is empty by contract. */
function sampleOf({ response_sample, note }: RunResult, max: number): string {
  const said = note === undefined ? '' : ` [${note}]`
  return said.length > max ? response_sample : firstChars(response_sample, max - said.length) + said
}

/** What may be sent of a result once its check has become private. */
export function withoutDetail({ error, response_sample: _, ...result }: Result): Result {
  const { cert_expires_at: ends } = result
  return {
    ...result,
    // The kind comes first.
    ...(error !== undefined && { error: error.replace(/:.*$/s, '') }),
    ...(ends !== undefined && { cert_expires_at: dayOf(ends) }),
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
