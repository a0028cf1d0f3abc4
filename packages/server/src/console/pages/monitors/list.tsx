// The monitors of an org, with what they last reported, and the shared fleet.
import type { VNode } from 'preact'
import { readFleet, type ShownMonitor, type VisibleMonitorRow } from '../../../domain/monitors/read.ts'
import { Pager, pagesOf, rowsOf } from '../../parts/pager.tsx'
import { StateMark } from '../../parts/state.tsx'
import { Ago, span } from '../../parts/time.tsx'
import { type MemberContext, page, type PageAnswer } from '../../route.ts'
import { clockFault, MonitorMark, nameOf, placeOf } from './parts.tsx'

export async function monitorsPage({ deps, org, query }: MemberContext): Promise<PageAnswer> {
  const [ownPages, sharedPages] = [pagesOf(query), pagesOf(query, 'shared')]
  const { own, shared } = await readFleet(deps, org.org_id, { own: ownPages.slice, shared: sharedPages.slice })
  const now = deps.clock.now()
  return page(
    'Monitors',
    <>
      <h1>Monitors</h1>
      {own.length === 0 && ownPages.at === 1 ? (
        <div class="empty">
          <p>
            {org.name} has no monitor of its own yet. A monitor is an agent on a machine of yours: it runs your checks
            from there, also those of what only your network can reach.
          </p>
          <a class="button" href="/monitors/new">
            Add a monitor
          </a>
        </div>
      ) : (
        <>
          <p class="actions">
            <a class="button" href="/monitors/new">
              Add a monitor
            </a>
          </p>
          <OwnTable monitors={rowsOf(own)} now={now} />
          <Pager path="/monitors" pages={ownPages} read={own} of="monitors" />
        </>
      )}
      <h2>Shared fleet</h2>
      {shared.length === 0 && sharedPages.at === 1 ? (
        <p>There is no shared monitor at the moment.</p>
      ) : (
        <>
          <p>
            These are run for everybody. Checks that are not restricted to your own monitors can be assigned to them.
          </p>
          <SharedTable monitors={rowsOf(shared)} now={now} />
          <Pager path="/monitors" name="shared" pages={sharedPages} read={shared} of="shared monitors" />
        </>
      )}
    </>,
  )
}

function OwnTable({ monitors, now }: { monitors: readonly ShownMonitor[]; now: Date }): VNode {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Last seen</th>
            <th scope="col">Version</th>
            <th scope="col">Uptime</th>
            <th scope="col" class="number">
              Unsent results
            </th>
            <th scope="col">Last outage</th>
          </tr>
        </thead>
        <tbody>
          {monitors.map((monitor) => (
            <tr key={monitor.id}>
              <td class="name">
                <a href={`/monitors/${monitor.id}`}>{nameOf(monitor)}</a>
                <br />
                <small>{placeOf(monitor)}</small>
              </td>
              <td>
                <MonitorMark monitor={monitor} now={now} />
              </td>
              <td class="word">
                {monitor.last_seen_at === null ? 'never' : <Ago at={monitor.last_seen_at} now={now} />}
                <ClockFault monitor={monitor} />
              </td>
              <td class="name">{monitor.version ?? '–'}</td>
              <td class="word">{monitor.uptime_sec === null ? '–' : span(monitor.uptime_sec)}</td>
              <td class="number">{monitor.unsent_results ?? '–'}</td>
              <td class="name">
                <LastOutage monitor={monitor} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ClockFault({ monitor }: { monitor: ShownMonitor }): VNode | null {
  const fault = clockFault(monitor)
  if (fault === undefined) return null
  return (
    <>
      <br />
      <small>Clock {fault}</small>
    </>
  )
}

/** An outage of the monitor's own connection, as it reported it. */
export function LastOutage({ monitor, now }: { monitor: ShownMonitor; now: Date }): VNode {
  const { last_outage_ended_at, last_outage_sec } = monitor
  if (last_outage_ended_at === null) return <>{monitor.reported_at === null ? '–' : 'none since it started'}</>
  return (
    <>
      {last_outage_sec === null ? null : `${span(last_outage_sec)}, ended `}
      <Ago at={last_outage_ended_at} now={now} />
    </>
  )
}

function SharedTable({ monitors, now }: { monitors: readonly VisibleMonitorRow[]; now: Date }): VNode {
  return (
    <div class="scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Last seen</th>
            <th scope="col">City</th>
            <th scope="col">Country</th>
            <th scope="col">Region</th>
          </tr>
        </thead>
        <tbody>
          {monitors.map((monitor) => (
            <tr key={monitor.id}>
              <td class="name">{nameOf(monitor)}</td>
              <td>
                <StateMark state={monitor.online ? 'online' : monitor.last_seen_at === null ? 'unseen' : 'offline'} />
              </td>
              <td class="word">
                {monitor.last_seen_at === null ? 'never' : <Ago at={monitor.last_seen_at} now={now} />}
              </td>
              <td>{monitor.city}</td>
              <td>{monitor.country}</td>
              <td>{monitor.region}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
