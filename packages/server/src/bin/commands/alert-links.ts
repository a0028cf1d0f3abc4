// Adds the commands dogwatch alert-links ...

import { rotateLinkSecret } from '@dogwatch/domain/incidents/link-secret'
import { type OperatorCommand, withSettings } from '../setup.ts'

export function addAlertLinkCommands(program: OperatorCommand): void {
  const links = program
    .command('alert-links')
    .description('manage the links in alerts that acknowledge or mute an incident without signing in')
  withSettings(links.command('revoke'))
    .description('replace the signing secret, which invalidates every link sent so far')
    .prints((deps) => rotateLinkSecret(deps))
}
