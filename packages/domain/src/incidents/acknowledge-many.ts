// Acknowledges several incidents at once, as when many checks fail together.
import type { Actor } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { acknowledge, type IncidentOf, type WithNote } from './acknowledge.ts'
import { readListedIncident } from './list.ts'
import { noteIn, TooManyNotes } from './notes.ts'

const MOST_AT_ONCE = 100

export interface AcknowledgementCounts {
  /** Number of incidents that this request acknowledged. */
  done: number
  /** Number of incidents that were acknowledged before. */
  before: number
  /** Number of incidents that have ended or do not exist. */
  over: number
  /** Number of incidents in `done` and `before` that got no note, because they already have the maximum number of notes. */
  unnoted: number
}

/**
 * Acknowledges each incident separately, so that a refusal of one does not affect the others. Adds the note to each incident that
 * is open and has fewer notes than it may.
 */
export async function acknowledgeMany(
  deps: Deps,
  { org_id, incident_ids, note }: { org_id: number; incident_ids: readonly string[]; note: string },
  by: Actor,
): Promise<AcknowledgementCounts> {
  const ids = [...new Set(incident_ids)]
  if (ids.length > MOST_AT_ONCE) {
    throw new DomainError('invalid', `at most ${MOST_AT_ONCE} incidents can be acknowledged at once`)
  }
  // Refuses an invalid note before anything is done.
  noteIn(note)
  const outcome: AcknowledgementCounts = { done: 0, before: 0, over: 0, unnoted: 0 }
  for (const incident_id of ids) {
    try {
      const { kind, guid } = await readListedIncident(deps, org_id, incident_id)
      const what = { org_id, kind, guid, incident_id }
      const { isDone, isNoted } = await acknowledgeWithRoom(deps, what, by, { text: note, author: by })
      outcome[isDone ? 'done' : 'before'] += 1
      if (!isNoted) outcome.unnoted += 1
    } catch (error) {
      if (!(error instanceof DomainError) || (error.kind !== 'missing' && error.kind !== 'conflict')) throw error
      outcome.over += 1
    }
  }
  return outcome
}

async function acknowledgeWithRoom(
  deps: Deps,
  what: IncidentOf,
  by: Actor,
  note: WithNote,
): Promise<{ isDone: boolean; isNoted: boolean }> {
  try {
    return { isDone: await acknowledge(deps, what, by, note), isNoted: true }
  } catch (error) {
    if (!(error instanceof TooManyNotes)) throw error
    return { isDone: await acknowledge(deps, what, by), isNoted: false }
  }
}
