// Renders what people write about an incident, and the forms for it.
import type { IncidentInDetail } from '@dogwatch/domain/incidents/inspect'
import { NOTE_CHARS, POSTMORTEM_CHARS } from '@dogwatch/domain/incidents/notes'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/layout.tsx'
import { Field } from '../../parts/field.tsx'
import { Ago } from '../../parts/time.tsx'
import { PostForm } from '../../post-form.tsx'
import { useMay } from '../../rights.tsx'
import { incidentPath } from './parts.tsx'

export function NoteForm({ incident_id }: { incident_id: string }) {
  const action = `${incidentPath(incident_id)}/notes`
  if (!useMay()('POST', action)) return null
  return (
    <Card title="Notes">
      <PostForm action={action}>
        <Field
          name="note"
          label="Note"
          hint={`Visible to all members of your organisation. Up to ${NOTE_CHARS} characters.`}
          rows={3}
        />
        <Button text="Add note" />
      </PostForm>
    </Card>
  )
}

/** Renders the postmortem. `refused` is the action of the form that was refused. */
export function Postmortem({ view, refused }: { view: IncidentInDetail; refused: string | undefined }) {
  const { postmortem, incident } = view
  const action = `${incidentPath(incident.incident_id)}/postmortem`
  const mayWrite = useMay()('POST', action)
  return (
    <Card title="Postmortem">
      {postmortem === undefined ? (
        <p>No postmortem yet. Describe what happened, why, and what you will change.</p>
      ) : (
        <>
          <p class="written">{postmortem.body}</p>
          <p class="hint">
            Last edited by {postmortem.edited_by} <Ago at={postmortem.edited_at} />.
          </p>
        </>
      )}
      {mayWrite ? (
        <details class="part" open={refused === action}>
          <summary>{postmortem === undefined ? 'Write postmortem' : 'Edit postmortem'}</summary>
          <PostForm action={action} hidden={{ seen: postmortem?.edited_at ?? '' }}>
            <Field
              name="postmortem"
              label="Postmortem"
              hint={`All members can view and edit. Supports Markdown in the export. Up to ${POSTMORTEM_CHARS} characters.`}
              value={postmortem?.body ?? ''}
              rows={12}
            />
            <Button text="Save postmortem" />
          </PostForm>
        </details>
      ) : null}
    </Card>
  )
}
