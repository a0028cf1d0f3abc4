// Renders the limits of a plan, and how much of each is used.

import { findKind } from '@dogwatch/channels/registry'
import { count, numberText } from '@dogwatch/channels/wording'
import type { OrgSettings } from '@dogwatch/domain/organisations/entitlements'
import { NO_LIMIT } from '@dogwatch/domain/organisations/plans'
import { Table } from '../design/table.tsx'
import { span } from './time.tsx'

interface UsageLine {
  label: string
  text: string
  /** Amount in use, for a bar. */
  used?: number
  most?: number
}

export function PlanUsage({ settings, invited }: { settings: OrgSettings; invited: number }) {
  return (
    <Table
      caption={`Current plan: ${settings.plan_name}`}
      columns={['Feature', 'Plan limit and use']}
      name="Feature"
      rows={rowsOf(settings, invited).map(({ label, text, used, most }) => [
        label,
        label,
        <>
          {text}
          {used === undefined || most === undefined || most === 0
            ? null
            : [<br />, <meter min={0} max={most} value={Math.min(used, most)} aria-label={`${label}: ${text}`} />]}
        </>,
      ])}
    />
  )
}

function rowsOf({ plan, usage, status_page_enabled }: OrgSettings, invited: number): UsageLine[] {
  const kinds =
    usage.channel_kinds.length === 0 ? 'none in use' : `in use: ${kindsText(usage.channel_kinds.toSorted())}`
  return [
    counted('Checks', usage.checks, plan.max_checks || NO_LIMIT, 'check'),
    counted('Heartbeats', usage.heartbeats, plan.max_heartbeats, 'heartbeat'),
    counted('Channels', usage.channels, plan.max_channels || NO_LIMIT, 'channel'),
    counted(
      'Members',
      usage.members + invited,
      plan.max_members || NO_LIMIT,
      'member',
      invited > 0 ? ', including pending invitations' : '',
    ),
    {
      label: 'Minimum check interval',
      text: bound(plan.min_interval_sec, usage.checks, `shortest in use: ${span(usage.min_interval_sec)}`),
    },
    {
      label: 'Maximum timeout',
      text: bound(plan.max_timeout_sec, usage.checks, `longest in use: ${span(usage.max_timeout_sec)}`),
    },
    { label: 'Channel types', text: `${kindsText(plan.channel_kinds) || 'None'} (${kinds})` },
    {
      label: 'Certificate warnings',
      text: plan.allows_cert_expiry
        ? `Included, on for ${count(usage.checks_with_cert_expiry, 'check')}`
        : NOT_INCLUDED,
    },
    {
      label: 'Status page',
      text: plan.allows_status_page ? (status_page_enabled ? 'Included, on' : 'Included, off') : NOT_INCLUDED,
    },
    { label: 'Data retention', text: count(plan.retention_days, 'day') },
  ]
}

const NOT_INCLUDED = 'Not included in this plan'

function counted(label: string, used: number, most: number, thing: string, rest = ''): UsageLine {
  const text = usageText(used, most, thing) + rest
  return most > 0 && most < NO_LIMIT ? { label, text, used, most } : { label, text }
}

/** Returns `3 of 10 checks`, or `12 checks, no limit`. `most` is 0 for things that a plan does not include. */
export function usageText(used: number, most: number, thing: string): string {
  if (most >= NO_LIMIT) return `${count(used, thing)}, no limit`
  return most === 0
    ? `${count(used, thing)}, not included in this plan`
    : `${numberText(used)} of ${count(most, thing)}`
}

function bound(limit: number, checks: number, used: string): string {
  return checks === 0 ? span(limit) : `${span(limit)} (${used})`
}

function kindsText(kinds: readonly string[]): string {
  return kinds.map((kind) => findKind(kind)?.label ?? kind).join(', ')
}
