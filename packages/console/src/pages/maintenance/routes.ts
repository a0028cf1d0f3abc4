// Defines the pages of maintenance windows.
import { endWindow, removeWindow } from '@dogwatch/domain/maintenance/edit'
import { postOrRefuse } from '../../refused-form.ts'
import { get, LARGE_FORM, post, type Route, redirect } from '../../route.ts'
import { createOne, editOne, editWindowPage, faultsOfWindow, newWindowPage, windowOf } from './form.tsx'
import { deleteWindowPage, windowsPage } from './list.tsx'

const LIST = '/channels/maintenance'

export const MAINTENANCE_ROUTES: readonly Route[] = [
  get(LIST, 'reader', windowsPage),
  get(`${LIST}/new`, 'member', newWindowPage),
  postOrRefuse(`${LIST}/new`, 'member', newWindowPage, faultsOfWindow, createOne, LARGE_FORM),
  get(`${LIST}/:window/edit`, 'member', editWindowPage),
  postOrRefuse(`${LIST}/:window/edit`, 'member', editWindowPage, faultsOfWindow, editOne, LARGE_FORM),
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
