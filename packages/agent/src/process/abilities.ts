// Lists what this agent can do on this machine.
import { ABILITIES } from '@dogwatch/check-rules/abilities'
import { mayPing } from './ping-socket.ts'

/** Abilities that a later version of the agent has. */
const LATER: ReadonlySet<string> = new Set([
  ...['assertions', 'ip_family', 'max_redirects', 'method', 'proxy', 'status_codes'],
])

/** Returns all abilities of this version, without those that this machine does not permit. */
export function abilitiesHere(): string[] {
  return ABILITIES.filter((ability) => !LATER.has(ability) && (ability !== 'icmp' || mayPing()))
}
