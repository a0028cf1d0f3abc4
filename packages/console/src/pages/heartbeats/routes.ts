// Defines the pages of heartbeats.
import { removeOneHeartbeat, rotateHeartbeatToken, switchOneHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { careRoutes } from '../../parts/care.tsx'
import { postOrRefuse } from '../../refused-form.ts'
import { get, type MemberContext, post, type RedirectAnswer, type Route, redirect } from '../../route.ts'
import { createOne, editHeartbeatPage, editOne, faultsOfHeartbeat, newHeartbeatPage } from './form.tsx'
import { heartbeatsPage } from './list.tsx'
import { deleteHeartbeatPage, heartbeatOf, heartbeatPage } from './one.tsx'

async function switchIt(context: MemberContext, on: boolean): Promise<RedirectAnswer> {
  const { deps, org, viewer } = context
  const { guid, name } = await heartbeatOf(context)
  await switchOneHeartbeat(deps, { org_id: org.org_id, guid }, 'enabled', on, viewer)
  return redirect(`/heartbeats/${guid}`, on ? `${name} resumed. Waiting for the next ping.` : `${name} paused.`)
}

export const HEARTBEAT_ROUTES: readonly Route[] = [
  get('/heartbeats', 'reader', heartbeatsPage),
  get('/heartbeats/new', 'member', newHeartbeatPage),
  postOrRefuse('/heartbeats/new', 'member', newHeartbeatPage, faultsOfHeartbeat, createOne),
  get('/heartbeats/:heartbeat', 'reader', heartbeatPage),
  get('/heartbeats/:heartbeat/edit', 'member', editHeartbeatPage),
  postOrRefuse('/heartbeats/:heartbeat/edit', 'member', editHeartbeatPage, faultsOfHeartbeat, editOne),
  ...careRoutes('heartbeat'),
  post('/heartbeats/:heartbeat/pause', 'member', (context) => switchIt(context, false)),
  post('/heartbeats/:heartbeat/resume', 'member', (context) => switchIt(context, true)),
  post('/heartbeats/:heartbeat/rotate', 'member', async (context) => {
    const { deps, org, viewer } = context
    const { guid } = await heartbeatOf(context)
    await rotateHeartbeatToken(deps, { org_id: org.org_id, guid }, viewer)
    return redirect(`/heartbeats/${guid}`, 'Ping URL replaced. The old URL no longer works.')
  }),
  get('/heartbeats/:heartbeat/delete', 'member', async (context) => deleteHeartbeatPage(await heartbeatOf(context))),
  post('/heartbeats/:heartbeat/delete', 'member', async (context) => {
    const { deps, org, viewer } = context
    const { guid, name } = await heartbeatOf(context)
    await removeOneHeartbeat(deps, { org_id: org.org_id, guid }, viewer)
    return redirect('/heartbeats', `${name} deleted.`)
  }),
]
