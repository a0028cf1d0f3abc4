// Defines the pages of incidents in one table, and handles the forms for notes and the postmortem.
import { addNote, removeNote, savePostmortem } from '@dogwatch/domain/incidents/notes'
import { acknowledgeSeveral } from '../../parts/acknowledged.tsx'
import { faultAt } from '../../parts/form-faults.tsx'
import { postOrRefuse } from '../../refused-form.ts'
import { get, idParam, LARGE_FORM, type MemberContext, nameParam, post, type Route, redirect } from '../../route.ts'
import { incidentsPage } from './list.tsx'
import { incidentExport, incidentPage } from './one.tsx'
import { incidentPath } from './parts.tsx'

/**
 * Returns a function that shows a refusal at a field. If another person changed the text in the meantime, both versions are on
 * the page.
 */
function faultsOf(field: 'note' | 'postmortem') {
  return (error: unknown) => {
    const fault = faultAt(error, field)
    const isConflict = (error as { kind?: unknown }).kind === 'conflict'
    const more = isConflict ? ' Your version is below. Compare the two and save again.' : ''
    return [{ ...fault, line: `${fault.line}${more}` }]
  }
}

function whichOf(context: MemberContext): { org_id: number; incident_id: string } {
  return { org_id: context.org.org_id, incident_id: nameParam(context, 'incident') }
}

const PATH = '/incidents/:incident'

export const INCIDENT_ROUTES: readonly Route[] = [
  get('/incidents', 'reader', incidentsPage),
  post('/incidents/acknowledge', 'member', acknowledgeSeveral),
  get(PATH, 'reader', incidentPage),
  get(`${PATH}/export`, 'reader', incidentExport),
  postOrRefuse(`${PATH}/notes`, 'member', incidentPage, faultsOf('note'), async (context) => {
    const which = whichOf(context)
    await addNote(context.deps, which, context.form.text('note'), context.viewer)
    return redirect(incidentPath(which.incident_id), 'Note added.')
  }),
  post(`${PATH}/notes/:note/delete`, 'member', async (context) => {
    const which = whichOf(context)
    await removeNote(context.deps, { ...which, note_id: idParam(context, 'note') }, context.viewer)
    return redirect(incidentPath(which.incident_id), 'Note deleted.')
  }),
  postOrRefuse(
    `${PATH}/postmortem`,
    'member',
    incidentPage,
    faultsOf('postmortem'),
    async (context) => {
      const { form, deps, viewer } = context
      const which = whichOf(context)
      await savePostmortem(deps, which, { text: form.text('postmortem'), seen: form.text('seen') }, viewer)
      return redirect(incidentPath(which.incident_id), 'Postmortem saved.')
    },
    LARGE_FORM,
  ),
]
