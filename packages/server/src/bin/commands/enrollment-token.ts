// Adds the commands dogwatch enrollment-token ...

import { createEnrollmentToken, revokeEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { readId, readWholeNumber } from '../arguments.ts'
import { type OperatorCommand, runCommand, withSettings } from '../setup.ts'

export function addEnrollmentTokenCommands(program: OperatorCommand): void {
  const token = program.command('enrollment-token').description('manage the tokens that new monitors enroll with')

  const create = withSettings(token.command('create'))
    .description('create a token for an organisation or for the shared fleet; it is shown only once')
    .option('--org <id>', 'the organisation that monitors join with this token', readId)
    .option('--shared', 'monitors join the shared fleet with this token')
    .option('--ttl-sec <seconds>', 'lifetime of the token, in seconds', readWholeNumber)
    .action(async (options: { org?: number; shared?: boolean; ttlSec?: number }) => {
      if ((options.org === undefined) === (options.shared !== true)) create.error('error: use either --org or --shared')
      await runCommand(create, (deps) => createEnrollmentToken(deps, options.org ?? null, options.ttlSec))
    })

  withSettings(token.command('revoke'))
    .description('revoke a token immediately')
    .requiredOption('--token <token>', 'the token')
    .prints(async (deps, options: { token: string }) => {
      await revokeEnrollmentToken(deps, options.token)
      return { revoked: true }
    })
}
