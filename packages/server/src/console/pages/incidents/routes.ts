// Defines the pages of incidents in one table.
import { acknowledgeSeveral } from '../../parts/acknowledged.tsx'
import { get, LARGE_FORM, post, type Route } from '../../route.ts'
import { incidentsPage } from './list.tsx'
import { incidentExport, incidentPage } from './one.tsx'
import { deleteNoteOfMine, writeNote, writePostmortem } from './verbs.ts'

export const INCIDENT_ROUTES: readonly Route[] = [
  get('/incidents', 'reader', incidentsPage),
  post('/incidents/acknowledge', 'member', acknowledgeSeveral),
  get('/incidents/:incident', 'reader', incidentPage),
  get('/incidents/:incident/export', 'reader', incidentExport),
  post('/incidents/:incident/notes', 'member', writeNote),
  post('/incidents/:incident/notes/:note/delete', 'member', deleteNoteOfMine),
  post('/incidents/:incident/postmortem', 'member', writePostmortem, LARGE_FORM),
]
