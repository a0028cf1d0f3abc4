// Adds the commands dogwatch configuration-token ...

import { revokeConfigurationTokenByText } from '@dogwatch/domain/configuration/tokens'
import { type OperatorCommand, withSettings } from '../setup.ts'

export function addConfigurationTokenCommands(program: OperatorCommand): void {
  const token = program.command('configuration-token').description('manage tokens for the configuration API')
  withSettings(token.command('revoke'))
    .description('revoke a token at once')
    .requiredOption('--token <token>', 'the token')
    .prints(async (deps, options: { token: string }) => {
      await revokeConfigurationTokenByText(deps, options.token)
      return { revoked: true }
    })
}
