// dogwatch monitor ...
import type { Command } from 'commander'
import { listFleet, resetMonitor, retireMonitor, switchMonitor } from '../../domain/monitors/switches.ts'
import { readId } from '../arguments.ts'
import { runCommand, withSettings } from '../setup.ts'

export function addMonitorCommands(program: Command): void {
  const monitor = program.command('monitor').description('monitors: the agents')

  const list = withSettings(monitor.command('list'))
    .description('list monitors with what they last reported')
    .option('--org <id>', "an organisation's own", readId)
    .option('--shared', 'the shared fleet')
    .action(async (options: { org?: number; shared?: boolean }) => {
      if (options.org !== undefined && options.shared) list.error('error: give --org or --shared, not both')
      await runCommand(list, (deps) => listFleet(deps, options.shared ? null : options.org))
    })

  for (const [name, on] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    const command = withSettings(monitor.command(name))
      .description(`${name} a monitor`)
      .requiredOption('--id <monitor>', 'its id')
      .option('--platform', "move the platform's kill switch instead of the organisation's own")
      .action((options: { id: string; platform?: boolean }) =>
        runCommand(command, async (deps) => {
          const which = options.platform ? 'platform_enabled' : 'enabled'
          await switchMonitor(deps, options.id, which, on)
          return { id: options.id, [which]: on }
        }),
      )
  }

  const remove = withSettings(monitor.command('remove'))
    .description('retire it for good: its results stay, and the other monitors of its checks take over its turns')
    .requiredOption('--id <monitor>', 'its id')
    .action((options: { id: string }) =>
      runCommand(remove, async (deps) => {
        await retireMonitor(deps, options.id)
        return { id: options.id, removed: true }
      }),
    )

  const reset = withSettings(monitor.command('reset'))
    .description('revoke its key, so that an agent can enroll with this id again')
    .requiredOption('--id <monitor>', 'its id')
    .action((options: { id: string }) =>
      runCommand(reset, async (deps) => {
        await resetMonitor(deps, options.id)
        return { id: options.id, reset: true }
      }),
    )
}
