// The file in which checks come and go: the account API's shape of them, in an array.
import { DomainError } from '../errors.ts'
import { type CheckContent, readForm } from './check.ts'
import { PatternBudget } from './patterns.ts'

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** More than any plan allows, and few enough to be read at once. */
const MAX_ENTRIES = 10_000

export interface Entry {
  /** As given; undefined when the file leaves it to us. */
  guid: string | undefined
  content: CheckContent
}

/**
 * Reads a file that was parsed. A fault names the entry and the field. Nothing is compiled: patterns are bounded, each and
 * all together, and `requirePatterns` is to follow once the plan allows the file.
 */
export function readEntries(file: unknown): Entry[] {
  if (!Array.isArray(file)) throw new DomainError('invalid', 'the file must hold an array of checks')
  if (file.length > MAX_ENTRIES) throw new DomainError('invalid', `the file must hold at most ${MAX_ENTRIES} checks`)
  const budget = new PatternBudget()
  const entries = file.map((entry: unknown, index): Entry => {
    const content = readForm(`[${index}]`, entry)
    budget.spend(content)
    const guid = (entry as { guid?: unknown }).guid ?? ''
    if (guid !== '' && !(typeof guid === 'string' && GUID.test(guid))) {
      throw new DomainError('invalid', `[${index}].guid must be a lower-case uuid`)
    }
    return { guid: guid === '' ? undefined : guid, content }
  })
  const seen = new Set<string>()
  for (const [index, { guid }] of entries.entries()) {
    if (guid !== undefined && seen.has(guid)) throw new DomainError('invalid', `[${index}].guid must not come twice`)
    if (guid !== undefined) seen.add(guid)
  }
  return entries
}

type Always = 'name' | 'url' | 'enabled' | 'restricted' | 'interval_sec' | 'match_string' | 'result_detail_max_chars'

/** A check as it stands in a file: optional fields that are 0, false or empty are left out. */
export type FileCheck = Pick<CheckContent, Always> & Partial<CheckContent> & { guid: string }

export function toFileCheck(check: CheckContent & { guid: string }): FileCheck {
  const { guid, name, url, enabled, restricted, interval_sec, match_string, result_detail_max_chars } = check
  return {
    guid,
    name,
    url,
    enabled,
    restricted,
    interval_sec,
    match_string,
    result_detail_max_chars,
    ...(check.timeout_sec && { timeout_sec: check.timeout_sec }),
    ...(check.disable_redirects && { disable_redirects: true }),
    ...(check.insecure_skip_verify && { insecure_skip_verify: true }),
    ...(Object.keys(check.headers).length > 0 && { headers: check.headers }),
    ...(check.post_data && { post_data: check.post_data }),
    ...(check.match_mode && { match_mode: check.match_mode }),
    ...(check.status_code_op && { status_code_op: check.status_code_op, status_code_value: check.status_code_value }),
    ...(check.cert_expiry_warn_days && { cert_expiry_warn_days: check.cert_expiry_warn_days }),
    ...(check.max_response_time_ms && { max_response_time_ms: check.max_response_time_ms }),
    ...(check.invert_result && { invert_result: true }),
    ...(check.down_interval_sec && { down_interval_sec: check.down_interval_sec }),
    ...(check.resend_interval_sec && { resend_interval_sec: check.resend_interval_sec }),
  }
}
