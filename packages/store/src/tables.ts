// Declares, for Kysely, the tables and columns that its query builder uses. `schema.sql` has all of them. Timestamps are text here:
// see database.ts.
import type { CheckFields, FieldName } from '@dogwatch/check-rules/fields'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { IncidentTables } from './incident-tables.ts'
import type { LinkTables } from './link-tables.ts'
import type { ResultTables } from './results/tables.ts'

/** Columns for the fields that people set on a check. */
type CheckColumns = {
  [Name in FieldName]: CheckFields[Name] extends readonly string[]
    ? Generated<CheckFields[Name]>
    : CheckFields[Name] extends object
      ? JSONColumnType<CheckFields[Name]>
      : CheckFields[Name]
}

export interface Tables extends ResultTables, IncidentTables, LinkTables {
  people: {
    person_id: Generated<number>
    email: string
    password_hash: string | null
    is_admin: Generated<boolean>
    disabled_at: string | null
    created_at: Generated<string>
    email_proved_at: string | null
    claimed_at: string | null
    time_zone: string | null
    hour_clock: number | null
  }
  organisations: {
    org_id: Generated<number>
    name: string
    plan: string
    status_page_enabled: Generated<boolean>
    custom_limits: JSONColumnType<object> | null
    custom_price_cents: number | null
    custom_price_period: string | null
    created_at: Generated<string>
    suspended_at: string | null
    delete_at: string | null
    max_monitors: number | null
    first_steps_hidden_at: string | null
    requires_second_factor: Generated<boolean>
  }
  memberships: {
    org_id: number
    person_id: number
    is_owner: Generated<boolean>
    role: Generated<string>
    joined_at: Generated<string>
    weekly_report: Generated<boolean>
  }
  channel_confirmations: {
    token_hash: Buffer
    org_id: number
    channel_id: number
    email: string
    expires_at: string
  }
  enrollment_tokens: {
    token_hash: Buffer
    org_id: number | null
    created_at: string
    expires_at: string
    revoked_at: string | null
    created_by: number | null
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
    offline_since: string | null
    watched_since: string | null
    clock_offset_ms: number | null
    clock_far_ms: number | null
    clock_behind_since: string | null
    catching_up: Generated<boolean>
    enrolled_by: number | null
    enrolled_with: Buffer | null
    retired_at: string | null
    abilities: Generated<string[]>
    abilities_at: string | null
  }
  checks: CheckColumns & {
    org_id: number
    check_id: Generated<number>
    guid: string
    deleted: Generated<boolean>
    all_monitors: Generated<boolean>
    key: Generated<string | null>
    needs: string[] | null
    judged_by_server: Generated<boolean>
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
    org_id: number
    check_id: number
    active: boolean
    unable: Generated<boolean>
  }
  degradations: {
    org_id: number
    degradation_id: string
    check_id: number
    kind: string
    began_at: string
    ended_at: Generated<string | null>
    reason: string
    end_reason: Generated<string | null>
    cert_expires_at: Generated<string | null>
    warn_days: Generated<number | null>
  }
  personal_access_tokens: {
    token_id: Generated<number>
    token_hash: Buffer
    org_id: number
    person_id: number
    created_at: Generated<string>
    revoked_at: string | null
    name: Generated<string>
  }
  heartbeats: {
    org_id: number
    heartbeat_id: Generated<number>
    guid: string
    name: string
    interval_sec: number
    grace_sec: number
    resend_interval_sec: number
    tags: Generated<readonly string[]>
    show_on_status_page: boolean
    enabled: Generated<boolean>
    platform_enabled: Generated<boolean>
    state: Generated<string>
    down_since: string | null
    last_heartbeat_at: string | null
    created_at: Generated<string>
    due_at: string | null
    cron: string | null
    cron_zone: string | null
    key: Generated<string | null>
  }
  heartbeat_keys: {
    guid: string
    token: string
    org_id: number
    heartbeat_id: number
    created_by: number | null
  }
  pings: {
    org_id: number
    heartbeat_id: number
    n: number
    created_at: string
    kind: 'beat' | 'start' | 'fail' | 'log' | 'exit_code'
    exit_code: number | null
    rid: string | null
    duration_ms: number | null
    body: string | null
  }
  status_pages: {
    org_id: number
    slug: string
    title: string
    description: string
  }
  status_page_entries: {
    org_id: number
    position: number
    public_name: string
    check_id: number | null
    heartbeat_id: number | null
  }
  notification_channels: {
    org_id: number
    id: Generated<number>
    name: string
    kind: string
    enabled: Generated<boolean>
    destination: Record<string, string>
    email: string
    created_at: Generated<string>
    created_by: number | null
    confirmed_at: string | null
    confirm_by: string | null
    asked_at: string | null
    gone_at: string | null
    gone_mail_at: string | null
    key: Generated<string | null>
  }
  asked_runs: {
    org_id: number
    run_id: string
    monitor_id: string
    check_id: number | null
    definition: ColumnType<object | null, string | null, string | null>
    asked_by: number
    asked_at: string
    handed_at: Generated<string | null>
    report: ColumnType<object | null, string | null | undefined, string | null>
    reported_at: Generated<string | null>
  }
  check_states: {
    org_id: number
    check_id: number
    wipe_until: Generated<string | null>
  }
  arrival_horizon: {
    announced: string
    settled: string
    waits_for: string[] | null
  }
  events: {
    org_id: number
    event_id: string
    type: string
    created_at: string
    subject: string
    check_id: number | null
    incident_id: string | null
    data: JSONColumnType<Record<string, unknown>>
    sequence: Generated<number | null>
  }
  deliveries: {
    org_id: number
    delivery_id: Generated<number>
    channel_id: number
    subject: string
    state: Generated<string>
    next_attempt_at: string | null
  }
  planned_alerts: {
    org_id: number
    event_id: string
    channel_id: number
    subject: string
    incident_id: string | null
    step: Generated<number>
    severity: string | null
    due_at: string
    held_by: string
    held_until: string | null
    created_at: string
  }
  alert_routes: {
    org_id: number
    route_id: Generated<number>
    guid: string
    name: string
    position: number
    scope: JSONColumnType<object>
    events: string[]
    severity: string | null
    quiet: JSONColumnType<object> | null
    delay_sec: number
    steps: JSONColumnType<object[]>
    enabled: boolean
    created_at: string
    key: Generated<string | null>
  }
  sessions: {
    session_hash: Buffer
    person_id: number
    org_id: number | null
    impersonator_id: number | null
    created_at: string
    last_used_at: string
    expires_at: string
    has_second_factor: Generated<boolean>
    address: string | null
    user_agent: string | null
  }
  invitations: {
    org_id: number
    invitation_id: Generated<number>
    token_hash: Buffer
    email: string
    invited_by: number
    created_at: string
    expires_at: string
    role: Generated<string>
  }
  audit_entries: {
    org_id: number
    entry_id: Generated<number>
    created_at: string
    actor: string
    impersonator: string | null
    action: string
    subject: string
    check_id: number | null
    detail: JSONColumnType<Record<string, unknown>>
    summary_of: string | null
    times: number | null
    last_at: string | null
  }
  retention: {
    org_id: number
    days: number | null
    shorter_since: string | null
    due_at: string
    edge: string | null
    confirmed_until: string | null
    held_since: string | null
    held_share: number | null
  }
  service_presence: {
    alive_at: string
    judged_at: string | null
    set_back_to: string | null
  }
  processes: {
    alive_at: string | null
    public_url: Generated<string | null>
  }
  refused_pings: {
    org_id: number
    heartbeat_id: number
    refused_at: string
  }
  service_outages: {
    began_at: string
    ended_at: string
  }
  maintenance_windows: {
    org_id: number
    window_id: Generated<number>
    guid: string
    name: string
    scope: JSONColumnType<object>
    starts_at: string
    duration_sec: number
    zone: string
    rule: string | null
    is_public: boolean
    spread_until: string
    created_at: string
    key: Generated<string | null>
    next_at: Generated<string | null>
  }
  configuration_tokens: {
    token_id: Generated<number>
    token_hash: Buffer
    org_id: number
    person_id: number
    name: string
    scopes: string[]
    address_range: string | null
    created_at: string
    expires_at: string | null
    revoked_at: string | null
    last_used_at: string | null
    last_used_from: string | null
  }
  repeatable_answers: {
    org_id: number
    token_id: number
    idempotency_key: string
    request_hash: Buffer
    status: number
    headers: JSONColumnType<Record<string, string>>
    body: string
    created_at: string
  }
}
