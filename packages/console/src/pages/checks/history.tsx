// Renders the history of a check on its page: the chart of a range, and uptime and coverage over five ranges.

import { count, numberText, percentText } from '@dogwatch/channels/wording'
import { averageOf, type Lines } from '@dogwatch/domain/checks/chart-lines'
import type { Period } from '@dogwatch/domain/checks/chart-span'
import type { CheckWithHistory } from '@dogwatch/domain/checks/inspect'
import { wallTime } from '@dogwatch/domain/people/wall-clock'
import { coverageOf, type Division, type Segment, uptimeOf } from '@dogwatch/domain/results/division'
import { Card } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { Legend, TimeChart } from '../../parts/chart.tsx'
import { Field } from '../../parts/field.tsx'
import { At, span, useNow, useTimes } from '../../parts/time.tsx'
import { Link, SearchForm } from '../../rights.tsx'
import { dayText } from '../../status/wording.ts'

/** Names of periods in URLs, and their labels. */
export const PERIOD_NAMES: Readonly<Record<Period, { name: string; label: string }>> = {
  day: { name: '24h', label: '24 hours' },
  week: { name: '7d', label: '7 days' },
  month: { name: '30d', label: '30 days' },
  quarter: { name: '90d', label: '90 days' },
  year: { name: '1y', label: '1 year' },
}

interface HistoryProps {
  view: CheckWithHistory
  /** Query of the range that is shown. */
  range: string
  asTable: boolean
}

export function History({ view, range, asTable }: HistoryProps) {
  const now = useNow()
  const { check, chart } = view
  const { lines, from, until, step_sec, division, period } = chart
  const path = `/checks/${check.guid}`
  const caption = `Response time, ${period === undefined ? 'selected range' : `last ${PERIOD_NAMES[period].label}`}`
  return (
    <Card title="Response time" live="history">
      <Ranges path={path} period={period} />
      <p>
        <UptimeText division={division} />
        <Times chart={chart} ranges={view.ranges} />
      </p>
      <TimeChart
        {...chart}
        each_sec={check.interval_sec * Math.max(1, view.monitors.length)}
        label={caption}
        zoomPath={path}
      />
      <Legend
        lines={lines}
        shades={shadesOf(chart, `Failed: ${numberText(division.failures)} of ${count(division.runs, 'run')}`)}
      />
      <p class="hint">
        {SAID[lines.kind]} {unsketchedText(lines)}Each point covers {span(step_sec)}.{' '}
        <Link href={`${path}?${range}${asTable ? '' : '&table=yes'}#table`}>
          {asTable ? 'Hide table' : 'Show table'}
        </Link>
      </p>
      <ChosenRange path={path} from={from} until={until > now ? now : until} />
      {asTable ? <StepsTable view={view} /> : null}
    </Card>
  )
}

/** Renders the links to the ranges of a chart. */
export function Ranges({ path, period }: { path: string; period: Period | undefined }) {
  return (
    <nav aria-label="Range" class="ranges">
      {Object.entries(PERIOD_NAMES).map(([one, { name, label }]) => (
        <Link href={`${path}?period=${name}`} aria-current={one === period ? 'page' : undefined}>
          {label}
        </Link>
      ))}
      {period === undefined ? <Link href={path}>Zoom out</Link> : null}
    </nav>
  )
}

const SAID = {
  monitors: 'Average response time of passed runs, by monitor.',
  spread: 'Median and 95th percentile response time of passed runs.',
  sums: 'Average and slowest response time of passed runs, all monitors.',
} as const

/** Returns a note about the points without percentiles. */
function unsketchedText({ unsketched, runs }: Lines): string {
  if (unsketched === 0) return ''
  return `Percentiles are not available for ${unsketched} of ${runs.length} points, because an earlier version of Dogwatch recorded their results. `
}

/** Renders a form for typing a range. Unlike marking a range in the chart, it needs no scripts. */
function ChosenRange({ path, from, until }: { path: string; from: Date; until: Date }) {
  const { zone } = useTimes()
  const local = (at: Date) => wallTime(at, zone)
  return (
    <details class="part">
      <summary>Custom range</summary>
      <SearchForm action={path} class="inline-fields">
        <Field
          name="from"
          id="range-from"
          label={`From (${zone})`}
          type="datetime-local"
          value={local(from)}
          required
        />
        <Field name="to" id="range-to" label={`To (${zone})`} type="datetime-local" value={local(until)} required />
        <button type="submit">Show range</button>
      </SearchForm>
    </details>
  )
}

/** Renders `Uptime 99.93% over 29 d 3 h of monitoring; 5 h scheduled maintenance excluded; 2 h not monitored`. */
function UptimeText({ division }: { division: Division }) {
  const { runs, failures } = division
  const share = uptimeOf(division)
  const told = [
    share === null
      ? 'Uptime: no data'
      : `Uptime ${percentText(share)} over ${span(division.watched_sec)} of monitoring`,
    ...(failures > 0 ? [`${numberText(failures)} of ${count(runs, 'run')} failed`] : []),
    ...leftOut(division),
  ]
  return <>{told.join('; ')}.</>
}

/** Describes the times that an uptime percentage does not include. */
export function leftOut({ maintenance_sec, unknown_sec, paused_sec }: Division): string[] {
  return [
    ...(maintenance_sec >= 1 ? [`${span(maintenance_sec)} scheduled maintenance excluded`] : []),
    ...(unknown_sec >= 1 ? [`${span(unknown_sec)} not monitored`] : []),
    ...(paused_sec >= 1 ? [`${span(paused_sec)} paused`] : []),
  ]
}

