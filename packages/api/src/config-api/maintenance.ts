// Handles the operations on maintenance windows.
import { endConfiguredWindow, WINDOW } from '@dogwatch/domain/configuration/windows'
import type { SomeHandlers } from './contract.ts'
import { carryOut } from './repeat.ts'
import { editorOf, madeOf, resourceOf } from './resource.ts'

export const MAINTENANCE = {
  ...resourceOf(WINDOW, { name: 'MaintenanceWindow', plural: 'maintenance', list: 'windows', id: 'guid' }),
  async endMaintenanceWindow(deps, { caller, path, header, reply }) {
    const asked = { caller, header, asks: ['endMaintenanceWindow', path.guid] }
    const { body, headers } = await carryOut(deps, asked, async (inner) =>
      madeOf(WINDOW, await endConfiguredWindow(inner, editorOf(caller), path.guid), caller),
    )
    return reply(200, body, headers)
  },
} satisfies SomeHandlers
