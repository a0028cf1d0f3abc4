// Limits how fast results are stored: to a generous multiple of what the intervals of an organisation's checks can produce, plus
// everything that offline monitors ran in the meantime. Hands the rest back, so that no valid result is lost and no flood fills
// the database.

import { LogThrottle } from '@dogwatch/runtime/log'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  type AssignedResult,
  listAssignedResults,
  listFreshResults,
  refundBudget,
  spendBudget,
} from '@dogwatch/store/results/result-budgets'
import type { TimedColumns } from '@dogwatch/store/results/results'
import type { Deps } from '../deps.ts'
import { DEFAULT_BOUNDS } from '../limits/bounds.ts'

const HOUR_MS = 3_600_000
/** Number of results that a check not known yet can have in an hour without a query. */
const UNSEEN_PER_HOUR = 60
/** Hourly limit of a check, as a multiple of the runs that its interval produces. It applies to all monitors together. */
const PER_DUE_BY_HOUR = 4
/**
 * Capacity of a budget for each run that was due in the last 40 days (`WINDOW_SEC`), so that an agent that was offline for 30
 * days can upload everything it ran.
 */
const MOST_PER_DUE = 2
const WINDOW_SEC = 40 * 86_400
/**
 * Growth of a budget for each due run: several times what the checks produce. `REFILL_PER_HOUR`: a whole batch for paused checks.
 */
const REFILL_PER_DUE = 4
const REFILL_PER_HOUR = 500
/** Maximum number of checks that are counted. With more of them, counting starts again. */
const MOST_CHECKS = 500_000
const QUIET_MS = 60_000

interface Count {
  taken: number
  limit: number
}

/** The part of a batch that may be stored now, and the positions in the batch of the results that exceed a budget. */
export interface ScreenedBatch {
  columns: TimedColumns
  excess: ReadonlySet<number>
  /**
   * Counts a batch by its outcome. Without an outcome, nothing was stored. `missed`: guids of the checks whose results were not
   * stored, always all checks of an organisation.
   */
  settle(outcome?: { accepted: number; fresh: number; missed?: ReadonlySet<string> }): Promise<void>
}

/**
 * Counts results by check in this process. Within the hourly limit a batch costs one map lookup. Beyond it the database
 * says which results are new, and these are charged to the organisation's budget.
 */
export class Intake {
  readonly #deps: Deps
  readonly #throttle: LogThrottle
  #counts = new Map<string, Count>()
  #hour = Number.NaN

  constructor(deps: Deps) {
    this.#deps = deps
    this.#throttle = new LogThrottle(deps.clock, QUIET_MS)
  }

  async screen(monitor_id: string, columns: TimedColumns): Promise<ScreenedBatch> {
    const { results_beyond } = this.#deps.bounds ?? DEFAULT_BOUNDS
    if (results_beyond === Infinity) return { columns, excess: new Set(), settle: async () => {} }
    this.#turn()
    const batch = countEach(columns.check_guid)
    const counts: (Count | undefined)[] = []
    const over = new Set<string>()
    for (const [guid, more] of batch) {
      const count = this.#counts.get(guid)
      counts.push(count)
      if ((count?.taken ?? 0) + more > (count?.limit ?? UNSEEN_PER_HOUR)) over.add(guid)
    }
    if (over.size > 0) return this.#judge(monitor_id, columns, over)
    return {
      columns,
      excess: new Set(),
      settle: async (outcome) => {
        if (!outcome || outcome.fresh === 0) return
        if (outcome.accepted === columns.check_guid.length) this.#count(batch, outcome.missed, counts)
        else this.#count(await this.#countAssigned(monitor_id, columns), outcome.missed)
      },
    }
  }

