// The commands `plan` and `apply`: what a file would change, and changing it.

import { deploy, type Deployed, isDifferent } from '../file/deploy.ts'
import { type AccessFlags, clientFor } from './access.ts'
import { type AddCommand, type Made, withAccess } from './command.ts'
import { DEFAULT_FILE, openConfigFile } from './config-file.ts'
import { countsText, painter, planText } from './show.ts'
import { write } from './surroundings.ts'

interface Flags extends AccessFlags {
  prune: boolean
  json: boolean
}

const PRUNE = 'delete what has a key and is not in the sections of the file'

export const addPlan: AddCommand = (start, made) => {
  withAccess(start('plan').description('Show what the file would change. Exits with 2 if there is a difference.'))
    .argument('[file]', 'the configuration; - is the standard input', DEFAULT_FILE)
    .option('--prune', PRUNE, false)
    .option('--json', 'print the plan as JSON', false)
    .action(async (file: string, flags: Flags) => {
      const plan = await deployFile(made, file, flags, true)
      if (isDifferent(plan)) made.exitWith(2)
    })
}

export const addApply: AddCommand = (start, made) => {
  withAccess(start('apply').description('Change what the file says: all of it, or nothing.'))
    .argument('[file]', 'the configuration; - is the standard input', DEFAULT_FILE)
    .option('--prune', PRUNE, false)
    .option('--json', 'print what was changed as JSON', false)
    .action(async (file: string, flags: Flags) => void (await deployFile(made, file, flags, false)))
}

async function deployFile({ around }: Made, name: string, flags: Flags, dryRun: boolean): Promise<Deployed> {
  const file = await openConfigFile(around, name)
  const client = await clientFor(around, flags)
  const done = await deploy(client, file, { prune: flags.prune, dryRun, signal: around.signal })
  if (flags.json) await write(around, `${JSON.stringify({ different: isDifferent(done), ...done }, null, 2)}\n`)
  else await write(around, textOf(done, painter(around.env, around.stdout.isTTY === true), !dryRun))
  return done
}

function textOf(done: Deployed, paint: ReturnType<typeof painter>, isDone: boolean): string {
  const order = done.order ? `${paint('yellow', '~ order of the routes')}\n    ${done.order.join(', ')}\n` : ''
  const text = planText(done.changes, paint) + order
  return `${text}${text === '' ? '' : '\n'}${countsText(done.counts, isDone)}\n`
}
