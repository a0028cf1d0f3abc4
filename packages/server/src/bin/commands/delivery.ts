// Adds the commands dogwatch delivery ...

import { readDeliveries } from '@dogwatch/domain/events/delivery-log'
import type { Command } from 'commander'
import { readId } from '../arguments.ts'
import { runCommand, withSettings } from '../setup.ts'

export function addDeliveryCommands(program: Command): void {
  const delivery = program
    .command('delivery')
    .description('show which alerts were sent to which channels, and the outcome')
  const list = withSettings(delivery.command('list'))
    .description('list the newest 100 deliveries of an organisation, newest first')
    .requiredOption('--org <id>', 'the organisation', readId)
    .action(({ org }: { org: number }) => runCommand(list, (deps) => readDeliveries(deps, org)))
}
