// A check as the account API and the import file have it. The only place that knows these shapes.
import type { components } from '@dogwatch/contract/account'
import type { CheckContent } from '../../domain/checks/check.ts'

type AccountCheck = components['schemas']['Check']

/** Optional fields that are 0, false or empty are absent. */
export function toAccountCheck(check: CheckContent & { guid: string }): AccountCheck {
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