  /** Charges the new results beyond the hourly limits to the budgets of the organisations, the newest results first. */
  async #judge(monitor_id: string, columns: TimedColumns, over: ReadonlySet<string>): Promise<ScreenedBatch> {
    const guidAt = (place: number) => columns.check_guid[place] ?? ''
    const ranAt = (place: number) => columns.ran_at[place] ?? ''
    const { database } = this.#deps
    const assigned = await listAssignedResults(database, monitor_id, columns)
    const fresh = (await listFreshResults(database.machines, monitor_id, columns, assigned)).sort((a, b) =>
      ranAt(a.place) < ranAt(b.place) ? 1 : -1,
    )
    const beyond = new Map<number, number[]>()
    const within = new Map<string, number>()
    for (const { place, org_id, interval_sec } of fresh) {
      const guid = guidAt(place)
      const { taken, limit } = this.#learn(guid, interval_sec)
      const before = within.get(guid) ?? 0
      if (!over.has(guid) || taken + before < limit) within.set(guid, before + 1)
      else beyond.set(org_id, [...(beyond.get(org_id) ?? []), place])
    }
    const { excess, spent } = await this.#spend(monitor_id, beyond)
    return {
      columns: excess.size === 0 ? columns : without(columns, excess),
      excess,
      settle: async (outcome) => {
        if (outcome) this.#count(within, outcome.missed)
        // An organisation's results are stored all together or not at all.
        const isMissed = ({ place }: AssignedResult) => !outcome || outcome.missed?.has(guidAt(place)) === true
        const missed = new Set(fresh.filter(isMissed).map(({ org_id }) => org_id))
        await this.#refund([...spent].filter(([org_id]) => missed.has(org_id)))
      },
    }
  }

  async #spend(monitor_id: string, beyond: ReadonlyMap<number, number[]>) {
    const { results_beyond: base } = this.#deps.bounds ?? DEFAULT_BOUNDS
    const excess = new Set<number>()
    const spent = new Map<number, number>()
    for (const [org_id, places] of beyond) {
      const granted = await this.#take(org_id, places.length, base)
      spent.set(org_id, granted)
      for (const place of places.slice(granted)) excess.add(place)
      if (granted === places.length) continue
      this.#throttle.run((count) => {
        const facts = { org_id, monitor: monitor_id, handed_back: places.length - granted, count }
        this.#deps.log.warn(facts, 'results are handed back: more arrive than the checks can produce')
      })
    }
    return { excess, spent }
  }

  async #take(org_id: number, wanted: number, base: number): Promise<number> {
    const now = this.#deps.clock.now()
    const from = fromDate(new Date(now.getTime() - WINDOW_SEC * 1000))
    const rule = {
      base,
      most_per_due: MOST_PER_DUE,
      refill_per_due: REFILL_PER_DUE,
      refill_per_hour: REFILL_PER_HOUR,
    }
    return this.#deps.database.machines
      .transaction()
      .execute((trx) => spendBudget(trx, { org_id, wanted, now: fromDate(now), from }, rule))
  }

  async #refund(spent: readonly (readonly [number, number])[]): Promise<void> {
    for (const [org_id, count] of spent) await refundBudget(this.#deps.database.machines, org_id, count)
  }

  /** Counts results by check, only for assigned checks, because counting invented guids would waste memory. */
  async #countAssigned(monitor_id: string, columns: TimedColumns): Promise<Map<string, number>> {
    const assigned: AssignedResult[] = await listAssignedResults(this.#deps.database, monitor_id, columns)
    return countEach(assigned.map(({ place }) => columns.check_guid[place] ?? ''))
  }

  #learn(guid: string, interval_sec: number): Count {
    const limit = Math.max(UNSEEN_PER_HOUR, Math.ceil((PER_DUE_BY_HOUR * 3600) / interval_sec))
    const count = this.#counts.get(guid) ?? { taken: 0, limit }
    count.limit = limit
    this.#counts.set(guid, count)
    return count
  }

  /**
   * Adds numbers of accepted results to the hourly counts of their checks, except for results in `missed`. `counts`: entries that the
   * caller has found already, in the order of `taken`.
   */
  #count(taken: ReadonlyMap<string, number>, missed?: ReadonlySet<string>, counts: (Count | undefined)[] = []): void {
    let place = 0
    for (const [guid, more] of taken) {
      const count = counts[place++] ?? this.#counts.get(guid)
      if (missed?.has(guid)) continue
      if (count) count.taken += more
      else this.#counts.set(guid, { taken: more, limit: UNSEEN_PER_HOUR })
    }
  }

  #turn(): void {
    const hour = Math.floor(this.#deps.clock.monotonicMs() / HOUR_MS)
    if (hour === this.#hour && this.#counts.size <= MOST_CHECKS) return
    this.#hour = hour
    this.#counts = new Map()
  }
}

function countEach(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function without(columns: TimedColumns, places: ReadonlySet<number>): TimedColumns {
  const kept = Object.entries(columns).map(([name, values]: [string, unknown[]]) => [
    name,
    values.filter((_, place) => !places.has(place)),
  ])
  return Object.fromEntries(kept) as TimedColumns
}
