// Defines the commands `plan` and `apply`: shows the changes of a file, and makes them.

import { deploy, type DeployResult, isDifferent, type PlannedChange, PlanMismatch } from '../file/deploy.ts'
import { FaultyFile } from '../file/place.ts'
import { type ReadFile, SECTIONS } from '../file/read.ts'
import { type AccessFlags, clientFor } from './access.ts'
import { type AddCommand, type CommandContext, withAccess } from './command.ts'
import { DEFAULT_FILE, openConfigFile, readText } from './config-file.ts'
import { Refusal } from './refusal.ts'
import { countsText, painter, planText, uncomparedText } from './show.ts'
import { write } from './surroundings.ts'

const PLANNED = 'apply this plan, as printed by plan --json; apply nothing if the server has changed since'

interface Flags extends AccessFlags {
  planned?: string
  prune: boolean
  json: boolean
  allowEmpty: boolean
}

const PRUNE = 'delete items that have a key but are missing from the sections in the file'
const ALLOW_EMPTY = 'allow --prune to delete everything in an empty section'

export const addPlan: AddCommand = (start, made) => {
  withAccess(start('plan').description('Show what the file would change. Exits with 2 if there are differences.'))
    .argument('[file]', 'configuration file; - for standard input', DEFAULT_FILE)
    .option('--prune', PRUNE, false)
    .option('--allow-empty', ALLOW_EMPTY, false)
    .option('--json', 'print the plan as JSON', false)
    .action(async (file: string, flags: Flags) => {
      const plan = await deployFile(made, file, flags, true)
      if (isDifferent(plan)) made.exitWith(2)
    })
}

export const addApply: AddCommand = (start, made) => {
  withAccess(start('apply').description('Apply the changes in the file, all or nothing.'))
    .argument('[file]', 'configuration file; - for standard input', DEFAULT_FILE)
    .option('--prune', PRUNE, false)
    .option('--allow-empty', ALLOW_EMPTY, false)
    .option('--json', 'print the changes as JSON', false)
    .option('--planned <file>', PLANNED)
    .action(async (file: string, flags: Flags) => void (await deployFile(made, file, flags, false)))
}

/** Reads the changes that `plan --json` printed. */
async function readPlan(name: string): Promise<readonly PlannedChange[]> {
  const isOne = (one: Partial<PlannedChange> | null) => typeof one?.kind === 'string' && typeof one.found === 'string'
  try {
    const { changes } = JSON.parse(await readText(name)) as { changes: PlannedChange[] }
    if (changes.every(isOne)) return changes
  } catch (error) {
    if (error instanceof Refusal) throw error
  }
  throw new Refusal(`${name} does not contain a plan; create the plan with plan --json`)
}

async function deployFile(
  { around }: CommandContext,
  name: string,
  flags: Flags,
  dryRun: boolean,
): Promise<DeployResult> {
  const file = await openConfigFile(around, name)
  if (flags.prune && !flags.allowEmpty) refuseEmpty(file)
  const client = await clientFor(around, flags)
  const planned = flags.planned === undefined ? undefined : await readPlan(flags.planned)
  const done = await deploy(client, file, { prune: flags.prune, dryRun, signal: around.signal, planned }).catch(
    (error: unknown) => {
      throw error instanceof PlanMismatch ? new Refusal(error.message) : error
    },
  )
  if (flags.json) await write(around, `${JSON.stringify({ different: isDifferent(done), ...done }, null, 2)}\n`)
  else await write(around, textOf(done, painter(around.env, around.stdout.isTTY === true), !dryRun))
  return done
}

/** Refuses an empty section, because it is more often a mistake than a request to delete everything. */
function refuseEmpty({ source, config }: ReadFile): void {
  const empty = SECTIONS.filter((section) => config[section] && Object.keys(config[section]).length === 0)
  if (empty.length === 0) return
  const faults = empty.map((section) => ({
    at: source.placeOf([section]),
    line: `${section} is empty, so --prune would delete every item of this section that has a key; add --allow-empty to confirm`,
  }))
  throw new FaultyFile(source.file, faults)
}

function textOf(done: DeployResult, paint: ReturnType<typeof painter>, isDone: boolean): string {
  const order = done.order ? `${paint('yellow', '~ order of routes')}\n    ${done.order.join(', ')}\n` : ''
  const text = planText(done.changes, paint) + order
  return `${text}${text === '' ? '' : '\n'}${uncomparedText(done.changes)}${countsText(done, isDone)}\n`
}
