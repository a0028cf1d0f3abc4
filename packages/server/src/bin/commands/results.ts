// Adds the commands dogwatch results ...

import { allowSealing, unsealHours } from '@dogwatch/domain/results/unseal'
import type { Command } from 'commander'
import { runCommand, withSettings } from '../setup.ts'

export function addResultsCommands(program: Command): void {
  const results = program.command('results').description('manage how results are stored')
  const unseal = withSettings(results.command('unseal'))
    .description('convert sealed hours back to rows and block sealing; run this before you downgrade')
    .action(() => runCommand(unseal, (deps) => unsealHours(deps)))
  const seal = withSettings(results.command('seal'))
    .description('allow sealing again after unseal, on servers with SEAL_HOURS')
    .action(() => runCommand(seal, allowSealing))
}
