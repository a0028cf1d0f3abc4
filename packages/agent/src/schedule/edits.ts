// Decides whether a changed check runs before its next slot, because the edited definition has no result yet.
import { isDeepStrictEqual } from 'node:util'
import { fieldsWith } from '@dogwatch/check-rules/fields'
import type { Check } from '@dogwatch/monitor-sdk'
import { nextSlot, slotNumberAt, type Turn } from '@dogwatch/monitor-sdk/agent'

const FIELDS = fieldsWith({ changesResults: true })

/**
 * Returns whether this monitor runs an edited check at once. If several monitors run the check, only the one with the next slot
 * does. A private definition runs at each monitor that has it.
 */
export function isRunForEdit(before: Check, after: Check, turn: Turn): boolean {
  if (before === after || !FIELDS.some((field) => !isDeepStrictEqual(before[field], after[field]))) return false
  if (turn.count === 1 || before.updated_at === after.updated_at) return true
  const at = Date.parse(after.updated_at)
  return nextSlot(turn, at).number === slotNumberAt(turn, at) + 1
}
