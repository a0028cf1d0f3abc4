// Handles the operations on maintenance windows.
import { endConfiguredWindow, WINDOW } from '@dogwatch/domain/configuration/windows'
import type { Deps } from '@dogwatch/domain/deps'
import type { ConfigAnswer, ConfigInput } from './contract.ts'
import { carryOut } from './repeat.ts'
import { editorOf, madeOf, resourceOf } from './resource.ts'

async function endMaintenanceWindow(
  deps: Deps,
  { caller, path, header, reply }: ConfigInput<'endMaintenanceWindow'>,
): ConfigAnswer<'endMaintenanceWindow'> {
  const asked = { caller, header, asks: ['endMaintenanceWindow', path.guid] }
  const { body, headers } = await carryOut(deps, asked, async (inner) =>
    madeOf(WINDOW, await endConfiguredWindow(inner, editorOf(caller), path.guid), caller),
  )
  return reply(200, body, headers)
}

export const MAINTENANCE = {
  ...resourceOf(WINDOW, { name: 'MaintenanceWindow', plural: 'maintenance', list: 'windows', id: 'guid' }),
  endMaintenanceWindow,
}
