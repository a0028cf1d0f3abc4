// dogwatch alert-links ...
import type { Command } from 'commander'
import { rotateLinkSecret } from '../../domain/incidents/link-secret.ts'
import { runCommand, withSettings } from '../setup.ts'

export function addAlertLinkCommands(program: Command): void {
  const links = program
    .command('alert-links')
    .description('the links in alerts by which an incident is acknowledged or muted without signing in')
  const revoke = withSettings(links.command('revoke'))
    .description('replace the secret that signs them: no link that was sent before works any more')
    .action(() => runCommand(revoke, (deps) => rotateLinkSecret(deps)))
}
