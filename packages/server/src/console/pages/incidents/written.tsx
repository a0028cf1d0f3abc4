// Renders what people write about an incident, and the forms for it.
import type { IncidentInDetail } from '../../../domain/incidents/inspect.ts'
import { NOTE_CHARS, POSTMORTEM_CHARS } from '../../../domain/incidents/notes.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/layout.tsx'
import { PostForm } from '../../post-form.tsx'
import { Ago } from '../../parts/time.tsx'
import { useMay } from '../../rights.tsx'
import { incidentPath } from './parts.tsx'

/** Texts that a person typed into a refused form, with the reason of the refusal. */
export interface IncidentFormDraft {
  note?: string
  postmortem?: string
  fault?: { field: 'note' | 'postmortem'; line: string }
}

interface TextProps {
  name: 'note' | 'postmortem'
  label: string
  hint: string
  value: string
  rows: number
  typed: IncidentFormDraft
}

function Text({ name, label, hint, value, rows, typed: { fault } }: TextProps) {
  const line = fault?.field === name ? fault.line : undefined
  const id = `field-${name}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      {line === undefined ? null : (
        <p class="fault" role="alert" id={`${id}-fault`}>
          {line}
        </p>
      )}
      <textarea
        id={id}
        name={name}
        rows={rows}
        aria-describedby={line === undefined ? `${id}-hint` : `${id}-hint ${id}-fault`}
        aria-invalid={line === undefined ? undefined : 'true'}
      >
        {/* A parser drops the first line break. */}
        {`\n${value}`}
      </textarea>
    </div>
  )
}

export function NoteForm({ incident_id, typed }: { incident_id: string; typed: IncidentFormDraft }) {
  const action = `${incidentPath(incident_id)}/notes`
  if (!useMay()('POST', action)) return null
  return (
    <Card title="Notes">
      <PostForm action={action}>
        <Text
          name="note"
          label="Note"
          hint={`Visible to all members of your organisation. Up to ${NOTE_CHARS} characters.`}
          value={typed.note ?? ''}
          rows={3}
          typed={typed}
        />
        <Button text="Add note" />
      </PostForm>
    </Card>
  )
}

export function Postmortem({ view, typed }: { view: IncidentInDetail; typed: IncidentFormDraft }) {
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
        <details class="part" open={typed.fault?.field === 'postmortem'}>
          <summary>{postmortem === undefined ? 'Write postmortem' : 'Edit postmortem'}</summary>
          <PostForm action={action} hidden={{ seen: postmortem?.edited_at ?? '' }}>
            <Text
              name="postmortem"
              label="Postmortem"
              hint={`All members can view and edit. Supports Markdown in the export. Up to ${POSTMORTEM_CHARS} characters.`}
              value={typed.postmortem ?? postmortem?.body ?? ''}
              rows={12}
              typed={typed}
            />
            <Button text="Save postmortem" />
          </PostForm>
        </details>
      ) : null}
    </Card>
  )
}
