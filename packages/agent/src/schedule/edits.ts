// Decides whether a changed check runs out of turn, because there is no result for the edited definition yet.
import { isDeepStrictEqual } from 'node:util'
import { fieldsWith } from '@dogwatch/check-rules/fields'
import type { Check } from '@dogwatch/monitor-sdk'
import { nextSlot, slotNumberAt, type Turn } from '@dogwatch/monitor-sdk/agent'

const FIELDS = fieldsWith({ changesResults: true })

/**
 * Returns whether this monitor runs an edited check at once. Among several monitors, the one whose slot follows the edit does. A
 * private definition is edited at each monitor.
 */
export function isRunForEdit(before: Check, after: Check, turn: Turn): boolean {
  if (before === after || !FIELDS.some((field) => !isDeepStrictEqual(before[field], after[field]))) return false
  if (turn.count === 1 || before.updated_at === after.updated_at) return true
  const at = Date.parse(after.updated_at)
  return nextSlot(turn, at).number === slotNumberAt(turn, at) + 1
}
