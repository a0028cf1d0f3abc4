// Checks as a monitor sees them. The only place that knows these shapes.
import type { components } from '@dogwatch/contract/monitor'
import type { Answer, SyncRow } from '../../domain/checks/sync.ts'
import type { MonitorClass } from '../../domain/monitors/monitor.ts'

type SyncCheck = components['schemas']['Check']
type ChecksResponse = components['schemas']['ChecksResponse']

/** Without `now`, agents keep the time they have. */
export function toChecksResponse({ rows, server_time, now }: Answer, monitor_class: MonitorClass): ChecksResponse {
  return { checks: rows.map(toSyncCheck), server_time, class: monitor_class, ...(now !== undefined && { now }) }
}

/** Optional fields that are 0, false or empty are absent; a check that is no longer this monitor's is a blank tombstone. */
export function toSyncCheck(row: SyncRow): SyncCheck {
  const { guid, interval_sec, result_detail_max_chars, updated_at } = row
  if (!row.active) {
    const blank = { name: '', url: '', enabled: false, match_string: '' }
    return { guid, ...blank, deleted: true, interval_sec, result_detail_max_chars, updated_at }
  }
  const { name, url, enabled, match_string, monitor_count, monitor_rank } = row
  return {
    guid,
    name,
    url,
    enabled,
    deleted: false,
    interval_sec,
    match_string,
    result_detail_max_chars,
    updated_at,
    ...(monitor_rank !== null && { monitor_count, monitor_rank }),
    ...(row.timeout_sec && { timeout_sec: row.timeout_sec }),
    ...(row.disable_redirects && { disable_redirects: true }),
    ...(row.insecure_skip_verify && { insecure_skip_verify: true }),
    ...(Object.keys(row.headers).length > 0 && { headers: row.headers }),
    ...(row.post_data && { post_data: row.post_data }),
    ...(row.match_mode && { match_mode: row.match_mode }),
    ...(row.status_code_op && { status_code_op: row.status_code_op, status_code_value: row.status_code_value }),
    ...(row.cert_expiry_warn_days && { cert_expiry_warn_days: row.cert_expiry_warn_days }),
    ...(row.max_response_time_ms && { max_response_time_ms: row.max_response_time_ms }),
    ...(row.invert_result && { invert_result: true }),
    ...(row.down_interval_sec && { down_interval_sec: row.down_interval_sec }),
    ...(row.resend_interval_sec && { resend_interval_sec: row.resend_interval_sec }),
  }
}
