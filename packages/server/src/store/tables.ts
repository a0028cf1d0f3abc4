// The columns, as kysely sees them. Timestamps are text here: see database.ts.
import type { Generated, JSONColumnType } from 'kysely'

export interface Tables {
  people: {
    person_id: Generated<number>
    email: string
    password_hash: string | null
    is_admin: Generated<boolean>
    disabled_at: string | null
    created_at: Generated<string>
  }
  organisations: {
    org_id: Generated<number>
    name: string
    plan: string
    status_page_enabled: Generated<boolean>
    created_at: Generated<string>
  }
  members: {
    org_id: number
    person_id: number
    is_owner: Generated<boolean>
    joined_at: Generated<string>
  }
  enrollment_tokens: {
    token_hash: Buffer
    org_id: number | null
    created_at: string
    expires_at: string
    revoked_at: string | null
  }
  monitors: {
    id: string
    org_id: number | null
    name: string
    region: string
    country: string
    city: string
    key_hash: Buffer | null
    enabled: Generated<boolean>
    platform_enabled: Generated<boolean>
    enrolled_at: string
    last_seen_at: string | null
    version: string | null
    uptime_sec: number | null
    unsent_results: number | null
    last_outage_sec: number | null
    last_outage_ended_at: string | null
    reported_at: string | null
  }
  checks: {
    org_id: number
    check_id: Generated<number>
    guid: string
    name: string
    url: string
    enabled: boolean
    deleted: Generated<boolean>
    restricted: boolean
    all_monitors: Generated<boolean>
    interval_sec: number
    timeout_sec: number
    disable_redirects: boolean
    insecure_skip_verify: boolean
    headers: JSONColumnType<Record<string, string>>
    post_data: string
    match_string: string
    match_mode: string
    status_code_op: string
    status_code_value: number
    cert_expiry_warn_days: number
    max_response_time_ms: number
    invert_result: boolean
    result_detail_max_chars: number
    down_interval_sec: number
    resend_interval_sec: number
    created_at: Generated<string>
    updated_at: Generated<string>
  }
  check_guids: {
    guid: string
    org_id: number
    check_id: number
  }
  assignments: {
    monitor_id: string
    guid: string
    org_id: number
    check_id: number
    active: boolean
    result_detail_max_chars: number
    updated_at: Generated<string>
  }
  results: {
    org_id: number
    check_id: number
    ran_at: string
    latency_ms: number
    http_status: number
    success: boolean
    monitor_id: string
    error: string | null
    response_sample: string | null
  }
  personal_access_tokens: {
    token_id: Generated<number>
    token_hash: Buffer
    org_id: number
    person_id: number
    created_at: Generated<string>
    revoked_at: string | null
  }
  heartbeats: {
    org_id: number
    heartbeat_id: Generated<number>
    guid: string
    name: string
    interval_sec: number
    grace_sec: number
    resend_interval_sec: number
    show_on_status_page: boolean
    enabled: Generated<boolean>
    platform_enabled: Generated<boolean>
    state: Generated<string>
    down_since: string | null
    last_heartbeat_at: string | null
    created_at: Generated<string>
  }
  heartbeat_keys: {
    guid: string
    token: string
    org_id: number
    heartbeat_id: number
  }
  notification_channels: {
    org_id: number
    id: Generated<number>
    name: string
    kind: string
    enabled: Generated<boolean>
    ntfy_topic: string
    email: string
    webhook_url: string
    webhook_secret: string
    created_at: Generated<string>
  }
  sync_clock: {
    is_the_one: Generated<boolean>
    t: string
    changed_at: string
  }
  rate_limits: {
    key: string
    tat: string
  }
}
