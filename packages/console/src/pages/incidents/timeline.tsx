// Shows what happened in an incident, in one chronological order.
import type { IncidentInDetail } from '@dogwatch/domain/incidents/inspect'
import { type TimelineEntry, type Tone, timelineOf } from '@dogwatch/domain/incidents/timeline'
import { ButtonLink } from '../../design/button.tsx'
import { Icon, type IconName } from '../../design/icons.tsx'
import { Card } from '../../design/layout.tsx'
import { Ago } from '../../parts/time.tsx'
import { PostButton } from '../../post-form.tsx'
import { incidentPath } from './parts.tsx'

const ICONS: Readonly<Record<Tone, IconName>> = {
  bad: 'circle-x',
  good: 'circle-check',
  warn: 'triangle-alert',
  told: 'bell',
  said: 'user',
}

export function Timeline({ view, viewer }: { view: IncidentInDetail; viewer: { person_id: number } }) {
  return (
    <Card
      title="Timeline"
      actions={
        <ButtonLink
          kind="quiet"
          href={`/channels/deliveries?incident=${encodeURIComponent(view.incident.incident_id)}`}
          text="Delivery log"
        />
      }
    >
      <ol class="stream timeline">
        {timelineOf(view).map((entry) => (
          <Entry entry={entry} path={incidentPath(view.incident.incident_id)} viewer={viewer} />
        ))}
      </ol>
    </Card>
  )
}

function Entry({ entry, path, viewer }: { entry: TimelineEntry; path: string; viewer: { person_id: number } }) {
  const { at, tone, title, lines, note, isPlanned } = entry
  return (
    <li class={isPlanned ? 'idle' : tone}>
      <Icon name={isPlanned ? 'hourglass' : ICONS[tone]} />
      <div>
        <strong>{title}</strong>
        {lines.map((line) => (
          <p class="hint">{line}</p>
        ))}
        {note === undefined ? null : <p class="written">{note.body}</p>}
        {note?.author_id === viewer.person_id ? (
          <PostButton
            action={`${path}/notes/${note.note_id}/delete`}
            kind="quiet"
            icon="trash-2"
            confirm="Delete this note? This cannot be undone."
            text="Delete note"
          />
        ) : null}
      </div>
      <Ago at={at} />
    </li>
  )
}
