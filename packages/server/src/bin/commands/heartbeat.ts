// Adds the commands dogwatch heartbeat ...

import { createHeartbeat, removeHeartbeat, rotateHeartbeat, switchHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { pingUrlOf } from '@dogwatch/domain/heartbeats/ping-url'
import { readId, readWholeNumber } from '../arguments.ts'
import { EVERYWHERE, type OperatorCommand, runCommand, withSettings } from '../setup.ts'

interface CreateOptions {
  org: number
  name: string
  intervalSec: number
  graceSec: number
  resendIntervalSec: number
  showOnStatusPage?: boolean
}

export function addHeartbeatCommands(program: OperatorCommand): void {
  const heartbeat = program.command('heartbeat').description('manage heartbeats: jobs that must ping Dogwatch on time')

  const create = withSettings(heartbeat.command('create'), [...EVERYWHERE, 'HOST', 'PORT', 'PUBLIC_URL'])
    .description('create a heartbeat and its ping URL')
    .requiredOption('--org <id>', 'the organisation', readId)
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--interval-sec <seconds>', 'how often the job pings, in seconds', readWholeNumber)
    .requiredOption('--grace-sec <seconds>', 'how late a ping may be, in seconds', readWholeNumber)
    .option(
      '--resend-interval-sec <seconds>',
      'how often to repeat the alert while the heartbeat is down, in seconds; 0 for never',
      readWholeNumber,
      0,
    )
    .option('--show-on-status-page', 'show the heartbeat on the public status page')
    .action((options: CreateOptions) =>
      runCommand(create, async (deps, config) => {
        const { guid, token } = await createHeartbeat(deps, options.org, {
          name: options.name,
          interval_sec: options.intervalSec,
          grace_sec: options.graceSec,
          resend_interval_sec: options.resendIntervalSec,
          show_on_status_page: options.showOnStatusPage ?? false,
        })
        return { guid, ping_url: await pingUrlOf(deps, config, token) }
      }),
    )

  const rotate = withSettings(heartbeat.command('rotate'), [...EVERYWHERE, 'HOST', 'PORT', 'PUBLIC_URL'])
    .description('give a heartbeat a new ping URL; the old one stops working')
    .requiredOption('--guid <guid>', 'the heartbeat')
    .action(({ guid }: { guid: string }) =>
      runCommand(rotate, async (deps, config) => {
        const { token } = await rotateHeartbeat(deps, guid)
        return { guid, ping_url: await pingUrlOf(deps, config, token) }
      }),
    )

  for (const [name, on] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    withSettings(heartbeat.command(name))
      .description(`${name} a heartbeat`)
      .requiredOption('--guid <guid>', 'the heartbeat')
      .option('--platform', "set the operator's switch instead of the organisation's; both must be on")
      .prints(async (deps, options: { guid: string; platform?: boolean }) => {
        const which = options.platform ? 'platform_enabled' : 'enabled'
        await switchHeartbeat(deps, options.guid, which, on)
        return { guid: options.guid, [which]: on }
      })
  }

  withSettings(heartbeat.command('delete'))
    .description('delete a heartbeat; its ping URL stops working')
    .requiredOption('--guid <guid>', 'the heartbeat')
    .prints(async (deps, { guid }: { guid: string }) => {
      await removeHeartbeat(deps, guid)
      return { guid }
    })
}
