// Defines the pages of maintenance windows.
import { endWindow, readWindow, removeWindow } from '../../../domain/maintenance/edit.ts'
import { type MaintenanceWindow } from '../../../domain/maintenance/window.ts'
import { get, LARGE_FORM, type MemberContext, nameParam, post, redirect, type Route } from '../../route.ts'
import { createOne, editOne, editWindowPage, newWindowPage } from './form.tsx'
import { deleteWindowPage, windowsPage } from './list.tsx'

const LIST = '/channels/maintenance'

function windowOf(context: MemberContext): Promise<MaintenanceWindow> {
  return readWindow(context.deps, context.org.org_id, nameParam(context, 'window'))
}

export const MAINTENANCE_ROUTES: readonly Route[] = [
  get(LIST, 'reader', windowsPage),
  get(`${LIST}/new`, 'member', (context) => newWindowPage(context)),
  post(`${LIST}/new`, 'member', createOne, LARGE_FORM),
  get(`${LIST}/:window/edit`, 'member', async (context) => editWindowPage(context, await windowOf(context))),
  post(`${LIST}/:window/edit`, 'member', async (context) => editOne(context, await windowOf(context)), LARGE_FORM),
  post(`${LIST}/:window/end`, 'member', async (context) => {
    const { deps, org, viewer } = context
    const { guid, name } = await windowOf(context)
    await endWindow(deps, { org_id: org.org_id, guid }, viewer)
    return redirect(LIST, `${name} ended.`)
  }),
  get(`${LIST}/:window/delete`, 'member', async (context) => deleteWindowPage(await windowOf(context))),
  post(`${LIST}/:window/delete`, 'member', async (context) => {
    const { deps, org, viewer } = context
    const { guid, name } = await windowOf(context)
    await removeWindow(deps, { org_id: org.org_id, guid }, viewer)
    return redirect(LIST, `${name} deleted.`)
  }),
]
