// Adds the commands dogwatch api-token ...

import { createPersonalToken, revokePersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { readId } from '../arguments.ts'
import { EVERYWHERE, type OperatorCommand, withSettings } from '../setup.ts'

export function addApiTokenCommands(program: OperatorCommand): void {
  const token = program.command('api-token').description('manage personal access tokens for the account API')

  withSettings(token.command('create'), [...EVERYWHERE, 'API_TOKENS_PER_ORG', 'API_TOKENS_PER_PERSON'])
    .description("create a token for an organisation's owner; it is shown only once")
    .requiredOption('--org <id>', 'the organisation', readId)
    .prints((deps, options: { org: number }) => createPersonalToken(deps, options.org))

  withSettings(token.command('revoke'))
    .description('revoke a token immediately')
    .requiredOption('--token <token>', 'the token to revoke')
    .prints(async (deps, options: { token: string }) => {
      await revokePersonalToken(deps, options.token)
      return { revoked: true }
    })
}
