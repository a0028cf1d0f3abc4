// Lists the results of a check, newest first, filtered by outcome and monitor, each with the time that the parts of the run took.

import { failureWords } from '@dogwatch/channels/failure-words'
import { type CheckInDetail, findResults, readStanding } from '@dogwatch/domain/checks/inspect'
import { instantAt, wallTime } from '@dogwatch/domain/people/wall-clock'
import { Card } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { Choice, Field } from '../../parts/field.tsx'
import { Ago, At, useTimes } from '../../parts/time.tsx'
import { Link, SearchForm } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, pathWith } from '../../route.ts'
import { nameOf } from '../monitors/parts.tsx'
import { tabPage } from './head.tsx'
import { Latency } from './shown.tsx'

type CheckResults = Awaited<ReturnType<typeof findResults>>
type Result = CheckResults['rows'][number]
type ResultFilters = Readonly<Record<string, string>>

const OUTCOMES = [
  ['', 'All results'],
  ['failed', 'Failed'],
  ['passed', 'Passed'],
] as const

/** Parts of a run, in chronological order. */
const PARTS = [
  ['dns_ms', 'DNS lookup', 'dns'],
  ['connect_ms', 'Connect', 'connect'],
  ['tls_ms', 'TLS handshake', 'tls'],
  ['first_byte_ms', 'Time to first byte', 'first-byte'],
  ['transfer_ms', 'Download', 'transfer'],
] as const

export async function resultsPage({ deps, org, params, query, times }: MemberContext): Promise<PageAnswer> {
  const view = await readStanding(deps, org.org_id, params.check ?? '')
  // A form sends a minute by the viewer's clock, and a link to older results an exact position.
  const before = query.before ? (instantAt(query.before, times.zone)?.toISOString() ?? query.before) : undefined
  const success = query.outcome === 'failed' ? false : query.outcome === 'passed' ? true : undefined
  const check = view.check as CheckInDetail['check'] & { org_id: number; check_id: number }
  const found = await findResults(deps, check, {
    before,
    before_monitor: before === undefined ? undefined : query.before_monitor,
    success,
    monitor_id: query.monitor || undefined,
  })
  return tabPage(
    deps,
    { ...view, org_id: org.org_id },
    '/results',
    <Card title={before === undefined ? 'Latest results' : 'Earlier results'} live="results">
      <Filters view={view} query={query} />
      <Results found={found} isPaged={before !== undefined} />
      <Paging view={view} query={query} found={found} isPaged={before !== undefined} />
    </Card>,
  )
}

/** Returns the minute that the form sent, or the minute of an exact position. Returns an empty text for anything else. */
function beforeShown(before: string, zone: string): string {
  if (instantAt(before, zone) !== undefined) return before.replace(' ', 'T')
  const at = new Date(before)
  return Number.isNaN(at.getTime()) ? '' : wallTime(at, zone)
}

function Filters({ view: { check, monitors }, query }: { view: CheckInDetail; query: ResultFilters }) {
  const { zone } = useTimes()
  const choices = [['', 'All monitors'] as const, ...monitors.map((one) => [one.id, nameOf(one)] as const)]
  return (
    <SearchForm action={`/checks/${check.guid}/results`} class="inline-fields">
      <Choice name="outcome" id="outcome" label="Outcome" value={query.outcome ?? ''} options={OUTCOMES} />
      <Choice name="monitor" id="monitor" label="Monitor" value={query.monitor ?? ''} options={choices} />
      <Field
        name="before"
        id="before"
        label={`Before (${zone})`}
        type="datetime-local"
        value={beforeShown(query.before ?? '', zone)}
      />
      <button type="submit">Show results</button>
    </SearchForm>
  )
}

function Results({ found: { rows }, isPaged }: { found: CheckResults; isPaged: boolean }) {
  if (rows.length === 0) return <p class="empty">{isPaged ? 'No earlier results.' : 'No matching results yet.'}</p>
  const longest = Math.max(1, ...rows.map((row) => totalOf(row)))
  const hasTimings = rows.some((row) => totalOf(row) > 0)
  return (
    <>
      {hasTimings ? (
        <ul class="legend">
          {PARTS.map(([, label, name]) => (
            <li>
              <i class={`key ${name}`} aria-hidden="true" />
              {label}
            </li>
          ))}
        </ul>
      ) : null}
      <Table
        columns={['Time', 'Result', 'Monitor', 'Details', 'Timing']}
        name="Time"
        rows={rows.map((result) => [
          `${result.ran_at} ${result.monitor_id}`,
          <Ago at={result.ran_at} />,
          [<Latency latest={result} />, result.http_status > 0 ? ` · ${result.http_status}` : ''],
          result.monitor_name === '' ? result.monitor_id : result.monitor_name,
          <Details result={result} />,
          <Waterfall result={result} longest={longest} />,
        ])}
      />
    </>
  )
}

function Details({ result: { error, response_sample, retries } }: { result: Result }) {
  return (
    <>
      {error === null ? '' : failureWords(error)}
      {retries === null ? null : <p class="hint">{`After ${retries} ${retries === 1 ? 'retry' : 'retries'}`}</p>}
      {response_sample === null ? null : (
        <details>
          <summary>Response</summary>
          <pre class="sample" tabIndex={0}>
            {response_sample}
          </pre>
        </details>
      )}
    </>
  )
}

/** Renders one bar for the parts of a run, on the same scale for all results of the page. */
function Waterfall({ result, longest }: { result: Result; longest: number }) {
  const told = PARTS.flatMap(([field, label, name]) => {
    const ms = result[field]
    return ms === null ? [] : [{ ms, label, name }]
  })
  if (told.length === 0) return null
  const text = told.map(({ ms, label }) => `${label} ${ms} ms`).join(', ')
  let x = 0
  return (
    <>
      <svg class="waterfall" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={text}>
        <title>{text}</title>
        {told.map(({ ms, name }) => {
          const [left, width] = [x, (ms / longest) * 100]
          x += width
          return <rect class={name} x={left.toFixed(2)} y="0" width={width.toFixed(2)} height="6" />
        })}
      </svg>
      <span class="hint" aria-hidden="true">
        {`${told.map(({ ms }) => ms).join(' + ')} ms`}
      </span>
    </>
  )
}

function totalOf(result: Result): number {
  return PARTS.reduce((sum, [field]) => sum + (result[field] ?? 0), 0)
}

function Paging(props: { view: CheckInDetail; query: ResultFilters; found: CheckResults; isPaged: boolean }) {
  const { view, query, found, isPaged } = props
  const { stopped, rows } = found
  const withKept = (more: Record<string, string>) =>
    pathWith(`/checks/${view.check.guid}/results`, { outcome: query.outcome, monitor: query.monitor, ...more })
  const isWhole = stopped && rows.at(-1)?.ran_at === stopped.ran_at
  return (
    <>
      {stopped && !isWhole ? (
        <p class="hint">
          Searched as far back as <At at={stopped.ran_at} />.
        </p>
      ) : null}
      <p class="actions">
        {isPaged ? <Link href={withKept({})}>Latest results</Link> : null}
        {stopped ? (
          <Link href={withKept({ before: stopped.ran_at, before_monitor: stopped.monitor_id })}>
            {isWhole ? 'Earlier results' : 'Search earlier results'}
          </Link>
        ) : null}
      </p>
    </>
  )
}
