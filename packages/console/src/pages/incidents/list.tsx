// Lists the incidents of the organisation, newest first, with filters in the URL.
import { tidyTag } from '@dogwatch/check-rules/tags'
import { groupIncidents, type IncidentFilter, readIncidents, toIncidentPosition } from '@dogwatch/domain/incidents/list'
import { dayStart } from '@dogwatch/domain/people/wall-clock'
import { Button, ButtonLink } from '../../design/button.tsx'
import { EmptyState, PageHead } from '../../design/layout.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { Field } from '../../parts/field.tsx'
import { Link, SearchForm } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page, pathWith } from '../../route.ts'
import { IncidentTable } from './list-table.tsx'

type IncidentQuery = MemberContext['query']

/** Parameters that stay in links to another page of the list, or to the list with another filter. */
const FILTERS = ['state', 'check', 'heartbeat', 'tag', 'from', 'to'] as const

export async function incidentsPage({ deps, org, query, times }: MemberContext): Promise<PageAnswer> {
  const after = toIncidentPosition(query.before ?? '', query.before_id ?? '')
  const found = await readIncidents(deps, org.org_id, filterOf(query, times.zone), after)
  const { incidents, next, open } = found
  const isFiltered = FILTERS.some((name) => name !== 'state' && (query[name] ?? '') !== '')
  return page(
    'Incidents',
    <>
      <PageHead title="Incidents">
        {open === 0 ? 'No open incidents.' : `${open} open ${open === 1 ? 'incident' : 'incidents'}.`}
      </PageHead>
      <Tabs
        label="Filter by state"
        pages={[
          { href: pathOf(query, { state: '' }), label: 'All' },
          { href: pathOf(query, { state: 'open' }), label: 'Open' },
          { href: pathOf(query, { state: 'ended' }), label: 'Resolved' },
        ]}
        at={pathOf(query, { state: stateOf(query) ?? '' })}
      />
      <Filters query={query} isOpen={isFiltered} />
      <section aria-label="Incidents">
        {incidents.length === 0 ? (
          <Nothing isAll={!isFiltered && stateOf(query) === undefined && after === undefined} />
        ) : (
          <IncidentTable groups={await groupIncidents(deps, org.org_id, found, after)} back={pathOf(query, {})} />
        )}
      </section>
      <nav class="actions" aria-label="Pagination">
        {after === undefined ? null : <Link href={pathOf(query, {})}>Latest incidents</Link>}
        {next === undefined ? null : (
          <Link href={pathOf(query, { before: next.began_at, before_id: next.incident_id })} rel="next">
            Earlier incidents
          </Link>
        )}
      </nav>
    </>,
  )
}

function stateOf({ state }: IncidentQuery): 'open' | 'ended' | undefined {
  return state === 'open' || state === 'ended' ? state : undefined
}

/** Reads the filter from the query. Ignores anything else, so that a shortened link still shows a list. */
function filterOf(query: IncidentQuery, zone: string): IncidentFilter {
  const { check = '', heartbeat = '', tag = '', from = '', to = '' } = query
  const of = check !== '' ? { kind: 'check' as const, guid: check } : { kind: 'heartbeat' as const, guid: heartbeat }
  return {
    state: stateOf(query),
    of: of.guid === '' ? undefined : of,
    tag: tag === '' ? undefined : tidyTag(tag),
    from: startOf(from, zone),
    to: startOf(to, zone, 1),
  }
}

/** Returns the start of a day in a zone, or of the day `later` days after it. Returns undefined for a text that is no day. */
function startOf(day: string, zone: string, later = 0): string | undefined {
  // Only years that both Postgres and our own texts support.
  return day < '1970' || day > '9000' ? undefined : dayStart(day, zone, later)?.toISOString()
}

function pathOf(query: IncidentQuery, changed: Readonly<Record<string, string>>): string {
  const kept = Object.fromEntries(FILTERS.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
  // An empty value removes the parameter.
  return pathWith('/incidents', { ...kept, ...changed })
}

function Filters({ query, isOpen }: { query: IncidentQuery; isOpen: boolean }) {
  return (
    <details class="part" open={isOpen}>
      <summary>Filters</summary>
      <SearchForm action="/incidents" class="filters">
        {['state', 'check', 'heartbeat'].map((name) =>
          (query[name] ?? '') === '' ? null : <input type="hidden" name={name} value={query[name]} />,
        )}
        <Field name="tag" label="Tag" value={query.tag ?? ''} />
        <Field name="from" label="Started on or after" type="date" value={query.from ?? ''} />
        <Field name="to" label="Started on or before" type="date" value={query.to ?? ''} />
        <p class="actions">
          <Button text="Apply filters" />
          {isOpen ? (
            <ButtonLink
              href={stateOf(query) === undefined ? '/incidents' : `/incidents?state=${stateOf(query)}`}
              kind="quiet"
              text="Clear filters"
            />
          ) : null}
        </p>
      </SearchForm>
    </details>
  )
}

function Nothing({ isAll }: { isAll: boolean }) {
  return isAll ? (
    <EmptyState icon="circle-check" title="No incidents yet">
      When a check or heartbeat goes down, the incident appears here with its cause and who was notified.
    </EmptyState>
  ) : (
    <p class="empty">No incidents match these filters.</p>
  )
}
