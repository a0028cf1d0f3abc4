// Adds the commands dogwatch delivery ...

import { readDeliveries } from '@dogwatch/domain/events/delivery-log'
import { readId } from '../arguments.ts'
import { type OperatorCommand, withSettings } from '../setup.ts'

export function addDeliveryCommands(program: OperatorCommand): void {
  const delivery = program
    .command('delivery')
    .description('show which alerts were sent to which channels, and the outcome')
  withSettings(delivery.command('list'))
    .description('list the newest 100 deliveries of an organisation, newest first')
    .requiredOption('--org <id>', 'the organisation', readId)
    .prints((deps, { org }: { org: number }) => readDeliveries(deps, org))
}
