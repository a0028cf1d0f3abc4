// Defines the pages of monitors.
import { renameMonitor, resetOneMonitor, retireOneMonitor, switchOneMonitor } from '@dogwatch/domain/monitors/edit'
import { postOrRefuse } from '../../refused-form.ts'
import { get, type MemberContext, post, type RedirectAnswer, type Route, redirect } from '../../route.ts'
import {
  addMonitor,
  addMonitorPage,
  commandsPage,
  faultsOfPlace,
  revokeToken,
  systemFrom,
  waitingPage,
} from './add.tsx'
import { monitorsPage } from './list.tsx'
import { monitorOf, monitorPage, resetPage } from './one.tsx'
import { nameOf } from './parts.tsx'

async function switchIt(context: MemberContext, on: boolean): Promise<RedirectAnswer> {
  const { deps, org, viewer } = context
  const monitor = await monitorOf(context)
  await switchOneMonitor(deps, { org_id: org.org_id, id: monitor.id }, 'enabled', on, viewer)
  return redirect(`/monitors/${monitor.id}`, `${nameOf(monitor)} ${on ? 'enabled' : 'disabled'}.`)
}

export const MONITOR_ROUTES: readonly Route[] = [
  get('/monitors', 'reader', monitorsPage),
  get('/monitors/new', 'member', addMonitorPage),
  postOrRefuse('/monitors/new', 'member', addMonitorPage, faultsOfPlace, addMonitor),
  get('/monitors/enrolling', 'member', waitingPage),
  post('/monitors/enrollment-tokens/revoke', 'member', revokeToken),
  get('/monitors/:monitor', 'reader', monitorPage),
  postOrRefuse('/monitors/:monitor/name', 'member', monitorPage, { name: 'Name' }, async (context) => {
    const { deps, org, viewer, form } = context
    const { id } = await monitorOf(context)
    await renameMonitor(deps, { org_id: org.org_id, id }, form.text('name').trim(), viewer)
    return redirect(`/monitors/${id}`, 'Monitor renamed.')
  }),
  post('/monitors/:monitor/enable', 'member', (context) => switchIt(context, true)),
  post('/monitors/:monitor/disable', 'member', (context) => switchIt(context, false)),
  post('/monitors/:monitor/retire', 'member', async (context) => {
    const { deps, org, viewer } = context
    const monitor = await monitorOf(context)
    await retireOneMonitor(deps, { org_id: org.org_id, id: monitor.id }, viewer)
    return redirect('/monitors', `${nameOf(monitor)} retired.`)
  }),
  get('/monitors/:monitor/reset', 'member', async (context) => resetPage(context, await monitorOf(context))),
  post('/monitors/:monitor/reset', 'member', async (context) => {
    const { deps, org, viewer } = context
    const monitor = await monitorOf(context)
    await resetOneMonitor(deps, { org_id: org.org_id, id: monitor.id }, viewer)
    return commandsPage(context, { place: monitor, system: systemFrom(context.form), monitor })
  }),
  // Creates another enrollment token for a monitor that was reset, because its previous token was not used in time.
  post('/monitors/:monitor/enrollment', 'member', async (context) => {
    const monitor = await monitorOf(context)
    if (monitor.enrolled) return redirect(`/monitors/${monitor.id}`, `${nameOf(monitor)} enrolled.`)
    return commandsPage(context, { place: monitor, system: systemFrom(context.form), monitor })
  }),
]
