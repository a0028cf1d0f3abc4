// The rule for checks that go down and come up too often: a pure function of when they changed.

/**
 * So many changes within this time are flapping, from the next time that the check goes down: whoever was told that it is
 * down has been told that it is up again. It is over once the check has not changed for as long.
 */
const FLAPPING_CHANGES = 5
const FLAPPING_MS = 30 * 60_000

export interface Changes {
  /** When it last went down or came up, oldest first, at most FLAPPING_CHANGES of them. */
  changes: readonly string[]
  /** Since when it is flapping: the first of the changes. Null while it is not. */
  flapping_since: string | null
  /** How often it has changed since then. */
  change_count: number
}

/** What people are told of a change: the change itself, that the check is flapping, or nothing more. */
export type Telling = 'change' | 'flapping' | 'nothing'

export const NO_CHANGES: Changes = { changes: [], flapping_since: null, change_count: 0 }

/** A check goes down or comes up at an instant: what is remembered of it from then on, and what is told. */
export function afterChange(
  { changes, flapping_since, change_count }: Changes,
  at: string,
  isDown: boolean,
): [Changes, Telling] {
  const from_ms = Date.parse(at) - FLAPPING_MS
  const all = [...changes.filter((one) => Date.parse(one) > from_ms), at].slice(-FLAPPING_CHANGES)
  if (flapping_since !== null) return [{ changes: all, flapping_since, change_count: change_count + 1 }, 'nothing']
  if (all.length < FLAPPING_CHANGES || !isDown)
    return [{ changes: all, flapping_since: null, change_count: 0 }, 'change']
  return [{ changes: all, flapping_since: all[0] ?? at, change_count: all.length }, 'flapping']
}

/** When a check that is flapping has settled, unless it changes before; null for one that is not flapping. */
export function settlesAt({ changes, flapping_since }: Changes): number | null {
  if (flapping_since === null) return null
  return Date.parse(changes.at(-1) ?? flapping_since) + FLAPPING_MS
}
