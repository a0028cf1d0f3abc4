// Adds the commands dogwatch api-token ...

import { createPersonalToken, revokePersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import type { Command } from 'commander'
import { readId } from '../arguments.ts'
import { EVERYWHERE, runCommand, withSettings } from '../setup.ts'

export function addApiTokenCommands(program: Command): void {
  const token = program.command('api-token').description('manage personal access tokens for the account API')

  const create = withSettings(token.command('create'), [...EVERYWHERE, 'API_TOKENS_PER_ORG', 'API_TOKENS_PER_PERSON'])
    .description("create a token for an organisation's owner; it is shown only once")
    .requiredOption('--org <id>', 'the organisation', readId)
    .action((options: { org: number }) => runCommand(create, (deps) => createPersonalToken(deps, options.org)))

  const revoke = withSettings(token.command('revoke'))
    .description('revoke a token immediately')
    .requiredOption('--token <token>', 'the token to revoke')
    .action((options: { token: string }) =>
      runCommand(revoke, async (deps) => {
        await revokePersonalToken(deps, options.token)
        return { revoked: true }
      }),
    )
}
