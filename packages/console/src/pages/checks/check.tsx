// Shows one check: its state, its history, and what each monitor sees.

import { failureWords } from '@dogwatch/channels/failure-words'
import { PERIODS } from '@dogwatch/domain/checks/chart-span'
import {
  type CheckInDetail,
  type CheckWithHistory,
  inspectCheck,
  type MonitorSight,
  type SpanAsked,
} from '@dogwatch/domain/checks/inspect'
import { readRegistration } from '@dogwatch/domain/judged/domains'
import { readShownMembers } from '@dogwatch/domain/judged/members'
import { instantAt } from '@dogwatch/domain/people/wall-clock'
import { Outcome, StateMark } from '../../design/badge.tsx'
import { Card } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { Ago, span, useNow } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import type { MemberContext, PageAnswer } from '../../route.ts'
import { nameOf } from '../monitors/parts.tsx'
import { tabPage } from './head.tsx'
import { History, PERIOD_NAMES, UptimeTable } from './history.tsx'
import { JudgedUptime, Members, Registration, States } from './judged.tsx'

export async function checkPage({ deps, org, params, query, times }: MemberContext): Promise<PageAnswer> {
  const asked = spanAsked(query, times.zone)
  const view = await inspectCheck(deps, org.org_id, params.check ?? '', asked)
  const range = new URLSearchParams('period' in asked ? { period: PERIOD_NAMES[asked.period].name } : asked)
  const content = view.judged_by_server ? (
    await judgedContent({ deps, org }, view)
  ) : (
    <>
      <History view={view} range={range.toString()} asTable={query.table === 'yes'} />
      <UptimeTable view={view} />
      <Monitors view={view} />
    </>
  )
  return tabPage(deps, { ...view, org_id: org.org_id }, '', content)
}

async function judgedContent({ deps, org }: Pick<MemberContext, 'deps' | 'org'>, view: CheckWithHistory) {
  const members = await readShownMembers(deps, org.org_id, view.check)
  const registration = await readRegistration(deps, view.check.url)
  return (
    <>
      {members === undefined ? null : <Members members={members} check={view.check} />}
      {registration === undefined ? null : <Registration found={registration} />}
      <States view={view} />
      <JudgedUptime view={view} />
    </>
  )
}

function spanAsked({ period, from, to }: Readonly<Record<string, string>>, zone: string): SpanAsked {
  if (from !== undefined && to !== undefined) return { from: withZone(from, zone), to: withZone(to, zone) }
  return { period: PERIODS.find((one) => PERIOD_NAMES[one].name === period) ?? 'day' }
}

/** Converts a time that a form sent without a zone, by the viewer's clock. Returns any other text unchanged. */
function withZone(text: string, zone: string): string {
  return instantAt(text, zone)?.toISOString() ?? text
}

function Monitors({ view }: { view: CheckInDetail }) {
  const now = useNow()
  const { monitors, is_for_all, check } = view
  const who = `/checks/${check.guid}/edit#field-monitors`
  return (
    <Card title="Status by monitor" live="monitors">
      <p>
        {is_for_all
          ? 'This check runs on all monitors, including any added later.'
          : 'This check runs only on the monitors selected for it.'}{' '}
        <Link href={who}>Change monitors</Link>
      </p>
      {monitors.length === 0 ? (
        <p class="empty">
          No monitor is selected, so this check does not run. <Link href={who}>Select monitors</Link> or{' '}
          <Link href="/monitors">add a monitor</Link>.
        </p>
      ) : (
        <Table
          columns={['Monitor', 'State', 'Last run', 'Result']}
          name="Monitor"
          rows={monitors.map((monitor) => [monitor.id, ...cellsOf(monitor, neverWords(view, now), !check.enabled)])}
        />
      )}
    </Card>
  )
}

/** Returns the text for a monitor that has no result. */
function neverWords({ created_at, seen_sec }: CheckInDetail, now: Date): string {
  const isNew = now.getTime() - Date.parse(created_at) < seen_sec * 1000
  if (isNew) return 'Not yet'
  return `None in the last ${seen_sec === DAY_SEC ? '24 h' : span(seen_sec)}`
}

const DAY_SEC = 86_400

function cellsOf(monitor: MonitorSight, never: string, isPaused: boolean) {
  const { latest } = monitor
  return [
    <>
      {nameOf(monitor)}
      <span class="hint">
        {' '}
        {monitor.city}, {monitor.country}
        {monitor.is_shared ? ' · shared' : ''}
      </span>
    </>,
    isPaused && latest ? (
      <span class="hint">{`${latest.success ? 'Passing' : 'Failing'} before the pause`}</span>
    ) : (
      <Sight monitor={monitor} />
    ),
    latest ? <Ago at={latest.ran_at} /> : never,
    latest ? saidBy(latest) : '',
  ]
}

/** Describes a result, with the HTTP status if the error does not already contain it. */
function saidBy({ success, latency_ms, http_status, error }: NonNullable<MonitorSight['latest']>): string {
  const said = success ? `${latency_ms} ms` : failureWords(error ?? '')
  const status = http_status > 0 && !said.includes(String(http_status)) ? `HTTP ${http_status}` : ''
  return [said, status].filter((one) => one !== '').join(' · ')
}

/**
 * Renders what a monitor sees: a check is up or down, but a monitor sees it pass or fail. If the monitor no longer runs the
 * check, its last result says nothing about now.
 */
function Sight({ monitor: { is_on, is_able, is_online, last_seen_at, latest } }: { monitor: MonitorSight }) {
  if (!is_on) return <StateMark state="disabled" />
  if (!is_able) return <span class="hint">Cannot run this check</span>
  if (!is_online && last_seen_at !== null) return <StateMark state="offline" />
  if (!latest) return <StateMark state="unknown" />
  return <Outcome isGood={latest.success} words={['Passing', 'Failing']} />
}