function Times({ chart: { lines, period }, ranges }: Pick<CheckWithHistory, 'chart' | 'ranges'>) {
  const percentiles = ranges.find((range) => range.period === period)?.percentiles
  const average = averageOf(lines)
  const told = [
    ...(average === undefined ? [] : [`Average response time ${average} ms`]),
    ...(percentiles === undefined ? [] : [`median ${percentiles.p50_ms} ms, 95th percentile ${percentiles.p95_ms} ms`]),
  ]
  return told.length === 0 ? null : <> {told.join('; ')}.</>
}

/** Returns the shades that occur in the chart, with their meanings. `failed_text` is the meaning of the shade for failures. */
export function shadesOf(
  { division, segments }: CheckWithHistory['chart'],
  failed_text: string,
): (readonly [kind: string, text: string])[] {
  const { unknown_sec, paused_sec, maintenance_sec } = division
  const has = (holds: (segment: Segment) => boolean): boolean => segments.some(holds)
  return [
    ...(has(({ failed }) => failed > 0) ? [['failed', failed_text] as const] : []),
    ...(has(({ unknown }) => unknown > 0) && unknown_sec >= 1
      ? [['unknown', `Not monitored: ${span(unknown_sec)}`] as const]
      : []),
    ...(has(({ kind }) => kind === 'paused')
      ? [['paused', paused_sec >= 1 ? `Paused: ${span(paused_sec)}` : 'Not scheduled yet'] as const]
      : []),
    ...(has(({ kind }) => kind === 'maintenance')
      ? [['maintenance', `Maintenance: ${span(maintenance_sec)}`] as const]
      : []),
  ]
}

/** Renders the chart as a table: every step with a result, and every period without results. */
function StepsTable({ view: { chart } }: { view: CheckWithHistory }) {
  const { lines, segments } = chart
  const columns = [...lines.lines, ...lines.besides]
  const numbers = ['Passed', 'Failed', ...columns.map(({ label }) => label)]
  const dark = segments.filter(({ kind, unknown }) => kind !== 'watched' || unknown >= 1)
  const steps = lines.at.map((sec, index) => ({
    at: sec * 1000,
    cells: [
      String((lines.runs[index] ?? 0) - (lines.failures[index] ?? 0)),
      String(lines.failures[index] ?? 0),
      ...columns.map(({ values }) => msText(values[index])),
    ],
  }))
  const gaps = dark.map(({ from, until, kind }) => ({
    at: from,
    cells: [
      `${kind === 'watched' ? 'Not monitored' : kind === 'paused' ? 'Paused' : 'Maintenance'} for ${span((until - from) / 1000)}`,
      '',
      ...columns.map(() => ''),
    ],
  }))
  return (
    <div class="scroll" id="table" tabIndex={0} role="region" aria-label="Response time data">
      <Table
        columns={['Start', ...numbers]}
        numbers={numbers}
        rows={[...steps, ...gaps]
          .toSorted((a, b) => a.at - b.at)
          .map(({ at, cells }, index) => [index, <At at={new Date(at).toISOString()} />, ...cells])}
      />
    </div>
  )
}

function msText(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : `${value} ms`
}

/** Renders the uptime over five ranges, each with the time that it covers. */
export function UptimeTable({ view }: { view: CheckWithHistory }) {
  const { ranges, check, kept_days } = view
  return (
    <Card title="Uptime" live="uptime">
      <Table
        columns={['Range', 'Uptime', 'Time monitored', 'Failed runs', 'Coverage', 'Median', '95th percentile']}
        name="Range"
        numbers={['Uptime', 'Failed runs', 'Coverage', 'Median', '95th percentile']}
        rows={ranges.map(({ period, division, percentiles }) => {
          const { name, label } = PERIOD_NAMES[period]
          const { runs, failures, arrived, due } = division
          return [
            period,
            <Link href={`/checks/${check.guid}?period=${name}`}>{label}</Link>,
            <strong>{percentText(uptimeOf(division))}</strong>,
            [runs === 0 ? 'No data' : span(division.watched_sec), ...leftOut(division)].join('; '),
            `${numberText(failures)} of ${numberText(runs)}`,
            <span title={`Results of ${numberText(arrived)} of ${count(due, 'scheduled run')} received`}>
              {percentText(coverageOf(division))}
            </span>,
            percentiles === undefined ? '–' : msText(percentiles.p50_ms),
            percentiles === undefined ? '–' : msText(percentiles.p95_ms),
          ]
        })}
      />
      <p class="hint">
        Uptime is the share of runs that passed, excluding unmonitored time, pauses and scheduled maintenance. Time
        before the first run of the check does not count. Coverage is the share of scheduled runs whose results were
        received. Days are in UTC, and the ranges include today. Median and 95th percentile are response times of passed
        runs, accurate to 2%.
        {ranges.some((range) => range.isPartlySketched)
          ? ' Percentiles are not available for results recorded by an earlier version of Dogwatch.'
          : ''}
        {kept_days < 365 ? ` Your plan keeps results for ${kept_days} days.` : ''}
      </p>
      <Coverage view={view} />
    </Card>
  )
}

function Coverage({ view: { coverage, check } }: { view: CheckWithHistory }) {
  return (
    <details class="part">
      <summary>Coverage, last 7 days</summary>
      <section aria-label="Coverage">
        <p class="hint">
          The check currently runs every {span(check.interval_sec)}. Earlier days use the interval of that time.
        </p>
        <Table
          columns={['Day (UTC)', 'Scheduled', 'Received', 'Coverage']}
          name="Day (UTC)"
          numbers={['Scheduled', 'Received', 'Coverage']}
          rows={coverage.map(({ day, due, arrived, percent }) => [
            day.getTime(),
            dayText(day.toISOString().slice(0, 10)),
            due,
            arrived,
            percentText(percent),
          ])}
        />
      </section>
    </details>
  )
}
