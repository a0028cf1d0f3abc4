// Several incidents are taken care of at once, as when many checks fail together.
import type { Actor } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { acknowledge } from './acknowledge.ts'
import { readListedIncident } from './list.ts'
import { noteIn } from './notes.ts'

export const MOST_AT_ONCE = 100

export interface Acknowledged {
  /** Those that were acknowledged by this. */
  done: number
  /** Those that somebody had acknowledged before. */
  before: number
  /** Those that are over by now, or that nobody knows. */
  over: number
}

/** Each by itself: what became of one does not hold up the others. The note is added to all that are open. */
export async function acknowledgeMany(
  deps: Deps,
  { org_id, incident_ids, note }: { org_id: number; incident_ids: readonly string[]; note: string },
  by: Actor,
): Promise<Acknowledged> {
  const ids = [...new Set(incident_ids)]
  if (ids.length > MOST_AT_ONCE) {
    throw new DomainError('invalid', `at most ${MOST_AT_ONCE} incidents can be acknowledged at once`)
  }
  // Refused before anything is done.
  noteIn(note)
  const outcome: Acknowledged = { done: 0, before: 0, over: 0 }
  for (const incident_id of ids) {
    try {
      const { kind, guid } = await readListedIncident(deps, org_id, incident_id)
      const isDone = await acknowledge(deps, { org_id, kind, guid, incident_id }, by, { text: note, author: by })
      outcome[isDone ? 'done' : 'before'] += 1
    } catch (error) {
      if (!(error instanceof DomainError) || (error.kind !== 'missing' && error.kind !== 'conflict')) throw error
      outcome.over += 1
    }
  }
  return outcome
}
