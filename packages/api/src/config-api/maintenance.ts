// Handles the operations on maintenance windows.
import { endConfiguredWindow, WINDOW } from '@dogwatch/domain/configuration/windows'
import type { Deps } from '@dogwatch/domain/deps'
import { BODY, type ConfigAnswer, type ConfigInput } from './contract.ts'
import { carryOut } from './repeat.ts'
import { editorOf, madeOf, resourceOf } from './resource.ts'

async function endMaintenanceWindow(
  deps: Deps,
  { caller, path, header, reply }: ConfigInput<'endMaintenanceWindow'>,
): ConfigAnswer<'endMaintenanceWindow'> {
  const asks = ['endMaintenanceWindow', path.guid]
  const made = await carryOut(deps, { caller, key: header['Idempotency-Key'], asks }, async (inner) =>
    madeOf(200, WINDOW, await endConfiguredWindow(inner, editorOf(caller), path.guid), caller),
  )
  return reply(200, made.body as ReturnType<typeof WINDOW.toWire>, made.headers as { ETag: string })
}

export const MAINTENANCE = {
  ...resourceOf(WINDOW, {
    plural: 'maintenance',
    list: 'windows',
    id: 'guid',
    operations: {
      list: 'listMaintenanceWindows',
      create: 'createMaintenanceWindow',
      read: 'getMaintenanceWindow',
      replace: 'replaceMaintenanceWindow',
      change: 'changeMaintenanceWindow',
      remove: 'deleteMaintenanceWindow',
    },
  }),
  endMaintenanceWindow,
}

export const MAINTENANCE_BODIES = {
  createMaintenanceWindow: BODY,
  replaceMaintenanceWindow: BODY,
  changeMaintenanceWindow: BODY,
}
