// Adds the commands dogwatch alert-links ...

import { rotateLinkSecret } from '@dogwatch/domain/incidents/link-secret'
import type { Command } from 'commander'
import { runCommand, withSettings } from '../setup.ts'

export function addAlertLinkCommands(program: Command): void {
  const links = program
    .command('alert-links')
    .description('manage the links in alerts that acknowledge or mute an incident without signing in')
  const revoke = withSettings(links.command('revoke'))
    .description('replace the signing secret, which invalidates every link sent so far')
    .action(() => runCommand(revoke, (deps) => rotateLinkSecret(deps)))
}
