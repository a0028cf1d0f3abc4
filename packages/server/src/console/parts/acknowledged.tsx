// Who takes care of an open incident, and the buttons by which somebody does or no longer does.
import type { VNode } from 'preact'
import { acknowledge, type IncidentOf, takeBack } from '../../domain/incidents/acknowledge.ts'
import { Button } from '../design/button.tsx'
import { PostForm } from '../frame.tsx'
import { type MemberContext, redirect, type RedirectAnswer } from '../route.ts'
import { Ago } from './time.tsx'

interface Shown {
  incident_id: string
  ended_at: string | null
  acknowledged_at: string | null
  acknowledged_by: string | null
}

/** `bob@example.com, 5 min ago`; nothing when nobody did. */
export function AcknowledgedBy({ incident, now }: { incident: Shown; now: Date }): VNode | null {
  const { acknowledged_at, acknowledged_by } = incident
  if (acknowledged_at === null || acknowledged_by === null) return null
  return (
    <>
      {acknowledged_by}, <Ago at={acknowledged_at} now={now} />
    </>
  )
}

/** Of the open incident among these; nothing when none is open. `path`: the page of what it is about. */
export function Acknowledging(props: { path: string; incidents: readonly Shown[]; now: Date }): VNode | null {
  const { path, incidents, now } = props
  const open = incidents.find(({ ended_at }) => ended_at === null)
  if (!open) return null
  const isDone = open.acknowledged_at !== null
  return (
    <section aria-label="Acknowledgement">
      <p>
        {isDone ? (
          <>
            Acknowledged by <AcknowledgedBy incident={open} now={now} />: no reminders, and nobody else is told.
          </>
        ) : (
          'Nobody has acknowledged this incident.'
        )}
      </p>
      <PostForm action={`${path}/${isDone ? 'unacknowledge' : 'acknowledge'}`} class="inline">
        <input type="hidden" name="incident" value={open.incident_id} />
        <Button kind={isDone ? 'secondary' : 'primary'}>{isDone ? 'Take it back' : 'Acknowledge'}</Button>
      </PostForm>
    </section>
  )
}

/** Stores what the button of that page asked for, and goes back to the page that the form names. */
export async function acknowledgeOne(
  { deps, org, viewer, form, returnPath }: MemberContext,
  { kind, guid }: Pick<IncidentOf, 'kind' | 'guid'>,
  on: boolean,
): Promise<RedirectAnswer> {
  const incident_id = form.text('incident')
  const what = { org_id: org.org_id, kind, guid, ...(incident_id !== '' && { incident_id }) }
  const isChanged = await (on ? acknowledge : takeBack)(deps, what, viewer)
  return redirect(returnPath(form.text('to')) ?? `/${kind}s/${guid}`, noticeOf(on, isChanged))
}

function noticeOf(on: boolean, isChanged: boolean): string {
  if (on) return isChanged ? 'Acknowledged: whoever was told of it hears so.' : 'Somebody acknowledged it before.'
  return isChanged ? 'Taken back: reminders and escalation go on.' : 'It was not acknowledged.'
}
