// Shows recent changes in one stream, whether a person made them or not.
import { countedKinds, groupAtOnce } from '@dogwatch/domain/incidents/at-once'
import type { Change, IncidentChange } from '@dogwatch/domain/overview/read'
import { Icon } from '../../design/icons.tsx'
import { AuditSentence } from '../../parts/audit-sentence.tsx'
import { Ago, span } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { incidentPath } from '../incidents/parts.tsx'

export function Lately({ lately }: { lately: readonly Change[] }) {
  if (lately.length === 0) return <p>No activity yet. State changes and edits appear here.</p>
  return (
    <ol class="stream">
      {together(lately)
        .slice(0, SHOWN)
        .map((some) => (
          <Changed some={some} />
        ))}
    </ol>
  )
}

/** Maximum number of entries. Each can combine several changes. */
const SHOWN = 15

type Some = [Change, ...Change[]]

/** Combines incidents into one entry if they began, or ended, within minutes of each other. */
function together(lately: readonly Change[]): Some[] {
  const runs: Change[][] = []
  for (const change of lately) {
    const last = runs.at(-1)?.at(-1)
    const isSame =
      last?.kind === 'incident' && change.kind === 'incident' && last.incident.change === change.incident.change
    if (isSame) runs.at(-1)?.push(change)
    else runs.push([change])
  }
  const split = (run: Change[]) => groupAtOnce(run.map((change) => ({ change, began_at: change.at })))
  return runs.flatMap((run) => split(run).map((group) => group.map(({ change }) => change) as Some))
}

function Changed({ some }: { some: Some }) {
  const [first, ...rest] = some
  if (first.kind === 'deed')
    return (
      <li>
        <Icon name="user" />
        <span>
          <AuditSentence entry={first.deed} />
        </span>{' '}
        <Ago at={first.deed.created_at} />
      </li>
    )
  if (rest.length === 0) return <Incident change={first.incident} />
  const incidents = some.flatMap((one) => (one.kind === 'incident' ? [one.incident] : []))
  const hasBegun = first.incident.change === 'began'
  return (
    <li class={hasBegun ? 'bad' : 'good'}>
      <Icon name={hasBegun ? 'circle-x' : 'circle-check'} />
      <details>
        <summary>
          {countedKinds(incidents)} {hasBegun ? 'went down' : 'recovered'}
        </summary>
        <ul class="plain">
          {incidents.map(({ incident_id, name, at }) => (
            <li>
              <Link href={incidentPath(incident_id)}>{name}</Link> <Ago at={at} />
            </li>
          ))}
        </ul>
      </details>
      <Ago at={first.at} />
    </li>
  )
}

const ENDS = new Map(
  Object.entries({
    threshold: 'until its settings changed',
    disabled: 'until it was paused',
  }),
)

function Incident({ change }: { change: IncidentChange }) {
  const { incident_id, name, at, began_at, end_reason } = change
  const hasBegun = change.change === 'began'
  const lasted = span((Date.parse(at) - Date.parse(began_at)) / 1000)
  const end = ENDS.get(end_reason ?? '')
  return (
    <li class={hasBegun ? 'bad' : 'good'}>
      <Icon name={hasBegun ? 'circle-x' : 'circle-check'} />
      <span>
        <Link href={incidentPath(incident_id)}>{name}</Link>{' '}
        {hasBegun ? 'went down' : end === undefined ? `recovered after ${lasted}` : `was down for ${lasted}, ${end}`}
      </span>
      <Ago at={at} />
    </li>
  )
}
