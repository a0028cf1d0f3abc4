// Converts data to the shapes of the account API, with its capitalised field names. Only this file knows these names.

import { wholeDestination } from '@dogwatch/channels/destination'
import type { FieldName } from '@dogwatch/check-rules/fields'
import { type components, document } from '@dogwatch/contract/account'
import type { readChannels } from '@dogwatch/domain/channels/edit'
import type { CheckFields } from '@dogwatch/domain/checks/check'
import { toFileCheck } from '@dogwatch/domain/checks/file'
import type { readResults } from '@dogwatch/domain/checks/read'
import type { StateSince } from '@dogwatch/domain/checks/state'
import type { ExportHeader } from '@dogwatch/domain/export'
import type { readHeartbeats } from '@dogwatch/domain/heartbeats/read'
import type { readVisibleMonitors } from '@dogwatch/domain/monitors/read'
import type { OrgSettings } from '@dogwatch/domain/organisations/entitlements'
import type { readMembers } from '@dogwatch/domain/organisations/members'
import { lazyList } from '@dogwatch/runtime/json-pieces'
import { fromDate } from '@dogwatch/runtime/timestamps'

type AccountSchemas = components['schemas']
/** Fields of two schemas in the document, because kinds of channels can add fields to both. */
const { NotificationChannel, Entitlements } = (
  document.components as { schemas: Record<string, { properties: object }> }
).schemas
const CHANNEL = NotificationChannel?.properties ?? {}
const ENTITLEMENTS = Entitlements?.properties ?? {}
type AccountCheck = AccountSchemas['Check']
/** Type that does not compile if the document lacks a field of a check. */
type AccountContent = Pick<AccountCheck, FieldName | 'guid'>
export type AccountExport = AccountSchemas['AccountExport']

type RowOf<Read extends (...args: never[]) => Promise<unknown[]>> = Awaited<ReturnType<Read>>[number]

/** Converts a check. `current` is its state for the API. Absent in a file of checks, which contains definitions only. */
export function toAccountCheck(check: CheckFields & { guid: string }, current?: StateSince): AccountCheck {
  const content: AccountContent = toFileCheck(check)
  return {
    ...content,
    ...(current && { state: current.state, ...(current.since !== null && { state_since: current.since }) }),
  }
}

export function toResult(row: RowOf<typeof readResults>): AccountSchemas['Result'] {
  const { ran_at, monitor_id, success, latency_ms } = row
  return {
    ran_at,
    monitor_id,
    ...(row.monitor_name && { monitor_name: row.monitor_name }),
    success,
    latency_ms,
    ...(row.http_status && { http_status: row.http_status }),
    ...(row.error && { error: row.error }),
    ...(row.response_sample && { response_sample: row.response_sample }),
    ...timingsOf(row),
    ...(row.cert_expires_at !== null && { cert_expires_at: row.cert_expires_at }),
    ...(row.retries !== null && { retries: row.retries }),
  }
}

function timingsOf(row: RowOf<typeof readResults>): Pick<AccountSchemas['Result'], 'timings'> | undefined {
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms } = row
  if (connect_ms === null && dns_ms === null && first_byte_ms === null && transfer_ms === null && tls_ms === null)
    return
  return {
    timings: {
      ...(dns_ms !== null && { dns_ms }),
      ...(connect_ms !== null && { connect_ms }),
      ...(tls_ms !== null && { tls_ms }),
      ...(first_byte_ms !== null && { first_byte_ms }),
      ...(transfer_ms !== null && { transfer_ms }),
    },
  }
}

export function toMonitor(row: RowOf<typeof readVisibleMonitors>): AccountSchemas['Monitor'] {
  const { id, name, region, country, city, enabled } = row
  return {
    id,
    name,
    region,
    country,
    city,
    class: row.org_id === null ? 'shared' : 'private',
    enabled,
    online: row.online,
    ...(row.last_seen_at !== null && { last_seen_at: row.last_seen_at }),
  }
}

export function toHeartbeat(row: RowOf<typeof readHeartbeats>): AccountSchemas['Heartbeat'] {
  const { guid, name, interval_sec, grace_sec, show_on_status_page, state } = row
  return {
    guid,
    name,
    interval_sec,
    grace_sec,
    enabled: row.enabled && row.platform_enabled,
    show_on_status_page,
    state,
    ...(row.down_since !== null && { down_since: row.down_since }),
    ...(row.last_heartbeat_at !== null && { last_heartbeat_at: row.last_heartbeat_at }),
    ...(row.cron !== null && { cron: row.cron }),
    ...(row.cron_zone !== null && { cron_zone: row.cron_zone }),
    ...(row.resend_interval_sec && { resend_interval_sec: row.resend_interval_sec }),
    ...(row.tags.length > 0 && { tags: [...row.tags] }),
  }
}

