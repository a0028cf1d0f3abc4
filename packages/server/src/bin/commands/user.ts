// dogwatch user ...
import type { Command } from 'commander'
import { deletePerson } from '../../domain/people/delete.ts'
import { removeSecondFactors, setAdmin, setPassword, switchPerson } from '../../domain/people/edit.ts'
import { readOnOff, readSecretLine } from '../arguments.ts'
import { runCommand, withSettings } from '../setup.ts'

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who sign in')

  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    const command = withSettings(user.command(name))
      .description(`${name} a person's account, tokens included`)
      .requiredOption('--email <email>', 'their address')
      .action(({ email }: { email: string }) =>
        runCommand(command, async (deps) => {
          await switchPerson(deps, email, enabled)
          return { email, enabled }
        }),
      )
  }

  const remove = withSettings(user.command('delete'))
    .description('delete a person; the owner of an organisation must hand it over first')
    .requiredOption('--email <email>', 'their address')
    .action(({ email }: { email: string }) => runCommand(remove, (deps) => deletePerson(deps, email)))

  const admin = withSettings(user.command('set-admin'))
    .description('make a person an admin of this installation, or revoke that')
    .argument('<on|off>', 'admin or not', readOnOff)
    .requiredOption('--email <email>', 'their address')
    .action((is_admin: boolean, { email }: { email: string }) =>
      runCommand(admin, async (deps) => {
        await setAdmin(deps, email, is_admin)
        return { email, is_admin }
      }),
    )

  const factors = withSettings(user.command('remove-second-factor'))
    .description('take away a lost authenticator app, its recovery codes and all passkeys, and end all sessions')
    .requiredOption('--email <email>', 'their address')
    .action(({ email }: { email: string }) => runCommand(factors, (deps) => removeSecondFactors(deps, email)))

  const password = withSettings(user.command('set-password'))
    .description('set a password, read from standard input')
    .requiredOption('--email <email>', 'their address')
    .action(async ({ email }: { email: string }) => {
      const secret = await readSecretLine()
      await runCommand(password, async (deps) => {
        await setPassword(deps, email, secret)
        return { email }
      })
    })
}
