// Adds the commands dogwatch channel ...

import { channelKinds, fieldNames, kindNames } from '@dogwatch/channels/registry'
import { createChannel, removeChannel, switchChannel } from '@dogwatch/domain/channels/edit'
import { testChannel } from '@dogwatch/domain/channels/test-channel'
import type { Deps } from '@dogwatch/domain/deps'
import { Option } from 'commander'
import { readId } from '../arguments.ts'
import { type OperatorCommand, runCommand, withSettings } from '../setup.ts'

interface CreateOptions {
  org: number
  kind: string
  name: string
  confirmed?: boolean
}

export function addChannelCommands(program: OperatorCommand): void {
  const channel = program.command('channel').description('manage notification channels, where alerts are sent')

  const create = withSettings(channel.command('create'))
    .description('create a channel')
    .requiredOption('--org <id>', 'the organisation', readId)
    .requiredOption('--kind <kind>', listed(kindNames(), 'or'))
    .requiredOption('--name <name>', 'display name')
  const fields = fieldNames().map((field) => ({ field, option: optionFor(field) }))
  for (const { option } of fields) create.addOption(option)
  create
    .option('--confirmed', `for ${withMailbox()}: treat the address as confirmed; its owner gets no confirmation email`)
    .action(({ org, kind, name, confirmed, ...given }: CreateOptions & Record<string, unknown>) => {
      const typed = fields.map(({ field, option }) => [field, given[option.attributeName()] as string | undefined])
      const wanted = { ...(Object.fromEntries(typed) as Record<string, string | undefined>), kind, name }
      return runCommand(create, (deps) =>
        createChannel(deps, org, wanted, undefined, { asksOwner: confirmed !== true }),
      )
    })

  withSettings(channel.command('test'))
    .description('send a test message; dogwatch delivery list shows the outcome')
    .requiredOption('--id <id>', 'the channel', readId)
    .prints((deps, { id }: { id: number }) => testChannel(deps, id))

  const verbs: [string, string, (deps: Deps, id: number) => Promise<void>][] = [
    ['enable', 'enable a channel', (deps, id) => switchChannel(deps, id, true)],
    ['disable', 'disable a channel', (deps, id) => switchChannel(deps, id, false)],
    ['delete', 'delete a channel', removeChannel],
  ]
  for (const [name, description, verb] of verbs) {
    withSettings(channel.command(name))
      .description(description)
      .requiredOption('--id <id>', 'the channel', readId)
      .prints(async (deps, { id }: { id: number }) => {
        await verb(deps, id)
        return { id }
      })
  }
}

/**
 * Returns the command-line option for a field of a destination, such as `--webhook-url <url>`. Several kinds of channels can share
 * an option.
 */
function optionFor(field: string): Option {
  const kinds = channelKinds().filter(({ fields }) => Object.hasOwn(fields, field))
  const notes = kinds.flatMap(({ fields }) => fields[field]?.note ?? [])
  const names = listed(
    kinds.map(({ name }) => name),
    'and',
  )
  const last = field.split('_').at(-1) ?? field
  return new Option(`--${field.replaceAll('_', '-')} <${last}>`, [`for ${names}`, ...notes].join(': '))
}

function withMailbox(): string {
  const kinds = channelKinds().filter(({ fields }) => Object.values(fields).some(({ isMailbox }) => isMailbox))
  return listed(
    kinds.map(({ name }) => name),
    'and',
  )
}

/** Formats a list as `a, b or c`. */
function listed(names: readonly string[], word: 'and' | 'or'): string {
  if (names.length < 2) return names.join('')
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1) ?? ''}`
}
