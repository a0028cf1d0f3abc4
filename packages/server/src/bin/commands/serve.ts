// Adds the command dogwatch serve.
import { type Command, Option } from 'commander'
import { SETTINGS } from '../../config.ts'
import type { Role } from '../serving.ts'
import { readSettings, setUp, withSettings } from '../setup.ts'
import { Signals } from '../signals.ts'

/** Time limits of statements and of waiting for locks, in milliseconds. Requests that exceed them are refused. */
const BOUNDS = { statement_ms: 20_000, lock_ms: 2_000 }

export function addServeCommand(program: Command): void {
  const command = withSettings(program.command('serve'), SETTINGS)
    .description('run the server')
    .addOption(
      new Option('--role <role>', 'web serves requests, worker runs background work (default: both)')
        .choices(['all', 'web', 'worker'])
        .default('all'),
    )
    .action(async ({ role }: { role: Role }) => {
      const config = readSettings(command)
      const setup = await setUp(config, { role, ...BOUNDS })
      // Comes before listening, because a caller that sees the server listening can stop it at once.
      const signals = new Signals()
      // Loaded only here, because other commands do not need this module and start in half the time without it.
      const { serve } = await import('../serving.ts')
      await serve(setup, role, signals)
    })
}
