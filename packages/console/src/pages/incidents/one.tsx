// Shows one incident: its cause, its evidence, everything that happened, and what people wrote.
import { causeOf, verdictWords } from '@dogwatch/domain/incidents/cause'
import { type IncidentInDetail, inspectIncident } from '@dogwatch/domain/incidents/inspect'
import { beganWith, causeNow, incidentMarkdown } from '@dogwatch/domain/incidents/markdown'
import { Badge, StateBadge } from '../../design/badge.tsx'
import { ButtonLink } from '../../design/button.tsx'
import { Card, type Fact, Facts, PageHead } from '../../design/layout.tsx'
import { MutedUntil } from '../../parts/muted.tsx'
import { Ago, At, Lasted } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { type Answer, type MemberContext, nameParam, type PageAnswer, page } from '../../route.ts'
import { Beside, Earlier } from './beside.tsx'
import { Evidence } from './evidence.tsx'
import { Care, Held, incidentPath, incidentsPathOf, Line, subjectPath, Verbs } from './parts.tsx'
import { Timeline } from './timeline.tsx'
import { NoteForm, Postmortem } from './written.tsx'

export async function incidentPage(context: MemberContext): Promise<PageAnswer> {
  const { deps, org, viewer, refused } = context
  const view = await inspectIncident(deps, org.org_id, nameParam(context, 'incident'))
  const { incident } = view
  return page(
    `Incident: ${incident.name}`,
    <>
      <Head view={view} />
      <Standing view={view} />
      <Beside view={view} />
      <Evidence view={view} />
      <Timeline view={view} viewer={viewer} />
      <NoteForm incident_id={incident.incident_id} />
      <Postmortem view={view} refused={refused?.action} />
      <Earlier view={view} />
    </>,
  )
}

function Head({ view: { incident } }: { view: IncidentInDetail }) {
  const { incident_id, kind, name, ended_at, began_at } = incident
  return (
    <PageHead
      title={name}
      crumbs={[
        { href: '/incidents', label: 'Incidents' },
        { href: incidentsPathOf(incident), label: incident.name },
      ]}
      state={ended_at === null ? <StateBadge state="down" /> : <Badge icon="circle-check" text="Resolved" />}
      actions={
        <>
          <ButtonLink
            href={subjectPath(incident)}
            kind="quiet"
            text={kind === 'check' ? 'View check' : 'View heartbeat'}
          />
          <ButtonLink
            href={`${incidentPath(incident_id)}/export`}
            kind="quiet"
            icon="download"
            text="Export Markdown"
          />
        </>
      }
    >
      {ended_at === null ? (
        ['Down for ', <Lasted {...incident} />, ', since ', <At at={began_at} />, '.']
      ) : (
        <>
          Down for <Lasted {...incident} /> on <At at={began_at} dated /> (
          <Ago at={began_at} brief />
          ).
        </>
      )}
    </PageHead>
  )
}

/** Renders the cause, the reason of the verdict, and who acknowledged the incident. */
function Standing({ view }: { view: IncidentInDetail }) {
  const { incident, mute } = view
  const { kind, began_at, ended_at, held_by, verdict } = incident
  const why = verdictWords(verdict, began_at)
  const first = beganWith(view)
  const facts: (Fact | undefined)[] = [
    ['Started', <Ago at={began_at} />],
    first === undefined ? undefined : ['Initial cause', first],
    ['Resolved', ended_at === null ? 'Not yet' : <Ago at={ended_at} />],
    ['Duration', <Lasted {...incident} />],
    why === '' ? undefined : ['Trigger', why],
    [kind === 'check' ? 'Check' : 'Heartbeat', <Link href={subjectPath(incident)}>{incident.name}</Link>],
    incident.tags.length === 0 ? undefined : ['Tags', incident.tags.join(', ')],
  ]
  return (
    <Card label="State" tone={ended_at === null ? 'bad' : 'good'}>
      <p class="cause">{causeOf({ ...incident, ...causeNow(view) })}</p>
      {view.isPrivate ? <p class="hint">Private definition: only the failure type is available.</p> : null}
      <Facts facts={facts} />
      <ul class="lines">
        {held_by === null || ended_at !== null ? null : (
          <Line icon="hourglass">
            <Held held_by={held_by} due_at={view.waiting.find(({ is_due_known }) => is_due_known)?.due_at ?? null} />
          </Line>
        )}
        {ended_at === null || incident.acknowledged_at !== null ? (
          <Line icon="hand">
            <Care incident={incident} />
          </Line>
        ) : null}
        {mute === undefined ? null : (
          <Line icon="bell-off">
            Muted by {mute.muted_by}
            <MutedUntil {...mute} />.
          </Line>
        )}
      </ul>
      {ended_at === null ? (
        <Verbs
          subject={incident}
          incident={incident}
          muted_until={mute?.muted_until ?? null}
          to={incidentPath(incident.incident_id)}
          isMain
        />
      ) : null}
    </Card>
  )
}

export async function incidentExport(context: MemberContext): Promise<Answer> {
  const { deps, org, options } = context
  const view = await inspectIncident(deps, org.org_id, nameParam(context, 'incident'))
  const { incident_id, began_at } = view.incident
  const url = `${options.public_url.replace(/(?<!\/)\/+$/, '')}${incidentPath(incident_id)}`
  return {
    kind: 'file',
    name: `incident-${began_at.slice(0, 10)}-${incident_id.slice(0, 8)}.md`,
    type: 'text/markdown; charset=utf-8',
    text: incidentMarkdown(view, { url, now: deps.clock.now() }),
  }
}
