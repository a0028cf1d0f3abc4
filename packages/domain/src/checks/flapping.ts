// Decides whether a check goes down and comes up too often: a pure function of its changes and of the alerts about them.

/**
 * Number of changes within FLAPPING_MS that count as flapping. Flapping begins only when the check goes down, so that people who
 * learned that it was down have also learned that it came up again.
 */
const FLAPPING_CHANGES = 5
const FLAPPING_MS = 30 * 60_000
/**
 * Longest failure that flapping explains. A check that keeps each state for longer never changes FLAPPING_CHANGES times within
 * FLAPPING_MS, so a longer failure is an outage.
 */
const OUTLAST_MS = FLAPPING_MS / (FLAPPING_CHANGES - 1)

export interface Changes {
  /** Times at which the check last went down or came up, oldest first, at most FLAPPING_CHANGES of them. */
  changes: readonly string[]
  /** Time of the first change. Null unless the check is flapping. */
  flapping_since: string | null
  /** Number of changes since `flapping_since`. */
  change_count: number
}

/**
 * Alert for a change of state: the change itself, a flapping alert, or none. `retracted`: ends flapping without an alert, because
 * people received no alert about the failure that began it.
 */
export type ChangeAlert = 'change' | 'flapping' | 'nothing' | 'retracted'

export interface StateChange {
  at: string
  isDown: boolean
  /**
   * Whether there was an alert about the failure that ends, or about the flapping that this failure began. Means nothing if the
   * check goes down.
   */
  wasTold: boolean
}

export const NO_CHANGES: Changes = { changes: [], flapping_since: null, change_count: 0 }

/**
 * Returns the changes that count after a check went down or came up, and the alert about it. A failure without an alert does not
 * count.
 */
export function afterChange(before: Changes, { at, isDown, wasTold }: StateChange): [Changes, ChangeAlert] {
  const { flapping_since, change_count } = before
  const from_ms = Date.parse(at) - FLAPPING_MS
  const recent = before.changes.filter((one) => Date.parse(one) > from_ms)
  if (!isDown && !wasTold && mayBeRetracted(before)) {
    const alert = flapping_since === null ? 'change' : 'retracted'
    return [{ ...NO_CHANGES, changes: recent.slice(0, -1) }, alert]
  }
  const all = [...recent, at].slice(-FLAPPING_CHANGES)
  if (flapping_since !== null) return [{ changes: all, flapping_since, change_count: change_count + 1 }, 'nothing']
  if (all.length < FLAPPING_CHANGES || !isDown) return [{ ...NO_CHANGES, changes: all }, 'change']
  return [{ changes: all, flapping_since: all[0] ?? at, change_count: all.length }, 'flapping']
}

/**
 * Whether the check has not come up since it last went down, so that this failure does not count if there was no alert about it.
 */
export function mayBeRetracted({ flapping_since, change_count }: Changes): boolean {
  return flapping_since === null || change_count === FLAPPING_CHANGES
}

/**
 * Returns when a flapping check has settled if it does not change before, in milliseconds. Returns null if it is not flapping.
 */
export function settlesAt({ changes, flapping_since }: Changes, isDown: boolean): number | null {
  if (flapping_since === null) return null
  return Date.parse(changes.at(-1) ?? flapping_since) + (isDown ? OUTLAST_MS : FLAPPING_MS)
}
