// Adds the commands dogwatch retention ...

import { confirmRetention } from '@dogwatch/domain/retention/gate'
import { Option } from 'commander'
import { readId } from '../arguments.ts'
import { type OperatorCommand, runCommand, withSettings } from '../setup.ts'

export function addRetentionCommands(program: OperatorCommand): void {
  const retention = program.command('retention').description('manage the deletion of old data')
  const confirm = withSettings(retention.command('confirm'))
    .description('resume deletions that are held because the clock jumped or more data than expected would be deleted')
    .addOption(new Option('--org <id>', 'one organisation').argParser(readId).conflicts('all'))
    .addOption(new Option('--all', 'all organisations'))
    .action(async ({ org, all }: { org?: number; all?: boolean }) => {
      if (org === undefined && all !== true) confirm.error('error: use either --org <id> or --all')
      await runCommand(confirm, (deps) => confirmRetention(deps, org))
    })
}
