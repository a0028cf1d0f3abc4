// Adds the commands dogwatch configuration-token ...

import { revokeConfigurationTokenByText } from '@dogwatch/domain/configuration/tokens'
import type { Command } from 'commander'
import { runCommand, withSettings } from '../setup.ts'

export function addConfigurationTokenCommands(program: Command): void {
  const token = program.command('configuration-token').description('manage tokens for the configuration API')
  const revoke = withSettings(token.command('revoke'))
    .description('revoke a token at once')
    .requiredOption('--token <token>', 'the token')
    .action((options: { token: string }) =>
      runCommand(revoke, async (deps) => {
        await revokeConfigurationTokenByText(deps, options.token)
        return { revoked: true }
      }),
    )
}
