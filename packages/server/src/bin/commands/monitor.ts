// Adds the commands dogwatch monitor ...

import { listFleet, resetMonitor, retireMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { readId } from '../arguments.ts'
import { type OperatorCommand, runCommand, withSettings } from '../setup.ts'

export function addMonitorCommands(program: OperatorCommand): void {
  const monitor = program.command('monitor').description('manage monitors (agents)')

  const list = withSettings(monitor.command('list'))
    .description('list monitors and their last reported status')
    .option('--org <id>', 'monitors of one organisation', readId)
    .option('--shared', 'monitors of the shared fleet')
    .action(async (options: { org?: number; shared?: boolean }) => {
      if (options.org !== undefined && options.shared) list.error('error: use --org or --shared, not both')
      await runCommand(list, (deps) => listFleet(deps, options.shared ? null : options.org))
    })

  for (const [name, on] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    withSettings(monitor.command(name))
      .description(`${name} a monitor`)
      .requiredOption('--id <monitor>', 'its id')
      .option('--platform', "set the operator's switch instead of the organisation's; both must be on")
      .prints(async (deps, options: { id: string; platform?: boolean }) => {
        const which = options.platform ? 'platform_enabled' : 'enabled'
        await switchMonitor(deps, options.id, which, on)
        return { id: options.id, [which]: on }
      })
  }

  withSettings(monitor.command('remove'))
    .description('retire a monitor permanently; its results stay, and the other monitors take over its turns')
    .requiredOption('--id <monitor>', 'its id')
    .prints(async (deps, options: { id: string }) => {
      await retireMonitor(deps, options.id)
      return { id: options.id, removed: true }
    })

  withSettings(monitor.command('reset'))
    .description("revoke a monitor's key, so that an agent can enroll again with the monitor's id")
    .requiredOption('--id <monitor>', 'its id')
    .prints(async (deps, options: { id: string }) => {
      await resetMonitor(deps, options.id)
      return { id: options.id, reset: true }
    })
}
