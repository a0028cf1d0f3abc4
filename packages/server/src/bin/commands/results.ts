// dogwatch results ...
import type { Command } from 'commander'
import { allowSealing, unsealHours } from '../../domain/results/unseal.ts'
import { runCommand, withSettings } from '../setup.ts'

export function addResultsCommands(program: Command): void {
  const results = program.command('results').description('how results are stored')
  const unseal = withSettings(results.command('unseal'))
    .description('write sealed hours back as rows, before servers of an earlier build run, and forbid sealing')
    .action(() => runCommand(unseal, (deps) => unsealHours(deps)))
  const seal = withSettings(results.command('seal'))
    .description('let servers with SEAL_HOURS seal hours again, after unseal')
    .action(() => runCommand(seal, allowSealing))
}
