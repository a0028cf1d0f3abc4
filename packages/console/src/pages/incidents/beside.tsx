// Shows what failed in the same minute as an incident, and earlier incidents of the same check or heartbeat.
import { causeOf } from '@dogwatch/domain/incidents/cause'
import {
  type IncidentInDetail,
  NEAR_SEC,
  type Neighbour,
  type NeighbourGroup,
} from '@dogwatch/domain/incidents/inspect'
import { Card } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { Ago, Lasted } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { nameOf } from '../monitors/parts.tsx'
import { incidentPath, incidentsPathOf } from './parts.tsx'

/** Minimum number of simultaneous failures that makes a monitor suspicious. */
const SUSPICIOUS = 3
const NAMED = 10

export function Beside({ view }: { view: IncidentInDetail }) {
  const { groups, hasMoreNeighbours, failure } = view
  if (groups.length === 0) return null
  // A failure that several monitors see is hardly the fault of one.
  const isSeenElsewhere =
    view.sights.filter(({ then, now: current }) => then?.failed_at != null || current?.failing).length > 1
  return (
    <Card title="Related incidents" tone="warn">
      <p class="hint">
        Incidents that started within {NEAR_SEC} s of this incident
        {hasMoreNeighbours ? ' (only the first are listed)' : ''}.
      </p>
      {groups.map((group) => (
        <Group group={group} isOurs={group.monitor?.id === failure?.monitor_id} isSeenElsewhere={isSeenElsewhere} />
      ))}
    </Card>
  )
}

/**
 * Renders the incidents that one monitor saw at the same time. `isOurs` means that the monitor also saw the incident of this
 * page.
 */
function Group({
  group: { monitor, neighbours },
  isOurs,
  isSeenElsewhere,
}: {
  group: NeighbourGroup
  isOurs: boolean
  isSeenElsewhere: boolean
}) {
  const count = neighbours.length + (monitor !== null && isOurs ? 1 : 0)
  const name = monitor === null ? '' : nameOf(monitor)
  return (
    <>
      <p>
        {monitor === null ? (
          <strong>Other incidents:</strong>
        ) : (
          <>
            <strong>
              {count} {count === 1 ? 'check' : 'checks'} failed from {name} at the same time.
              {count >= SUSPICIOUS && !isSeenElsewhere ? ' Possible monitor issue.' : ''}
            </strong>{' '}
            {isSeenElsewhere ? (
              'Other monitors also see this check fail.'
            ) : (
              <Link href={`/monitors`}>View monitors</Link>
            )}
          </>
        )}
      </p>
      <List neighbours={neighbours.slice(0, NAMED)} />
      {neighbours.length > NAMED ? (
        <details class="members">
          <summary>and {neighbours.length - NAMED} more</summary>
          <List neighbours={neighbours.slice(NAMED)} />
        </details>
      ) : null}
    </>
  )
}

function List({ neighbours }: { neighbours: readonly Neighbour[] }) {
  return (
    <ul class="plain">
      {neighbours.map((neighbour) => (
        <li>
          <Link href={incidentPath(neighbour.incident_id)}>{neighbour.name}</Link> <Ago at={neighbour.began_at} />
          {neighbour.ended_at === null
            ? ', ongoing'
            : [', for ', <Lasted began_at={neighbour.began_at} ended_at={neighbour.ended_at} />]}
        </li>
      ))}
    </ul>
  )
}

export function Earlier({ view }: { view: IncidentInDetail }) {
  const { incident, earlier, hasMoreEarlier } = view
  return (
    <Card title={`Previous incidents for this ${incident.kind}`}>
      {earlier.length === 0 ? (
        <p>No previous incidents.</p>
      ) : (
        <Table
          columns={['Started', 'Duration', 'Initial cause']}
          name="Started"
          numbers={['Duration']}
          rows={earlier.map(({ incident_id, began_at, ended_at, ...recorded }) => [
            incident_id,
            <Link href={incidentPath(incident_id)}>
              <Ago at={began_at} />
            </Link>,
            ended_at === null ? 'Ongoing' : <Lasted began_at={began_at} ended_at={ended_at} />,
            causeOf({ ...recorded, kind: incident.kind, began_at }),
          ])}
        />
      )}
      {hasMoreEarlier ? (
        <p>
          <Link href={incidentsPathOf(incident)}>View all incidents for this {incident.kind}</Link>
        </p>
      ) : null}
    </Card>
  )
}
