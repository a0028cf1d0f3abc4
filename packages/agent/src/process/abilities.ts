// Lists what this agent can do on this machine.
import { ABILITIES } from '@dogwatch/check-rules/abilities'
import { mayPing } from './ping-socket.ts'

/** Returns all abilities of this version, without those that this machine does not permit. */
export function abilitiesHere(): string[] {
  return ABILITIES.filter((ability) => ability !== 'icmp' || mayPing())
}
