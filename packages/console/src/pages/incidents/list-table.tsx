// Renders the table of incidents. Incidents that began together share a row, which unfolds. Repeated incidents of one check or
// heartbeat also share a row.

import { commonCauses, countedKinds, withinWords } from '@dogwatch/domain/incidents/at-once'
import { causeOf, heldWords } from '@dogwatch/domain/incidents/cause'
import type { IncidentGroup, ListedIncident } from '@dogwatch/domain/incidents/list'
import type { ComponentChildren } from 'preact'
import { StateMark } from '../../design/badge.tsx'
import { type Row, Table, type WideRow } from '../../design/table.tsx'
import { Acknowledge, AcknowledgedBy } from '../../parts/acknowledged.tsx'
import { Ago, At, Lasted, span } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { incidentPath, subjectPath } from './parts.tsx'

/** Renders the table. `back` is the path of the page to return to after a form. */
export function IncidentTable({ groups, back }: { groups: readonly IncidentGroup[]; back: string }) {
  return (
    <Table
      columns={['Incident', 'State', 'Started', 'Duration', 'Initial cause', 'Acknowledged']}
      name="Incident"
      numbers={['Duration']}
      rows={groups.map((group) => rowOf(group, back))}
    />
  )
}

function rowOf(group: IncidentGroup, back: string): Row | WideRow {
  const [incident] = group.incidents as [ListedIncident, ...ListedIncident[]]
  if (group.incidents.length === 1) return [incident.incident_id, ...cellsOf(incident, back)]
  const key = `${group.incidents.at(-1)?.incident_id}+`
  const isOne = group.incidents.every(({ guid }) => guid === incident.guid)
  return { key, across: isOne ? <Repeated group={group} /> : <Group group={group} back={back} /> }
}

function cellsOf(incident: ListedIncident, back: string): ComponentChildren[] {
  const { incident_id, name, kind, began_at, ended_at } = incident
  return [
    <>
      <Link href={incidentPath(incident_id)}>{name}</Link>
      {kind === 'heartbeat' ? <span class="hint-inline"> heartbeat</span> : null}
    </>,
    ended_at === null ? <StateMark state="down" /> : 'Resolved',
    <Ago at={began_at} />,
    <Lasted {...incident} />,
    <Cause incident={incident} />,
    <Care incident={incident} back={back} />,
  ]
}

function Cause({ incident }: { incident: ListedIncident }) {
  const { held_by, ended_at } = incident
  return (
    <>
      {causeOf(incident)}
      {held_by === null || ended_at !== null ? null : (
        <span class="hint-inline"> · alert will be sent {heldWords(held_by)}</span>
      )}
    </>
  )
}

/** Renders who acknowledged the incident, or the button for that. */
function Care({ incident, back }: { incident: ListedIncident; back: string }) {
  const { incident_id, name, ended_at, acknowledged_at } = incident
  if (acknowledged_at !== null) return <AcknowledgedBy incident={incident} />
  if (ended_at !== null) return <>No</>
  return (
    <Acknowledge action={`${subjectPath(incident)}/acknowledge`} incident_ids={[incident_id]} name={name} to={back} />
  )
}

/** Renders several incidents, folded: their number and kinds, since when, why, and which monitor saw them first. */
function Group({ group: { incidents, isCut, first_seen }, back }: { group: IncidentGroup; back: string }) {
  const open = incidents.filter(({ ended_at }) => ended_at === null)
  const waiting = open.filter(({ acknowledged_at }) => acknowledged_at === null)
  const title = `${countedKinds(incidents)}${isCut ? ' or more' : ''} went down ${withinWords(incidents)}`
  const all = isCut ? 'these' : 'all'
  return (
    <>
      <details class="members">
        <summary>
          {open.length === 0 ? null : <StateMark state="down" />} <strong>{title}</strong>
          <span class="hint-inline">
            {' '}
            <Ago at={incidents.at(-1)?.began_at ?? ''} />
            {open.length === 0
              ? ` · ${all} resolved`
              : open.length === incidents.length
                ? ` · ${all} still down`
                : ` · ${open.length} still down`}
            {` · ${commonCauses(incidents.map(causeOf))}`}
            {seenWords(first_seen)}
          </span>
        </summary>
        <ul class="plain">
          {incidents.map((incident) => (
            <li>
              <Link href={incidentPath(incident.incident_id)}>{incident.name}</Link>
              <span>
                {incident.ended_at === null ? <StateMark state="down" /> : 'Down'} for <Lasted {...incident} />:{' '}
                <Cause incident={incident} />
              </span>
              {incident.ended_at !== null && incident.acknowledged_at === null ? null : (
                <Care incident={incident} back={back} />
              )}
            </li>
          ))}
        </ul>
      </details>
      {waiting.length < 2 ? null : (
        <Acknowledge
          action="/incidents/acknowledge"
          incident_ids={waiting.map(({ incident_id }) => incident_id)}
          name={title}
          label={`Acknowledge ${all} ${waiting.length}`}
          to={back}
        />
      )}
    </>
  )
}

/** Renders the incidents of one check or heartbeat that was down repeatedly, folded. */
function Repeated({ group: { incidents, isCut } }: { group: IncidentGroup }) {
  const [newest, oldest] = [incidents[0] as ListedIncident, incidents.at(-1) as ListedIncident]
  const sec = incidents.reduce(
    (sum, { began_at, ended_at }) => sum + (Date.parse(ended_at ?? began_at) - Date.parse(began_at)) / 1000,
    0,
  )
  return (
    <details class="members">
      <summary>
        <strong>
          {newest.name} went down {incidents.length} times{isCut ? ' or more' : ''}
        </strong>
        <span class="hint-inline">
          {' '}
          from <At at={oldest.began_at} /> to <At at={newest.ended_at ?? newest.began_at} />
          {` · ${span(sec)} total downtime · ${commonCauses(incidents.map(causeOf))}`}
        </span>
      </summary>
      <ul class="plain">
        {incidents.map((incident) => (
          <li>
            <Link href={incidentPath(incident.incident_id)}>
              <Ago at={incident.began_at} />
            </Link>
            <span>
              for <Lasted {...incident} />: <Cause incident={incident} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function seenWords(first_seen: IncidentGroup['first_seen']): string {
  const [only] = first_seen
  if (only === undefined) return ''
  if (first_seen.length === 1) return ` · first seen by ${only.name}`
  return ` · first seen by ${first_seen.map(({ name, count }) => `${name} (${count})`).join(', ')}`
}
