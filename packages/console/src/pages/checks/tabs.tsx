// Renders the tabs of a check other than its overview: incidents, definition, alerts.
import { readChannels } from '@dogwatch/domain/channels/edit'
import { type CheckInDetail, readStanding } from '@dogwatch/domain/checks/inspect'
import { causeOf } from '@dogwatch/domain/incidents/cause'
import { NO_CAUSE, readCauses, type ToldCause } from '@dogwatch/domain/incidents/errors'
import { StateMark } from '../../design/badge.tsx'
import { ButtonLink } from '../../design/button.tsx'
import { Card } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { AcknowledgedBy } from '../../parts/acknowledged.tsx'
import { Ago, Lasted } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import type { MemberContext, PageAnswer } from '../../route.ts'
import { deliveryLog } from '../channels/delivery-log.tsx'
import { incidentPath } from '../incidents/parts.tsx'
import { tabPage } from './head.tsx'
import { SetFields } from './set-fields.tsx'

const MOST_INCIDENTS = 100
const END_REASONS = {
  recovered: 'Recovered',
  threshold: 'Settings changed',
  disabled: 'Check paused',
  deleted: 'Check deleted',
} as const

export async function incidentsPage({ deps, org, params }: MemberContext): Promise<PageAnswer> {
  const view = await readStanding(deps, org.org_id, params.check ?? '', MOST_INCIDENTS)
  const incidents = view.incidents.map((incident) => ({ ...incident, kind: 'check' as const }))
  const causes = await readCauses(deps, org.org_id, incidents)
  const shown = incidents.map((incident) => ({ ...incident, ...(causes.get(incident.incident_id) ?? NO_CAUSE) }))
  return tabPage(deps, { ...view, org_id: org.org_id }, '/incidents', <Incidents incidents={shown} />)
}

type ShownIncident = CheckInDetail['incidents'][number] & { kind: 'check' } & ToldCause

function Incidents({ incidents }: { incidents: readonly ShownIncident[] }) {
  return (
    <Card title="Incidents" live="incidents">
      <Table
        {...(incidents.length === MOST_INCIDENTS && { caption: `Showing the latest ${MOST_INCIDENTS} incidents.` })}
        columns={['Started', 'Resolved', 'Duration', 'Initial cause', 'Acknowledged by', 'Resolution']}
        name="Started"
        rows={incidents.map(({ began_at, ended_at, end_reason, ...incident }) => [
          incident.incident_id,
          <Link href={incidentPath(incident.incident_id)}>
            <Ago at={began_at} />
          </Link>,
          ended_at === null ? <StateMark state="down" /> : <Ago at={ended_at} />,
          <Lasted began_at={began_at} ended_at={ended_at} />,
          causeOf({ ...incident, began_at }),
          <AcknowledgedBy incident={incident} />,
          end_reason === null ? 'Ongoing' : END_REASONS[end_reason],
        ])}
        empty="No incidents. This check has never been down."
      />
    </Card>
  )
}

export async function definitionPage({ deps, org, params }: MemberContext): Promise<PageAnswer> {
  const view = await readStanding(deps, org.org_id, params.check ?? '')
  const { check } = view
  const path = `/checks/${check.guid}`
  return tabPage(
    deps,
    { ...view, org_id: org.org_id },
    '/definition',
    <Card title="Definition" live="definition">
      <SetFields check={check} />
      <div class="actions">
        <ButtonLink href={`${path}/edit`} icon="pencil" text="Edit check" />
        <ButtonLink href={`/checks/new?from=${check.guid}`} icon="copy" text="Duplicate check" />
        {check.url === '' || view.judged_by_server ? null : (
          <ButtonLink href={`${path}/wipe`} text="Make definition private" />
        )}
        <ButtonLink href={`${path}/delete`} kind="danger" text="Delete check" />
      </div>
    </Card>,
  )
}

export async function alertsPage({ deps, org, params, query }: MemberContext): Promise<PageAnswer> {
  const view = await readStanding(deps, org.org_id, params.check ?? '')
  const { check_id, guid } = view.check
  const path = `/checks/${guid}`
  const log = await deliveryLog(deps, org.org_id, query, {
    path: `${path}/alerts`,
    channels: await readChannels(deps, org.org_id),
    only: { check_id },
    nothing: 'No alerts sent for this check.',
  })
  return tabPage(
    deps,
    { ...view, org_id: org.org_id },
    '/alerts',
    <Card title="Alerts" live="alerts">
      {log}
      <div class="actions">
        <ButtonLink href={`${path}/replay`} text="Test alert settings" />
        <ButtonLink href="/channels/routes" text="View routes" />
      </div>
    </Card>,
  )
}
