// Defines the pages of routes.
import { moveRoute, removeRoute, switchRoute } from '@dogwatch/domain/routing/edit'
import { newlyLeftOut } from '@dogwatch/domain/routing/left-out'
import { postOrRefuse } from '../../refused-form.ts'
import { get, LARGE_FORM, type MemberContext, post, type RedirectAnswer, type Route, redirect } from '../../route.ts'
import { createOne, editOne, editRoutePage, faultsOfRoute, newRoutePage, routeOf } from './form.tsx'
import { leftOutWords } from './left-out-words.ts'
import { deleteRoutePage, routesPage } from './list.tsx'
import { whoPage } from './who.tsx'

const LIST = '/channels/routes'

async function switchIt(context: MemberContext, enabled: boolean): Promise<RedirectAnswer> {
  const { deps, org, viewer } = context
  const { guid, name } = await routeOf(context)
  const change = () => switchRoute(deps, { org_id: org.org_id, guid }, enabled, viewer)
  const leftOut = await newlyLeftOut(deps, org.org_id, change)
  return redirect(LIST, `${name} ${enabled ? 'enabled' : 'disabled'}.${leftOutWords(leftOut)}`)
}

async function moveIt(context: MemberContext, way: 'up' | 'down'): Promise<RedirectAnswer> {
  const { deps, org, viewer } = context
  const { guid } = await routeOf(context)
  await moveRoute(deps, { org_id: org.org_id, guid }, { way }, viewer)
  return redirect(LIST)
}

export const ALERT_ROUTE_ROUTES: readonly Route[] = [
  get(LIST, 'reader', routesPage),
  get('/channels/who', 'reader', whoPage),
  get(`${LIST}/new`, 'member', newRoutePage),
  postOrRefuse(`${LIST}/new`, 'member', newRoutePage, faultsOfRoute, createOne, LARGE_FORM),
  get(`${LIST}/:route/edit`, 'member', editRoutePage),
  postOrRefuse(`${LIST}/:route/edit`, 'member', editRoutePage, faultsOfRoute, editOne, LARGE_FORM),
  post(`${LIST}/:route/enable`, 'member', (context) => switchIt(context, true)),
  post(`${LIST}/:route/disable`, 'member', (context) => switchIt(context, false)),
  post(`${LIST}/:route/up`, 'member', (context) => moveIt(context, 'up')),
  post(`${LIST}/:route/down`, 'member', (context) => moveIt(context, 'down')),
  get(`${LIST}/:route/delete`, 'member', async (context) => deleteRoutePage(await routeOf(context))),
  post(`${LIST}/:route/delete`, 'member', async (context) => {
    const { deps, org, viewer } = context
    const { guid, name } = await routeOf(context)
    const remove = () => removeRoute(deps, { org_id: org.org_id, guid }, viewer)
    const leftOut = await newlyLeftOut(deps, org.org_id, remove)
    return redirect(LIST, `${name} deleted.${leftOutWords(leftOut)}`)
  }),
]
