// Defines the pages of checks in one table.

import { careRoutes } from '../../parts/care.tsx'
import { postOrRefuse } from '../../refused-form.ts'
import { get, LARGE_FORM, post, type Route } from '../../route.ts'
import { changeMany, undo } from './bulk.ts'
import { checkPage } from './check.tsx'
import { exportFile, faultsOfFile, importOnes, importPage, previewPage } from './exchange.tsx'
import { createOne, editOne, editPage, newPage } from './form.tsx'
import { listPage } from './list.tsx'
import { replayOne, replayPage } from './replay.tsx'
import { resultsPage } from './results.tsx'
import { runOne, runPage } from './run-now.tsx'
import { alertsPage, definitionPage, incidentsPage } from './tabs.tsx'
import { testEdited, testNew } from './test.ts'
import { deleteOne, deletePage, switchOne, wipeOne, wipePage } from './verbs.tsx'
import { LABELS } from './words.ts'

// The first path that matches wins: fixed paths come before `:check`.
export const CHECK_ROUTES: readonly Route[] = [
  get('/checks', 'reader', listPage),
  post('/checks/bulk', 'member', changeMany, LARGE_FORM),
  post('/checks/undo', 'member', undo),
  get('/checks/new', 'member', newPage),
  post('/checks/new', 'member', createOne, LARGE_FORM),
  post('/checks/new/test', 'member', testNew, LARGE_FORM),
  get('/checks/import', 'member', importPage),
  postOrRefuse('/checks/import', 'member', importPage, faultsOfFile, previewPage, LARGE_FORM),
  post('/checks/import/confirm', 'member', importOnes, LARGE_FORM),
  get('/checks/export', 'member', exportFile),
  get('/checks/:check', 'reader', checkPage),
  get('/checks/:check/results', 'reader', resultsPage),
  get('/checks/:check/incidents', 'reader', incidentsPage),
  get('/checks/:check/definition', 'reader', definitionPage),
  get('/checks/:check/alerts', 'reader', alertsPage),
  get('/checks/:check/edit', 'member', editPage),
  post('/checks/:check/edit', 'member', editOne, LARGE_FORM),
  post('/checks/:check/edit/test', 'member', testEdited, LARGE_FORM),
  post('/checks/:check/run', 'member', runOne),
  get('/checks/:check/runs/:run', 'reader', runPage),
  get('/checks/:check/replay', 'member', replayPage),
  postOrRefuse('/checks/:check/replay', 'member', replayPage, LABELS, replayOne),
  ...careRoutes('check'),
  post('/checks/:check/pause', 'member', (context) => switchOne(context, false)),
  post('/checks/:check/resume', 'member', (context) => switchOne(context, true)),
  get('/checks/:check/delete', 'member', deletePage),
  post('/checks/:check/delete', 'member', deleteOne),
  get('/checks/:check/wipe', 'member', wipePage),
  post('/checks/:check/wipe', 'member', wipeOne),
]
