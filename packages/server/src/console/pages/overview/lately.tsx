// What changed lately, by itself or by somebody, in one stream.
import type { VNode } from 'preact'
import type { Change, Deed, IncidentChange } from '../../../domain/overview/read.ts'
import { Icon } from '../../design/icons.tsx'
import { Ago, span } from '../../parts/time.tsx'
import { incidentPath } from '../incidents/parts.tsx'

export function Lately({ lately, now }: { lately: readonly Change[]; now: Date }): VNode {
  if (lately.length === 0) return <p>Nothing has changed yet.</p>
  return (
    <ol class="stream">
      {lately.map((change) =>
        change.kind === 'incident' ? (
          <Incident
            key={`${change.incident.change} ${change.incident.incident_id}`}
            change={change.incident}
            now={now}
          />
        ) : (
          <Done key={`deed ${change.deed.entry_id}`} deed={change.deed} now={now} />
        ),
      )}
    </ol>
  )
}

const ENDS: Readonly<Record<string, string>> = {
  recovered: 'is up again',
  threshold: 'no longer counts as down',
  disabled: 'was paused while it was down',
}

function Incident({ change, now }: { change: IncidentChange; now: Date }): VNode {
  const { incident_id, name, at, began_at, end_reason } = change
  const hasBegun = change.change === 'began'
  const sec = (Date.parse(at) - Date.parse(began_at)) / 1000
  return (
    <li class={hasBegun ? 'bad' : 'good'}>
      <Icon name={hasBegun ? 'circle-x' : 'circle-check'} />
      <span>
        <a href={incidentPath(incident_id)}>{name}</a>{' '}
        {hasBegun ? 'went down' : `${ENDS[end_reason ?? ''] ?? 'is not down any more'}, after ${span(sec)}`}
      </span>
      <Ago at={at} now={now} />
    </li>
  )
}

function Done({ deed, now }: { deed: Deed; now: Date }): VNode {
  const { created_at, actor, impersonator, action, subject } = deed
  return (
    <li>
      <Icon name="user" />
      <span>
        {impersonator === null ? actor : `${impersonator} as ${actor}`} · {deedWords(action)} · {subject}
      </span>
      <Ago at={created_at} now={now} />
    </li>
  )
}

/** `check.delete_note` as `check: delete note` */
function deedWords(action: string): string {
  return action.replaceAll('_', ' ').replace('.', ': ')
}
