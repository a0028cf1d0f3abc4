// Handles the forms of an incident: notes and the postmortem.
import { DomainError } from '../../../domain/errors.ts'
import { addNote, removeNote, savePostmortem } from '../../../domain/incidents/notes.ts'
import { type Answer, idParam, type MemberContext, nameParam, redirect } from '../../route.ts'
import { sentence } from '../problem.tsx'
import { showIncident } from './one.tsx'
import { incidentPath } from './parts.tsx'
import type { IncidentFormDraft } from './written.tsx'

export async function writeNote(context: MemberContext): Promise<Answer> {
  const note = context.form.text('note')
  const which = whichOf(context)
  return orRefuse(context, { field: 'note', note }, async () => {
    await addNote(context.deps, which, note, context.viewer)
    return redirect(incidentPath(which.incident_id), 'Note added.')
  })
}

export async function deleteNoteOfMine(context: MemberContext): Promise<Answer> {
  const which = whichOf(context)
  await removeNote(context.deps, { ...which, note_id: idParam(context, 'note') }, context.viewer)
  return redirect(incidentPath(which.incident_id), 'Note deleted.')
}

export async function writePostmortem(context: MemberContext): Promise<Answer> {
  const { form, deps, viewer } = context
  const text = form.text('postmortem')
  const which = whichOf(context)
  return orRefuse(context, { field: 'postmortem', postmortem: text }, async () => {
    await savePostmortem(deps, which, { text, seen: form.text('seen') }, viewer)
    return redirect(incidentPath(which.incident_id), 'Postmortem saved.')
  })
}

/** Makes a change. If the domain refuses it, shows the refusal at the field and keeps the typed text. */
async function orRefuse(
  context: MemberContext,
  { field, ...typed }: Omit<IncidentFormDraft, 'fault'> & { field: 'note' | 'postmortem' },
  change: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof DomainError) || (error.kind !== 'invalid' && error.kind !== 'conflict')) throw error
    const more = error.kind === 'conflict' ? ' Your version is below. Compare the two and save again.' : ''
    return showIncident(context, { ...typed, fault: { field, line: `${sentence(error.message)}${more}` } })
  }
}

function whichOf(context: MemberContext): { org_id: number; incident_id: string } {
  return { org_id: context.org.org_id, incident_id: nameParam(context, 'incident') }
}
