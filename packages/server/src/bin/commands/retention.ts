// dogwatch retention ...
import { type Command, Option } from 'commander'
import { confirmRetention } from '../../domain/retention/gate.ts'
import { readId } from '../arguments.ts'
import { runCommand, withSettings } from '../setup.ts'

export function addRetentionCommands(program: Command): void {
  const retention = program.command('retention').description('deletion of old data')
  const confirm = withSettings(retention.command('confirm'))
    .description(
      'let deletions proceed that were stopped because the clock jumped or more was to be deleted than expected',
    )
    .addOption(new Option('--org <id>', 'one organisation').argParser(readId).conflicts('all'))
    .addOption(new Option('--all', 'all organisations'))
    .action(async ({ org, all }: { org?: number; all?: boolean }) => {
      if (org === undefined && all !== true) confirm.error("error: one of '--org <id>' and '--all' must be given")
      await runCommand(confirm, (deps) => confirmRetention(deps, org))
    })
}
