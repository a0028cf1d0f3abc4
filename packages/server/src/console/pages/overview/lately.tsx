// What changed lately, by itself or by somebody, in one stream.
import type { VNode } from 'preact'
import { countedKinds, groupAtOnce } from '../../../domain/incidents/at-once.ts'
import type { Change, Deed, IncidentChange } from '../../../domain/overview/read.ts'
import { Icon } from '../../design/icons.tsx'
import { Ago, span } from '../../parts/time.tsx'
import { incidentPath } from '../incidents/parts.tsx'

export function Lately({ lately, now }: { lately: readonly Change[]; now: Date }): VNode {
  if (lately.length === 0) return <p>Nothing has changed yet.</p>
  return (
    <ol class="stream">
      {together(lately)
        .slice(0, SHOWN)
        .map((some) => (
          <Changed key={keyOf(some[0])} some={some} now={now} />
        ))}
    </ol>
  )
}

/** Entries, of which each may stand for several changes. */
const SHOWN = 15

type Some = [Change, ...Change[]]

/** What went down, or came up, one after the other within minutes is one entry. */
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

function keyOf(change: Change): string {
  return change.kind === 'deed'
    ? `deed ${change.deed.entry_id}`
    : `${change.incident.change} ${change.incident.incident_id}`
}

function Changed({ some, now }: { some: Some; now: Date }): VNode {
  const [first, ...rest] = some
  if (first.kind === 'deed') return <Done deed={first.deed} now={now} />
  if (rest.length === 0) return <Incident change={first.incident} now={now} />
  const incidents = some.flatMap((one) => (one.kind === 'incident' ? [one.incident] : []))
  const hasBegun = first.incident.change === 'began'
  return (
    <li class={hasBegun ? 'bad' : 'good'}>
      <Icon name={hasBegun ? 'circle-x' : 'circle-check'} />
      <details>
        <summary>
          {countedKinds(incidents)} {hasBegun ? 'went down' : 'are not down any more'}
        </summary>
        <ul class="plain">
          {incidents.map(({ incident_id, name, at }) => (
            <li key={incident_id}>
              <a href={incidentPath(incident_id)}>{name}</a> <Ago at={at} now={now} />
            </li>
          ))}
        </ul>
      </details>
      <Ago at={first.at} now={now} />
    </li>
  )
}

const ENDS = new Map(
  Object.entries({
    recovered: 'is up again',
    threshold: 'no longer counts as down',
    disabled: 'was paused while it was down',
  }),
)

function Incident({ change, now }: { change: IncidentChange; now: Date }): VNode {
  const { incident_id, name, at, began_at, end_reason } = change
  const hasBegun = change.change === 'began'
  const sec = (Date.parse(at) - Date.parse(began_at)) / 1000
  return (
    <li class={hasBegun ? 'bad' : 'good'}>
      <Icon name={hasBegun ? 'circle-x' : 'circle-check'} />
      <span>
        <a href={incidentPath(incident_id)}>{name}</a>{' '}
        {hasBegun ? 'went down' : `${ENDS.get(end_reason ?? '') ?? 'is not down any more'}, after ${span(sec)}`}
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
        {impersonator === null ? (ACTORS.get(actor) ?? actor) : `${impersonator} as ${actor}`} {deedWords(action)}{' '}
        <b>{subject}</b>
      </span>
      <Ago at={created_at} now={now} />
    </li>
  )
}

const ACTORS = new Map(Object.entries({ operator: 'An operator', dogwatch: 'Dogwatch' }))
const VERBS = new Map(
  Object.entries({
    'incident.note': 'wrote a note about the incident of',
    'incident.edit_note': 'changed a note about the incident of',
    'incident.delete_note': 'deleted a note about the incident of',
    'incident.postmortem': 'wrote the postmortem of',
    'check.wipe': 'made the definition private of check',
    'check.import': 'imported',
  }),
)
const PAST = new Map(
  Object.entries({
    create: 'created',
    edit: 'changed',
    delete: 'deleted',
    undelete: 'restored',
    pause: 'paused',
    resume: 'resumed',
    run: 'ran',
    test: 'tested',
    mute: 'muted',
    unmute: 'ended the mute of',
    acknowledge: 'acknowledged',
    unacknowledge: 'took back the acknowledgement of',
    enable: 'enabled',
    disable: 'disabled',
    add: 'added',
    remove: 'removed',
    rename: 'renamed',
    reset: 'reset',
    revoke: 'revoked',
    move: 'moved',
    end: 'ended',
  }),
)

/** `paused check`; what has no words of its own as it is written in the audit log: `person: hand over`. */
export function deedWords(action: string): string {
  const [area = '', verb = ''] = action.split('.')
  const thing = area.replace(/^api_/, 'API_').replaceAll('_', ' ')
  const past = PAST.get(verb)
  return VERBS.get(action) ?? (past === undefined ? `${thing}: ${verb.replaceAll('_', ' ')}` : `${past} ${thing}`)
}
