// Adds the commands dogwatch member ...

import { addMember, removeMember, setRole } from '@dogwatch/domain/organisations/members'
import { GIVEN_ROLES, type GivenRole } from '@dogwatch/domain/organisations/roles'
import { Option } from 'commander'
import { readId } from '../arguments.ts'
import { type OperatorCommand, withSettings } from '../setup.ts'

export function addMemberCommands(program: OperatorCommand): void {
  const member = program.command('member').description('manage the members of an organisation')

  withSettings(member.command('add'))
    .description('add a member, creating an account if needed')
    .requiredOption('--org <id>', 'the organisation', readId)
    .requiredOption('--email <email>', 'email address')
    .addOption(new Option('--role <role>', 'role').choices(GIVEN_ROLES).default('member'))
    .prints(async (deps, options: { org: number; email: string; role: GivenRole }) => {
      const { person_id } = await addMember(deps, options.org, options.email, options.role)
      return { org_id: options.org, person_id, email: options.email }
    })

  withSettings(member.command('set-role'))
    .description("change a member's role")
    .requiredOption('--org <id>', 'the organisation', readId)
    .requiredOption('--email <email>', 'email address')
    .addOption(new Option('--role <role>', 'role').choices(GIVEN_ROLES).makeOptionMandatory())
    .prints(async (deps, options: { org: number; email: string; role: string }) => ({
      org_id: options.org,
      ...(await setRole(deps, options.org, { email: options.email }, options.role)),
    }))

  withSettings(member.command('remove'))
    .description('remove a member; the owner cannot be removed')
    .requiredOption('--org <id>', 'the organisation', readId)
    .requiredOption('--email <email>', 'email address')
    .prints(async (deps, options: { org: number; email: string }) => {
      await removeMember(deps, options.org, options.email)
      return { org_id: options.org, email: options.email }
    })
}
