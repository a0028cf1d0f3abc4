// Lists the monitors of an organisation, with their latest reports, and the shared fleet.
import { readFleet, type ShownMonitor, type VisibleMonitorRow } from '@dogwatch/domain/monitors/read'
import { StateMark } from '../../design/badge.tsx'
import { ButtonLink } from '../../design/button.tsx'
import { EmptyState, PageHead } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { Pager, pagesOf, rowsOf } from '../../parts/pager.tsx'
import { Ago, span } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import { clockFault, MonitorMark, nameOf, placeOf } from './parts.tsx'

export async function monitorsPage({ deps, org, query }: MemberContext): Promise<PageAnswer> {
  const [ownPages, sharedPages] = [pagesOf(query), pagesOf(query, 'shared')]
  const { own, shared } = await readFleet(deps, org.org_id, { own: ownPages.slice, shared: sharedPages.slice })
  const create = <ButtonLink kind="primary" icon="plus" href="/monitors/new" text="Add monitor" />
  return page(
    'Monitors',
    <>
      <PageHead title="Monitors" actions={own.length === 0 ? undefined : create}>
        {own.length === 0 ? undefined : 'A monitor is an agent that runs your checks from one location.'}
      </PageHead>
      {own.length === 0 && ownPages.at === 1 ? (
        <EmptyState icon="radar" title={`No monitors in ${org.name} yet`} action={create}>
          A monitor is an agent that runs checks from your own machine, including targets inside your private network.
        </EmptyState>
      ) : (
        <>
          <Table
            columns={[
              'Name',
              'State',
              'Last seen',
              'Version',
              'Agent uptime',
              'Unsent results',
              'Last connection loss',
            ]}
            name="Name"
            numbers={['Unsent results']}
            rows={rowsOf(own).map((monitor) => [
              monitor.id,
              <>
                <Link href={`/monitors/${monitor.id}`}>{nameOf(monitor)}</Link>
                <br />
                <small>{placeOf(monitor)}</small>
              </>,
              <MonitorMark monitor={monitor} />,
              <>
                {monitor.last_seen_at === null ? 'Never' : <Ago at={monitor.last_seen_at} />}
                <ClockFault monitor={monitor} />
              </>,
              monitor.version ?? '–',
              monitor.uptime_sec === null ? '–' : span(monitor.uptime_sec),
              monitor.unsent_results ?? '–',
              <LastOutage monitor={monitor} />,
            ])}
          />
          <Pager path="/monitors" pages={ownPages} read={own} of="monitors" />
        </>
      )}
      <h2>Shared monitors</h2>
      {shared.length === 0 && sharedPages.at === 1 ? (
        <p>No shared monitors available.</p>
      ) : (
        <>
          <p class="hint">
            The server admin runs these monitors for all organisations. Any check can use them, unless “Own monitors
            only” is on.
          </p>
          <SharedTable monitors={rowsOf(shared)} />
          <Pager path="/monitors" name="shared" pages={sharedPages} read={shared} of="shared monitors" />
        </>
      )}
    </>,
  )
}

function ClockFault({ monitor }: { monitor: ShownMonitor }) {
  const fault = clockFault(monitor)
  if (fault === undefined) return null
  return (
    <>
      <br />
      <small>Clock {fault}</small>
    </>
  )
}

/** Renders the last outage of the monitor's own connection, as the monitor reported it. */
export function LastOutage({ monitor }: { monitor: ShownMonitor }) {
  const { last_outage_ended_at, last_outage_sec } = monitor
  if (last_outage_ended_at === null) return <>{monitor.reported_at === null ? '–' : 'None since agent start'}</>
  return (
    <>
      {last_outage_sec === null ? null : `${span(last_outage_sec)}, ended `}
      <Ago at={last_outage_ended_at} />
    </>
  )
}

function SharedTable({ monitors }: { monitors: readonly VisibleMonitorRow[] }) {
  return (
    <Table
      columns={['Name', 'State', 'Last seen', 'City', 'Country', 'Region']}
      name="Name"
      rows={monitors.map((monitor, place) => [
        `shared-${place}`,
        nameOf(monitor),
        <StateMark state={monitor.online ? 'online' : monitor.last_seen_at === null ? 'unseen' : 'offline'} />,
        monitor.last_seen_at === null ? 'Never' : <Ago at={monitor.last_seen_at} />,
        monitor.city,
        monitor.country,
        monitor.region,
      ])}
    />
  )
}