export function toChannel(row: RowOf<typeof readChannels>): AccountSchemas['NotificationChannel'] {
  const { id, name, kind, enabled } = row
  return {
    id,
    name,
    kind,
    enabled,
    ...destinationOf(row),
    ...(row.email !== '' && row.confirmed_at === null && { unconfirmed: true }),
  }
}

type ChannelDestination = Omit<
  AccountSchemas['NotificationChannel'],
  'id' | 'name' | 'kind' | 'enabled' | 'unconfirmed'
>

/**
 * Returns the fields of a channel's kind: fields that the document declares at the top level, all others below `destination`.
 */
function destinationOf(row: RowOf<typeof readChannels>): ChannelDestination {
  const given = Object.entries(wholeDestination(row)).filter(([, value]) => value !== '')
  const [named, others] = [true, false].map((isNamed) =>
    Object.fromEntries(given.filter(([field]) => Object.hasOwn(CHANNEL, field) === isNamed)),
  )
  return { ...named, ...(others && Object.keys(others).length > 0 && { destination: others }) }
}

export function toMember({ id, email, is_owner, joined_at }: RowOf<typeof readMembers>): AccountSchemas['Member'] {
  return { id, email, is_owner, joined_at }
}

export function toSettings({
  org_name,
  usage,
  status_page_enabled,
  ...settings
}: OrgSettings): AccountSchemas['AccountSettings'] {
  return {
    org_name,
    entitlements: toEntitlements(settings),
    plan_usage: {
      Checks: usage.checks,
      ChecksWithCertExpiry: usage.checks_with_cert_expiry,
      Heartbeats: usage.heartbeats,
      MaxTimeoutSec: usage.max_timeout_sec,
      MinIntervalSec: usage.min_interval_sec,
      Members: usage.members,
      NotificationChannels: usage.channels,
      StatusPageEnabled: status_page_enabled,
      UsedChannelKindsLabel: usage.channel_kinds.toSorted().join(', '),
    },
  }
}

function toEntitlements({
  plan_name,
  plan,
  custom_price,
}: Pick<OrgSettings, 'plan_name' | 'plan' | 'custom_price'>): AccountSchemas['Entitlements'] {
  return {
    Plan: plan_name,
    MaxChecks: plan.max_checks,
    MaxHeartbeats: plan.max_heartbeats,
    MaxMembers: plan.max_members,
    MaxNotificationChannels: plan.max_channels,
    MaxTimeoutSec: plan.max_timeout_sec,
    MinIntervalSec: plan.min_interval_sec,
    RetentionRawDays: plan.retention_days,
    RetentionRollupDays: plan.retention_days,
    ...channelFlags(plan.channel_kinds),
    AllowStatusPage: plan.allows_status_page,
    ...(custom_price && { CustomPriceCents: custom_price.cents, CustomPricePeriod: custom_price.period }),
  }
}

type ChannelFlags = Pick<
  AccountSchemas['Entitlements'],
  Extract<keyof AccountSchemas['Entitlements'], `AllowChannel${string}`>
>

/** Returns whether each kind of channel is allowed, for the kinds with a field such as `AllowChannelSlack` in the document. */
function channelFlags(kinds: readonly string[]): ChannelFlags {
  const flags = Object.keys(ENTITLEMENTS).flatMap((flag): [string, boolean][] => {
    const [, kind] = /^AllowChannel(\w+)$/.exec(flag) ?? []
    return kind === undefined ? [] : [[flag, kinds.includes(kind.toLowerCase())]]
  })
  return Object.fromEntries(flags)
}

/** Returns an export without its results. */
export function toExportHeader(header: ExportHeader): Omit<AccountExport, 'results'> {
  const { org_name, entitlements, plan_usage } = toSettings(header.settings)
  return {
    org_name,
    generated_at: fromDate(header.generated_at),
    entitlements,
    plan_usage,
    checks: lazyList(header.checks, (check) => toAccountCheck(check)),
    monitors: header.monitors.map(toMonitor),
    heartbeats: header.heartbeats.map(toHeartbeat),
    notification_channels: header.channels.map(toChannel),
    members: header.members.map(toMember),
  }
}
