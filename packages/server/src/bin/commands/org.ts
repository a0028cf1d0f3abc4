// Adds the commands dogwatch org ...

import {
  createOrganisation,
  listAllOrganisations,
  setLimitsGiven,
  setMaxMonitors,
  setOwner,
  setPlan,
  setStatusPage,
} from '@dogwatch/domain/organisations/organisation'
import { requestDeletion, resumeOrganisation, suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { InvalidArgumentError } from 'commander'
import { readDocument, readId, readOnOff, readSecretLine } from '../arguments.ts'
import { type OperatorCommand, runCommand, withSettings } from '../setup.ts'

export function addOrgCommands(program: OperatorCommand): void {
  const org = program.command('org').description('manage organisations (tenants)')

  const create = withSettings(org.command('create'))
    .description('create an organisation and its owner')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--plan <plan>', 'free, solo, double or team')
    .requiredOption('--owner-email <email>', 'email address of the owner; an account is created if there is none')
    .option('--owner-password-stdin', "read the owner's password from standard input")
    .action(async (options: { name: string; plan: string; ownerEmail: string; ownerPasswordStdin?: boolean }) => {
      const owner_password = options.ownerPasswordStdin ? await readSecretLine() : undefined
      const wanted = { name: options.name, plan: options.plan, owner_email: options.ownerEmail }
      await runCommand(create, (deps) =>
        createOrganisation(deps, { ...wanted, ...(owner_password !== undefined && { owner_password }) }),
      )
    })

  withSettings(org.command('set-plan'))
    .description('change the plan of an organisation')
    .requiredOption('--org <id>', 'its id', readId)
    .requiredOption('--plan <plan>', 'free, solo, double or team')
    .prints(async (deps, options: { org: number; plan: string }) => {
      await setPlan(deps, options.org, options.plan)
      return { org_id: options.org, plan: options.plan }
    })

  addLimits(org)
  addMaxMonitors(org)

  withSettings(org.command('list')).description('list the organisations').prints(listAllOrganisations)

  withSettings(org.command('set-owner'))
    .description('transfer an organisation to another member')
    .requiredOption('--org <id>', 'its id', readId)
    .requiredOption('--email <email>', 'email address of the new owner')
    .prints(async (deps, options: { org: number; email: string }) => {
      await setOwner(deps, options.org, options.email)
      return { org_id: options.org, owner_email: options.email }
    })

  addSuspensionCommands(org)

  withSettings(org.command('set-status-page'))
    .description('show or hide the public status page')
    .argument('<on|off>', 'on shows the page, off hides it', readOnOff)
    .requiredOption('--org <id>', 'its id', readId)
    .prints(async (deps, status_page_enabled: boolean, options: { org: number }) => {
      await setStatusPage(deps, options.org, status_page_enabled)
      return { org_id: options.org, status_page_enabled }
    })
}

function addSuspensionCommands(org: OperatorCommand): void {
  for (const [name, description, apply] of [
    [
      'suspend',
      'suspend an organisation: block its monitors, pings, pages, tokens and deliveries at once; no data is lost',
      suspendOrganisation,
    ],
    ['resume', 'resume a suspended organisation as it was, and cancel a pending deletion', resumeOrganisation],
  ] as const) {
    withSettings(org.command(name))
      .description(description)
      .requiredOption('--org <id>', 'its id', readId)
      .prints((deps, options: { org: number }) => apply(deps, options.org))
  }

  const remove = withSettings(org.command('delete'))
    .description('suspend an organisation now and delete it after a grace period of seven days')
    .requiredOption('--org <id>', 'its id', readId)
    .option('--yes', 'confirm the deletion')
    .action(async (options: { org: number; yes?: boolean }) => {
      if (!options.yes) remove.error('error: deleting an organisation needs --yes')
      await runCommand(remove, (deps) => requestDeletion(deps, options.org))
    })
}

function addLimits(org: OperatorCommand): void {
  const limits = withSettings(org.command('set-limits'))
    .description('set custom limits; the plan becomes custom')
    .requiredOption('--org <id>', 'its id', readId)
    .requiredOption('--file <file>', 'a JSON file of limits, or - for standard input; omitted limits keep their values')
    .action(async (options: { org: number; file: string }) => {
      const given = await readDocument(options.file)
      await runCommand(limits, async (deps) => ({
        org_id: options.org,
        plan: 'custom',
        limits: await setLimitsGiven(deps, options.org, given),
      }))
    })
}

function addMaxMonitors(org: OperatorCommand): void {
  withSettings(org.command('set-max-monitors'))
    .description('set how many monitors an organisation can have, regardless of its plan')
    .argument('<count>', "a whole number, unlimited, or default (the plan's limit)", readMaxMonitors)
    .requiredOption('--org <id>', 'its id', readId)
    .prints(async (deps, max_monitors: number | null, options: { org: number }) => {
      await setMaxMonitors(deps, options.org, max_monitors)
      return { org_id: options.org, max_monitors: max_monitors === 0 ? 'unlimited' : (max_monitors ?? 'default') }
    })
}

function readMaxMonitors(text: string): number | null {
  if (text === 'unlimited') return 0
  if (text === 'default') return null
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 999999, unlimited or default.')
  }
  return Number(text)
}
