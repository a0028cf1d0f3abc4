// Lists the commands.

import type { AddCommand } from './command.ts'
import { addImportFrom } from './import-from.ts'
import { addMcp } from './mcp.ts'
import { addApply, addPlan } from './plan.ts'
import { addPull } from './pull.ts'
import { addValidate } from './validate.ts'

export const COMMANDS: readonly AddCommand[] = [addPlan, addApply, addPull, addValidate, addImportFrom, addMcp]
