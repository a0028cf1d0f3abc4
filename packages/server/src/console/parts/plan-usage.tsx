// A plan's limits, and how much of each is used.
import type { VNode } from 'preact'
import type { Settings } from '../../domain/organisations/entitlements.ts'
import { Table } from '../design/table.tsx'
import { span } from './time.tsx'

interface Row {
  label: string
  text: string
  /** The amount in use, for a bar. */
  used?: number
  most?: number
}

export function PlanUsage({ settings, invited }: { settings: Settings; invited: number }): VNode {
  return (
    <Table
      caption={`Plan ${settings.plan_name}`}
      columns={[{ label: 'Limit', isName: true }, { label: 'Used' }]}
      rows={rowsOf(settings, invited).map(({ label, text, used, most }) => ({
        key: label,
        cells: [
          label,
          <>
            {text}
            {used === undefined || most === undefined || most === 0 ? null : (
              <>
                <br />
                <meter min={0} max={most} value={Math.min(used, most)} aria-label={`${label}: ${text}`} />
              </>
            )}
          </>,
        ],
      }))}
    />
  )
}

function rowsOf({ plan, usage, status_page_enabled }: Settings, invited: number): Row[] {
  const kinds = usage.channel_kinds.length === 0 ? 'none used' : `used: ${usage.channel_kinds.toSorted().join(', ')}`
  const warned = usage.checks_with_cert_expiry
  return [
    counted('Checks', usage.checks, plan.max_checks, 'check'),
    { label: 'Heartbeats', ...told(usage.heartbeats, plan.max_heartbeats, 'heartbeat', 'none') },
    counted('Notification channels', usage.channels, plan.max_channels, 'channel'),
    counted(
      'Members',
      usage.members + invited,
      plan.max_members,
      'member',
      invited > 0 ? ', invited ones counted' : '',
    ),
    { label: 'Shortest interval', text: bound(plan.min_interval_sec, usage.checks, usage.min_interval_sec) },
    { label: 'Longest timeout', text: bound(plan.max_timeout_sec, usage.checks, usage.max_timeout_sec) },
    { label: 'Kinds of channels', text: `${plan.channel_kinds.join(', ') || 'none'} (${kinds})` },
    {
      label: 'Certificate warnings',
      text: plan.allows_cert_expiry ? `on ${warned} ${plural(warned, 'check')}` : 'not on this plan',
    },
    {
      label: 'Status page',
      text: plan.allows_status_page ? (status_page_enabled ? 'shown' : 'hidden') : 'not on this plan',
    },
    { label: 'History', text: `${plan.retention_days} days` },
  ]
}

/** 0 is unlimited. */
function counted(label: string, used: number, most: number, thing: string, rest = ''): Row {
  const { text, ...bar } = told(used, most, thing, 'unlimited')
  return { label, text: text + rest, ...bar }
}

function told(used: number, most: number, thing: string, zero: string): Omit<Row, 'label'> {
  if (most > 0) return { text: `${used} of ${most} ${plural(most, thing)}`, used, most }
  return { text: `${used} ${plural(used, thing)} (${zero === 'none' ? 'not on this plan' : zero})` }
}

function bound(limit: number, checks: number, used: number): string {
  return checks === 0 ? span(limit) : `${span(limit)} (in use: ${span(used)})`
}

function plural(count: number, thing: string): string {
  return count === 1 ? thing : `${thing}s`
}
