// Shows a check that the server judges: its uptime, its past, and the members of a composite.

import { percentText } from '@dogwatch/channels/wording'
import { readTarget } from '@dogwatch/check-rules/target'
import type { CheckWithHistory } from '@dogwatch/domain/checks/inspect'
import type { ShownRegistration } from '@dogwatch/domain/judged/domains'
import type { ShownMember } from '@dogwatch/domain/judged/members'
import { uptimeOf } from '@dogwatch/domain/results/division'
import { StateMark } from '../../design/badge.tsx'
import { Card, Facts } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { Legend, StateChart } from '../../parts/chart.tsx'
import { Ago, span } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { leftOut, PERIOD_NAMES, Ranges, shadesOf } from './history.tsx'

/** Renders when the check was down in the chosen range. */
export function States({ view: { check, chart } }: { view: CheckWithHistory }) {
  const { period, division } = chart
  const share = uptimeOf(division)
  return (
    <Card title="State" live="history">
      <Ranges path={`/checks/${check.guid}`} period={period} />
      <p>
        {share === null ? 'No data' : `Uptime ${percentText(share)} over ${span(division.watched_sec)} of monitoring`}.
      </p>
      <StateChart {...chart} label="Times at which the check was down" />
      <Legend shades={shadesOf(chart, `Down: ${span(division.failing_sec)}`)} />
    </Card>
  )
}

/** Renders the uptime over five ranges, as the share of time. */
export function JudgedUptime({ view: { ranges } }: { view: CheckWithHistory }) {
  return (
    <Card title="Uptime" live="uptime">
      <Table
        columns={['Range', 'Uptime', 'Time monitored', 'Downtime']}
        name="Range"
        numbers={['Uptime']}
        rows={ranges.map(({ period, division }) => [
          period,
          PERIOD_NAMES[period].label,
          <strong>{percentText(uptimeOf(division))}</strong>,
          [division.runs === 0 ? 'No data' : span(division.watched_sec), ...leftOut(division)].join('; '),
          division.runs === 0 ? '–' : span(division.failing_sec),
        ])}
      />
      <p class="hint">
        Uptime is the share of the monitored time in which the check was not down, excluding scheduled maintenance. Days
        are in UTC, and the ranges include today.
      </p>
    </Card>
  )
}

/** Renders what the registry says about a domain. */
export function Registration({ found }: { found: ShownRegistration }) {
  const { name, expires_at, registrar, name_servers, statuses, asked_at, answered_at, fault } = found
  return (
    <Card title="Registration" live="registration">
      <Facts
        facts={[
          ['Domain', name],
          ['Expires', expires_at === null ? 'Unknown' : <Ago at={expires_at} />],
          registrar === null ? undefined : ['Registrar', registrar],
          name_servers.length === 0 ? undefined : ['Name servers', name_servers.join(', ')],
          statuses.length === 0 ? undefined : ['Status', statuses.join(', ')],
          ['Last request', asked_at === null ? 'None yet' : <Ago at={asked_at} />],
          ['Last answer', answered_at === null ? 'None yet' : <Ago at={answered_at} />],
          fault === null ? undefined : ['Note', fault],
        ]}
      />
      <p class="hint">Asked from the registry of the domain once a day.</p>
    </Card>
  )
}

/** Returns when a composite is down and degraded, in words. Returns undefined for other checks. */
export function ruleOf({ url }: { url: string }): string | undefined {
  const target = readTarget(url)
  if ('fault' in target || target.scheme !== 'composite') return undefined
  const { down_at } = target
  if (down_at === 0) return 'Down when all members are down. Degraded when only some are down.'
  if (down_at === 1) return 'Down when 1 member or more is down.'
  return `Down when ${down_at} members or more are down. Degraded when fewer are down.`
}

/** Renders the members of a composite, with the state of each. */
export function Members({ members, check }: { members: readonly ShownMember[]; check: { url: string } }) {
  return (
    <Card title="Members" live="members">
      <p>{ruleOf(check)}</p>
      <Table
        columns={['Check', 'State', 'Since', 'Included by']}
        name="Check"
        rows={members.map(({ name, check, why }) => [
          check?.guid ?? `${name.by}:${name.name}`,
          check ? <Link href={`/checks/${check.guid}`}>{check.name}</Link> : name.name,
          <>
            {check ? <StateMark state={check.state} /> : null}
            {why === undefined ? null : <span class="hint">{` Not counted: ${why}`}</span>}
          </>,
          check?.since === null || check === undefined ? '' : <Ago at={check.since} />,
          name.by === 'guid' ? 'GUID' : `${name.by} ${name.name}`,
        ])}
      />
    </Card>
  )
}
