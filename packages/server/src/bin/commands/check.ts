// Adds the commands dogwatch check ...

import { toAccountCheck } from '@dogwatch/api/account-api/wire'
import { assignMonitors, type MonitorChoice, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { exportChecks } from '@dogwatch/domain/checks/read'
import { replayCheck, replayOrganisation } from '@dogwatch/domain/checks/replay'
import type { Deps } from '@dogwatch/domain/deps'
import { readDocument, readId, readMonitors } from '../arguments.ts'
import { type OperatorCommand, runCommand, withSettings } from '../setup.ts'

export function addCheckCommands(program: OperatorCommand): void {
  const check = program.command('check').description('manage checks')

  const importing = withSettings(check.command('import'))
    .description('import checks into an organisation from a file in the account API format, all or nothing')
    .requiredOption('--org <id>', 'the organisation', readId)
    .requiredOption('--file <path>', 'the file; - for standard input')
    .option(
      '--monitors <all|none|M1,M2>',
      'the monitors that run the checks (default: none for new checks, unchanged for existing checks)',
      readChoice,
    )
    .action(async (options: { org: number; file: string; monitors?: MonitorChoice }) => {
      const file = await readDocument(options.file)
      await runCommand(importing, (deps) => importChecks(deps, options.org, file, options.monitors))
    })

  withSettings(check.command('export'))
    .description("print an organisation's checks in the format that import reads")
    .requiredOption('--org <id>', 'the organisation', readId)
    .prints(async (deps, options: { org: number }) =>
      (await exportChecks(deps, options.org)).map((check) => toAccountCheck(check)),
    )

  for (const [name, verb] of [
    ['assign', assignMonitors],
    ['unassign', unassignMonitors],
  ] as const) {
    withSettings(check.command(name))
      .description(`${name} monitors`)
      .requiredOption('--guid <guid>', 'the check')
      .requiredOption('--monitors <all|M1,M2>', 'which', readAllOrSome)
      .prints(async (deps, options: { guid: string; monitors: readonly string[] | 'all' }) => {
        await verb(deps, options.guid, options.monitors)
        return { guid: options.guid }
      })
  }

  const replaying = withSettings(check.command('replay'))
    .description('count the alerts that other alert rules would have sent for the stored results; sends nothing')
    .option('--guid <guid>', 'the check')
    .option('--org <id>', 'all checks of an organisation', readId)
    .requiredOption('--from <time>', 'start time, such as 2026-11-01T00:00:00Z')
    .option('--until <time>', 'end time (default: now)')
    .requiredOption(
      '--rules <path>',
      'a JSON file of alert fields, optionally with routes and windows that replace the current ones, such as {"down_majority": true, "routes": []}; - for standard input',
    )
    .action(async (options: { guid?: string; org?: number; from: string; until?: string; rules: string }) => {
      const rules = await readDocument(options.rules)
      const { guid, org } = options
      if ((guid === undefined) === (org === undefined)) replaying.error('use either --guid or --org')
      await runCommand(replaying, (deps) =>
        guid === undefined
          ? replayOrganisation(deps, org ?? 0, options, rules)
          : replayCheck(deps, { guid }, options, rules),
      )
    })

  addVerb(check, 'enable', 'enable a check', (deps, guid) => switchCheck(deps, guid, true))
  addVerb(check, 'disable', 'pause a check', (deps, guid) => switchCheck(deps, guid, false))
  addVerb(check, 'delete', 'delete a check and stop its runs', deleteCheck)
  addVerb(
    check,
    'wipe-definition',
    "erase a check's definition from the server; only its agents keep it",
    wipeDefinition,
  )
}

function addVerb(
  parent: OperatorCommand,
  name: string,
  description: string,
  verb: (deps: Deps, guid: string) => Promise<void>,
): void {
  withSettings(parent.command(name))
    .description(description)
    .requiredOption('--guid <guid>', 'the check')
    .prints(async (deps, options: { guid: string }) => {
      await verb(deps, options.guid)
      return { guid: options.guid }
    })
}

function readChoice(value: string): MonitorChoice {
  return value === 'none' ? value : readAllOrSome(value)
}

function readAllOrSome(value: string): readonly string[] | 'all' {
  return value === 'all' ? value : readMonitors(value)
}
