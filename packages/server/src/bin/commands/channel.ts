// dogwatch channel ...
import type { Command } from 'commander'
import { testChannel } from '../../domain/channels/test-channel.ts'
import type { Deps } from '../../domain/deps.ts'
import { createChannel, removeChannel, switchChannel } from '../../domain/channels/edit.ts'
import { readId } from '../arguments.ts'
import { runCommand, withSettings } from '../setup.ts'

interface CreateOptions {
  org: number
  kind: string
  name: string
  ntfyTopic?: string
  email?: string
  webhookUrl?: string
  webhookSecret?: string
  confirmed?: boolean
}

export function addChannelCommands(program: Command): void {
  const channel = program.command('channel').description('notification channels: where alerts go')

  const create = withSettings(channel.command('create'))
    .description('create a channel')
    .requiredOption('--org <id>', 'the organisation', readId)
    .requiredOption('--kind <kind>', 'ntfy, email, webhook or slack')
    .requiredOption('--name <name>', 'what people call it')
    .option('--ntfy-topic <topic>', 'for ntfy')
    .option('--email <email>', 'for email')
    .option('--webhook-url <url>', 'for webhook and slack')
    .option('--webhook-secret <secret>', 'for webhook: messages are signed with it')
    .option('--confirmed', 'for email: you vouch for the address, so its owner is not asked to confirm it')
    .action((options: CreateOptions) =>
      runCommand(create, (deps) =>
        createChannel(
          deps,
          options.org,
          {
            kind: options.kind,
            name: options.name,
            ntfy_topic: options.ntfyTopic,
            email: options.email,
            webhook_url: options.webhookUrl,
            webhook_secret: options.webhookSecret,
          },
          undefined,
          { asksOwner: options.confirmed !== true },
        ),
      ),
    )

  const test = withSettings(channel.command('test'))
    .description('send a test message; dogwatch delivery list shows the outcome')
    .requiredOption('--id <id>', 'the channel', readId)
    .action(({ id }: { id: number }) => runCommand(test, (deps) => testChannel(deps, id)))

  const verbs: [string, string, (deps: Deps, id: number) => Promise<void>][] = [
    ['enable', 'let a channel be sent to', (deps, id) => switchChannel(deps, id, true)],
    ['disable', 'send nothing to a channel', (deps, id) => switchChannel(deps, id, false)],
    ['delete', 'delete a channel', removeChannel],
  ]
  for (const [name, description, verb] of verbs) {
    const command = withSettings(channel.command(name))
      .description(description)
      .requiredOption('--id <id>', 'the channel', readId)
      .action(({ id }: { id: number }) =>
        runCommand(command, async (deps) => {
          await verb(deps, id)
          return { id }
        }),
      )
  }
}
