// Stores the spans of maintenance windows some time ahead, so that one statement finds what is on.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Trx } from '@dogwatch/store/database'
import { deleteSpansFrom, hasSpans, insertSpans, type NewSpan } from '@dogwatch/store/maintenance/spans'
import { claimSpread, type Spread, updateSpread, type WindowRow } from '@dogwatch/store/maintenance/windows'
import type { Deps } from '../deps.ts'
import { nextOccurrence, type Occurrence, occurrences, type WindowSchedule } from './occurrences.ts'

const DAY_MS = 86_400_000
/** Time ahead of now that stored spans cover. */
const AHEAD_MS = 60 * DAY_MS
/** Time that passes before further spans are stored. */
const SPARE_MS = DAY_MS
const AT_ONCE = 50
/** Maximum number of spans that are stored at once. An accepted rule has fewer. */
const MOST_SPANS = 5000

/** Runs the chore once: stores further spans of the windows that need them. Returns the number of these windows. */
export async function spreadWindows(deps: Deps): Promise<number> {
  const now = deps.clock.now().getTime()
  let spread = 0
  for (let count = AT_ONCE; count === AT_ONCE; spread += count) {
    count = await deps.database.machines.transaction().execute(async (trx) => {
      const windows = await claimSpread(trx, { before: fromDate(new Date(now + AHEAD_MS - SPARE_MS)) }, AT_ONCE)
      for (const window of windows) await spreadSafely(trx, deps, window)
      return windows.length
    })
  }
  return spread
}

/**
 * Plans windows again whose spans reach beyond `limit`, because a clock that was ahead planned them. Spans that have begun stay
 * as they are. Returns the number of windows.
 */
export async function planAgain(deps: Deps, limit: string): Promise<number> {
  const now = deps.clock.now()
  const most = fromDate(new Date(Date.parse(limit) + AHEAD_MS))
  let planned = 0
  for (let count = AT_ONCE; count === AT_ONCE; planned += count) {
    count = await deps.database.machines.transaction().execute(async (trx) => {
      const windows = await claimSpread(trx, { after: most }, AT_ONCE)
      for (const window of windows) {
        await deleteSpansFrom(trx, window, fromDate(now))
        // A window without spans was created by the clock that was ahead: its spans begin now at the earliest, as they would
        // have.
        const after = (await hasSpans(trx, window)) ? now.getTime() : 0
        await storeSpans(trx, deps, window, { from: now.getTime(), until: now.getTime() + AHEAD_MS, after })
      }
      return windows.length
    })
  }
  return planned
}

/** Stores the next spans of a window. Logs a rule that cannot be expanded, because it must not delay the other windows. */
async function spreadSafely(trx: Trx, deps: Deps, window: WindowRow): Promise<void> {
  const from = Date.parse(window.spread_until)
  const now = deps.clock.now()
  await storeSpans(trx, deps, window, { from, until: Math.max(from, now.getTime() + AHEAD_MS), after: from })
}

async function storeSpans(trx: Trx, deps: Deps, window: WindowRow, range: Range): Promise<void> {
  try {
    const { spans, ...stored } = spansWithin(window, range)
    const own = spans.map((span) => ({ ...span, guid: window.guid }))
    await insertSpans(trx, window.org_id, own, fromDate(deps.clock.now()))
    await updateSpread(trx, window, stored)
  } catch (err) {
    // Errors of the database have a code, and are thrown again.
    if (!(err instanceof Error) || 'code' in err) throw err
    const { org_id, guid } = window
    deps.log.error({ err, org_id, guid }, 'could not expand a maintenance window; it no longer takes effect')
    await updateSpread(trx, window, { spread_until: fromDate(new Date(range.until)), next_at: null })
  }
}

/** Spans of a window, as far ahead as they are stored, and the time at which it begins next after that. */
export type PlannedSpans = Spread & { spans: Omit<NewSpan, 'guid'>[] }

/**
 * Plans a window from the instant `at` on. A span that would have begun earlier begins at `at`, because no window is on in
 * hindsight.
 */
export function spansFrom(window: WindowSchedule, at: Date): PlannedSpans {
  const from = at.getTime()
  return spansWithin(window, { from, until: from + AHEAD_MS, after: 0 })
}

interface Range {
  from: number
  until: number
  /** Time until which spans are stored already. */
  after: number
}

function spansWithin(window: WindowSchedule, { from, until: wanted, after }: Range): PlannedSpans {
  const found = occurrences(window, from, wanted, MOST_SPANS)
  // An earlier version accepted rules that occur every minute of a month. The rest is stored the next time.
  const until = found.length < MOST_SPANS ? wanted : (found.at(-1)?.begins ?? wanted) + 1
  const spans = merge(found.filter(({ begins }) => begins >= after)).map(({ begins, ends }) => {
    return { begins_at: fromDate(new Date(Math.max(begins, from))), ends_at: fromDate(new Date(ends)) }
  })
  const next = nextOccurrence(window, until)
  return { spans, spread_until: fromDate(new Date(until)), next_at: next ? fromDate(new Date(next.begins)) : null }
}

/** Merges occurrences that touch. */
function merge(sorted: readonly Occurrence[]): Occurrence[] {
  const merged: Occurrence[] = []
  for (const { begins, ends } of sorted) {
    const last = merged.at(-1)
    if (last && begins <= last.ends) last.ends = Math.max(last.ends, ends)
    else merged.push({ begins, ends })
  }
  return merged
}
