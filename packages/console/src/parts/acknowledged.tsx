// Renders who acknowledged an open incident, and the buttons that acknowledge it and that undo its acknowledgement.
import { acknowledge, type IncidentOf, takeBack } from '@dogwatch/domain/incidents/acknowledge'
import { acknowledgeMany } from '@dogwatch/domain/incidents/acknowledge-many'
import { NOTE_CHARS } from '@dogwatch/domain/incidents/notes'
import { Button } from '../design/button.tsx'
import { PostButton, PostForm } from '../post-form.tsx'
import { type MemberContext, type RedirectAnswer, redirect } from '../route.ts'
import { Ago } from './time.tsx'

/** Incident with its acknowledgement, if there is one. */
export interface Acknowledgeable {
  incident_id: string
  acknowledged_at: string | null
  acknowledged_by: string | null
}

/** Renders who acknowledged an incident: `bob@example.com, 5 min ago`. Renders nothing if no one did. */
export function AcknowledgedBy({ incident }: { incident: Acknowledgeable }) {
  const { acknowledged_at, acknowledged_by } = incident
  if (acknowledged_at === null || acknowledged_by === null) return null
  return (
    <>
      {acknowledged_by}, <Ago at={acknowledged_at} />
    </>
  )
}

export interface AcknowledgingProps {
  /** Path of the page of the check or heartbeat. */
  path: string
  name: string
  incidents: readonly (Acknowledgeable & { ended_at: string | null })[]
}

/** Renders the acknowledgement of the open incident in `incidents`. Renders nothing without an open one. */
export function Acknowledging({ path, name, incidents }: AcknowledgingProps) {
  const open = incidents.find(({ ended_at }) => ended_at === null)
  if (!open) return null
  return (
    <section aria-label="Acknowledgement">
      <p>
        {open.acknowledged_at === null
          ? 'Not acknowledged.'
          : ['Acknowledged by ', <AcknowledgedBy incident={open} />, '. Reminders and escalation are stopped.']}
      </p>
      <AcknowledgementButtons path={path} name={name} incident={open} kind="primary" />
    </section>
  )
}

interface ButtonsProps extends Pick<AcknowledgeProps, 'name' | 'kind' | 'to'> {
  /** Path of the page of the check or heartbeat. */
  path: string
  incident: Acknowledgeable
}

/** Renders the buttons that acknowledge an open incident, or the button that undoes its acknowledgement. */
export function AcknowledgementButtons({ path, incident, ...given }: ButtonsProps) {
  const { incident_id, acknowledged_at } = incident
  if (acknowledged_at === null)
    return <Acknowledge {...given} action={`${path}/acknowledge`} incident_ids={[incident_id]} />
  return (
    <PostButton
      action={`${path}/unacknowledge`}
      hidden={{ incident: incident_id, to: given.to }}
      kind={given.to === undefined ? 'secondary' : 'quiet'}
      icon="hand"
      label={`Unacknowledge: ${given.name}`}
      text="Unacknowledge"
    />
  )
}

interface AcknowledgeProps {
  action: string
  incident_ids: readonly string[]
  /** Names of the checks or heartbeats, which screen readers read out with the buttons. */
  name: string
  /** Text of the button. */
  label?: string
  kind?: 'primary' | 'secondary'
  /** Path of the page to return to. Default: the page of the check or heartbeat. */
  to?: string
}

/**
 * Renders the buttons that acknowledge incidents with one press, with or without a note. A typed note counts for both buttons.
 */
export function Acknowledge(props: AcknowledgeProps) {
  const { action, incident_ids, name, label = 'Acknowledge', kind = 'secondary', to } = props
  return (
    <PostForm action={action} class="inline" hidden={{ to }}>
      {incident_ids.map((id) => (
        <input type="hidden" name="incident" value={id} />
      ))}
      <Button kind={kind} icon="hand" label={`${label}: ${name}`} text={label} />
      <details class="choices with-note">
        <summary class="button quiet">
          <span>
            {label} with note<span class="heard">: {name}</span>…
          </span>
        </summary>
        <div>
          <label>
            Acknowledgement note
            <textarea name="note" rows={3} maxLength={NOTE_CHARS} />
          </label>
          <p class="hint">The note is added to the incident and sent to everyone who was notified.</p>
          <Button label={`${label} with this note: ${name}`} text={`${label} with note`} />
        </div>
      </details>
    </PostForm>
  )
}

/** Acknowledges an incident, or undoes its acknowledgement, and returns to the page that the form names. */
export async function acknowledgeOne(
  { deps, org, viewer, form, returnPath }: MemberContext,
  { kind, guid }: Pick<IncidentOf, 'kind' | 'guid'>,
  on: boolean,
): Promise<RedirectAnswer> {
  const incident_id = form.text('incident')
  const what = { org_id: org.org_id, kind, guid, ...(incident_id !== '' && { incident_id }) }
  const to = returnPath(form.text('to')) ?? `/${kind}s/${guid}`
  if (!on) {
    const isChanged = await takeBack(deps, what, viewer)
    return redirect(
      to,
      isChanged ? 'Acknowledgement removed. Reminders and escalation resume.' : 'This incident was not acknowledged.',
    )
  }
  const note = form.text('note')
  const isChanged = await acknowledge(deps, what, viewer, { text: note, author: viewer })
  const added = note.trim() === '' ? '' : ' Note added.'
  return redirect(to, `${isChanged ? ACKNOWLEDGED : 'This incident was already acknowledged.'}${added}`)
}

const ACKNOWLEDGED = 'Incident acknowledged. Everyone who was notified is being informed.'

/** Acknowledges several incidents, of any checks and heartbeats. */
export async function acknowledgeSeveral({
  deps,
  org,
  viewer,
  form,
  returnPath,
}: MemberContext): Promise<RedirectAnswer> {
  const asked = { org_id: org.org_id, incident_ids: form.all('incident'), note: form.text('note') }
  const { done, before, over, unnoted } = await acknowledgeMany(deps, asked, viewer)
  const said = [
    `${done} ${done === 1 ? 'incident' : 'incidents'} acknowledged. Everyone who was notified is being informed.`,
    ...(before === 0 ? [] : [`${before} already acknowledged.`]),
    ...(over === 0 ? [] : [`${over} already resolved.`]),
    ...(unnoted === 0
      ? []
      : [`Note not added to ${unnoted} ${unnoted === 1 ? 'incident' : 'incidents'}: note limit reached.`]),
  ]
  return redirect(returnPath(form.text('to')) ?? '/incidents?state=open', said.join(' '))
}
