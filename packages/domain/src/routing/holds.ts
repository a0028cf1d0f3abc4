// Finds what holds alerts, among all kinds of holds. Each kind is defined next to its feature and listed here.

import type { Trx } from '@dogwatch/store/database'
import type { RoutingMarks } from '@dogwatch/store/routing/marks'
import { DEPENDENCIES } from '../dependencies/holds.ts'
import { MAINTENANCE } from '../maintenance/holds.ts'
import { GROUPS_OF_MONITORS } from '../monitors/holds.ts'
import { MUTES } from '../mutes/holds.ts'
import type { Hold, HoldSource } from './hold.ts'

export type { Hold, HoldSource }

const SOURCES: readonly HoldSource[] = [MAINTENANCE, DEPENDENCIES, MUTES, GROUPS_OF_MONITORS]

/** Dependencies of finding holds. Tests can name other sources of holds. */
interface HoldDeps {
  hold_sources?: readonly HoldSource[]
}

/** Whether any source can hold alerts of the organisation. */
export function isAnythingHeld({ hold_sources = SOURCES }: HoldDeps, marks: RoutingMarks): boolean {
  return hold_sources.some((source) => source.mayHold(marks))
}

interface HoldQuery {
  org_id: number
  subjects: readonly string[]
  marks: RoutingMarks
  /** Whether one alert lists all the subjects. */
  areListed?: boolean
}

/** Returns the hold of each subject: the longest, if there are several. Omits subjects that nothing holds. */
export async function findHolds(
  trx: Trx,
  { hold_sources = SOURCES }: HoldDeps,
  { org_id, subjects, marks, areListed = false }: HoldQuery,
  now: Date,
): Promise<ReadonlyMap<string, Hold>> {
  const asked = [...new Set(subjects)]
  const found = new Map<string, Hold>()
  if (asked.length === 0) return found
  for (const source of hold_sources) {
    if (!source.mayHold(marks) || (areListed && !source.holdsLists)) continue
    for (const [subject, hold] of await source.find(trx, org_id, asked, now)) {
      found.set(subject, longer(found.get(subject), hold))
    }
  }
  return found
}

/** Returns the hold of an alert about several subjects: none unless each of them is held, otherwise the hold that ends first. */
export function holdOfAll(subjects: readonly string[], holds: ReadonlyMap<string, Hold>): Hold | undefined {
  const own = subjects.flatMap((subject) => holds.get(subject) ?? [])
  if (own.length === 0 || own.length < subjects.length) return undefined
  return own.reduce((first, hold) => (endOf(hold) < endOf(first) ? hold : first))
}

/** Returns the end of a hold, in milliseconds. Returns Infinity if it is unknown. */
export function endOf({ until }: Hold): number {
  return until === null ? Infinity : Date.parse(until)
}

function longer(one: Hold | undefined, other: Hold): Hold {
  return one && endOf(one) >= endOf(other) ? one : other
}
