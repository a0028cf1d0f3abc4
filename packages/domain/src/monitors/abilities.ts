// Records what monitors can do. Each check runs only at monitors that have all abilities that it needs.
import { FIRST_ABILITIES, sortAbilities } from '@dogwatch/check-rules/abilities'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type MonitorAbilities, updateAbilities } from '@dogwatch/store/monitors/monitors'
import type { Deps } from '../deps.ts'
import type { Caller } from './monitor.ts'

/** Minimum time between two changes of a monitor's abilities, in milliseconds, because each can change the turns of many monitors. */
const CHANGE_MS = 60_000

/** Returns the abilities that an agent reports. An agent that lists none has those of the first release. */
export function abilitiesOf({ abilities = FIRST_ABILITIES }: { abilities?: readonly string[] }): string[] {
  return sortAbilities(abilities)
}

/** Stores changed abilities of a monitor, unless they changed a moment ago. The agent's next report repeats them. */
export async function noteAbilities(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  monitor: Pick<Caller, 'id' | 'key_hash'>,
  stored: MonitorAbilities,
  abilities: string[],
): Promise<void> {
  if (stored.abilities.join() === abilities.join()) return
  const now = clock.now()
  const since_ms = now.getTime() - Date.parse(stored.abilities_at ?? '')
  if (since_ms >= 0 && since_ms < CHANGE_MS) return
  const changed = { abilities, abilities_at: fromDate(now) }
  await updateAbilities(database.machines, monitor, changed, stored.abilities_at)
}
