// Adds the commands dogwatch user ...

import { deletePerson } from '@dogwatch/domain/people/delete'
import { removeSecondFactors, setAdmin, setPassword, switchPerson } from '@dogwatch/domain/people/edit'
import { readOnOff, readSecretLine } from '../arguments.ts'
import { type OperatorCommand, runCommand, withSettings } from '../setup.ts'

export function addUserCommands(program: OperatorCommand): void {
  const user = program.command('user').description('manage user accounts')

  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    withSettings(user.command(name))
      .description(`${name} an account and its tokens`)
      .requiredOption('--email <email>', 'email address')
      .prints(async (deps, { email }: { email: string }) => {
        await switchPerson(deps, email, enabled)
        return { email, enabled }
      })
  }

  withSettings(user.command('delete'))
    .description('delete a user account; owners must transfer their organisations first')
    .requiredOption('--email <email>', 'email address')
    .prints((deps, { email }: { email: string }) => deletePerson(deps, email))

  withSettings(user.command('set-admin'))
    .description('grant or revoke admin rights for this installation')
    .argument('<on|off>', 'on grants, off revokes', readOnOff)
    .requiredOption('--email <email>', 'email address')
    .prints(async (deps, is_admin: boolean, { email }: { email: string }) => {
      await setAdmin(deps, email, is_admin)
      return { email, is_admin }
    })

  withSettings(user.command('remove-second-factor'))
    .description("remove an account's authenticator app, recovery codes and passkeys, and end its sessions")
    .requiredOption('--email <email>', 'email address')
    .prints((deps, { email }: { email: string }) => removeSecondFactors(deps, email))

  const password = withSettings(user.command('set-password'))
    .description('set a password, read from standard input')
    .requiredOption('--email <email>', 'email address')
    .action(async ({ email }: { email: string }) => {
      const secret = await readSecretLine()
      await runCommand(password, async (deps) => {
        await setPassword(deps, email, secret)
        return { email }
      })
    })
}
