// Counts the results that ran during maintenance, so that an uptime can omit them.
import { Pace } from '@dogwatch/runtime/pace'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Database } from '@dogwatch/store/database'
import type { Folding } from '@dogwatch/store/results/history'
import { listRunsWithin, type Stretch } from '@dogwatch/store/results/runs-within'
import { Cover, type Interval } from './cover.ts'
import type { StretchCounts } from './division.ts'
import type { Runs } from './uptime.ts'

/** A step of time and its runs. A current step ends now. */
export interface Step extends Interval, Runs {
  /** End of the time whose runs are counted, because fast clocks date some runs ahead. */
  runs_until: number
}

/** Counts of a check's consecutive stretches, before the runs during maintenance are known. */
export interface CountsOfCheck {
  check_id: number
  maintenance: Cover
  stretches: readonly Step[]
}

/**
 * Returns every step between two instants, also those without a run. `now`: if `until` is now, includes a step that begins at
 * that instant.
 */
export function stepsBetween(
  { from, until, step_ms, now }: Interval & { step_ms: number; now?: number },
  runsAt: (at: number) => Runs | undefined,
): Step[] {
  const steps = (until - from) / step_ms
  const length = until === now ? Math.floor(steps) + 1 : Math.ceil(steps)
  return Array.from({ length: Math.max(0, length) }, (_, n) => {
    const at = from + n * step_ms
    const { runs, failures } = runsAt(at) ?? { runs: 0, failures: 0 }
    return { from: at, until: Math.min(at + step_ms, until), runs_until: at + step_ms, runs, failures }
  })
}

/** Returns steps like {@link stepsBetween}, with the runs of rows. `at`: start of the step of a row. */
export function stepsOfRows(
  span: Parameters<typeof stepsBetween>[0],
  rows: readonly (Runs & { at: string })[],
): Step[] {
  const rowOf = new Map(rows.map((row) => [Date.parse(row.at), row]))
  return stepsBetween(span, (at) => rowOf.get(at))
}

const HOUR_MS = 3_600_000
/** Number of parts of stretches that one statement counts. */
const AT_ONCE = 2_000

/**
 * Adds to each stretch its runs during maintenance. Without maintenance this needs no statement, otherwise one for every few
 * thousand hours of checks that were partly under maintenance.
 */
export async function withExcluded(
  database: Database,
  org_id: number,
  given: readonly CountsOfCheck[],
  folding: Folding,
  pace: Pace = new Pace(),
): Promise<StretchCounts[][]> {
  const counted = given.map(({ stretches }) =>
    stretches.map((one): StretchCounts & Step => ({ ...one, excluded: { runs: 0, failures: 0 } })),
  )
  let parts: PartToCount[] = []
  const count = async () => {
    const some = parts
    parts = []
    const times = new Map<string, number>()
    const stretches = some.map(({ check_id, part }): Stretch => {
      const { from, until, is_folded, times: text } = part
      if (text !== undefined && !times.has(text)) times.set(text, times.size + 1)
      return { check_id, from, until, is_folded, times: text === undefined ? undefined : times.get(text) }
    })
    const rows = await listRunsWithin(database, org_id, stretches, [...times.keys()])
    for (const [n, { runs, failures }] of rows.entries()) {
      const { excluded } = (some[n] as PartToCount).of
      excluded.runs += runs
      excluded.failures += failures
    }
  }
  const plan = new Plan(folding)
  for (const [maintenance, checks] of Map.groupBy(counted.keys(), (n) => given[n]?.maintenance ?? Cover.NONE)) {
    if (maintenance.size === 0) continue
    const most = Math.max(...checks.map((n) => counted[n]?.length ?? 0))
    // By time and not by check: checks that the same windows cover share the times of a statement.
    for (let at = 0; at < most; at++) {
      for (const n of checks) {
        const of = counted[n]?.[at]
        const check_id = given[n]?.check_id ?? NaN
        await pace.spend(1)
        if (!of || of.runs === 0) continue
        const its = plan.partsOf(maintenance, of, check_id)
        await pace.spend(its.length)
        // All of the stretch is maintenance, so its excluded runs are all of its runs.
        if (its === 'all') of.excluded = { runs: of.runs, failures: of.failures }
        else for (const part of its) parts.push({ check_id, of, part })
        if (parts.length >= AT_ONCE) await count()
      }
    }
  }
  await count()
  for (const of of counted.flat()) of.excluded = atMost(of.excluded, of)
  return counted
}

interface PartToCount {
  check_id: number
  of: StretchCounts
  part: Part
}

/**
 * Limits excluded runs to the counted ones, because results that arrived between the two statements are only in the later one.
 */
function atMost({ runs, failures }: Runs, all: Runs): Runs {
  const passed = Math.min(runs - failures, all.runs - all.failures)
  const failed = Math.min(failures, all.failures)
  return { runs: passed + failed, failures: failed }
}

/** A part of a stretch. `times`: the times within it that count, if not all of them do. */
type Part = Pick<Stretch, 'from' | 'until' | 'is_folded'> & { times?: string }

/**
 * Decides what to count of stretches, once for all checks that share a cover. Decides separately for checks with hours that must
 * be folded again.
 */
class Plan {
  readonly #folded_until: number
  readonly #marked: ReadonlyMap<number, ReadonlySet<number>>
  readonly #known = new Map<Cover, Map<string, readonly Part[]>>()

  constructor({ hours_until, marked }: Folding) {
    this.#folded_until = hours_until === '-infinity' ? -Infinity : Date.parse(hours_until)
    const hours = Map.groupBy(marked, ({ check_id }) => check_id)
    this.#marked = new Map([...hours].map(([id, its]) => [id, new Set(its.map(({ hour }) => Date.parse(hour)))]))
  }

  partsOf(cover: Cover, { from, runs_until: until }: Step, check_id: number): readonly Part[] | 'all' {
    if (cover.lengthWithin(from, until) >= until - from) return 'all'
    const marked = this.#marked.get(check_id)
    if (marked) return partsWithin(cover.between(from, until), this.#folded_until, marked)
    const known = this.#known.get(cover) ?? new Map<string, readonly Part[]>()
    this.#known.set(cover, known)
    const key = `${from} ${until}`
    const made = known.get(key) ?? partsWithin(cover.between(from, until), this.#folded_until, NOTHING)
    known.set(key, made)
    return made
  }
}

const NOTHING: ReadonlySet<number> = new Set()

/** Splits intervals into folded whole hours and the pieces before and after them. Pieces in one hour form one part. */
function partsWithin(intervals: Iterable<Interval>, folded_until: number, marked: ReadonlySet<number>): Part[] {
  const parts: Part[] = []
  let pieces: Interval[] = []
  const flush = () => {
    const [first, last] = [pieces[0], pieces.at(-1)]
    if (first && last)
      parts.push({ from: wire(first.from), until: wire(last.until), is_folded: false, ...timesOf(pieces) })
    pieces = []
  }
  const add = (from: number, until: number) => {
    if (until <= from) return
    if (hourOf(pieces[0]?.from ?? from) !== hourOf(until - 1)) flush()
    pieces.push({ from, until })
  }
  for (const { from, until } of intervals) {
    const begin = Math.ceil(from / HOUR_MS) * HOUR_MS
    const end = Math.min(hourOf(until), folded_until)
    if (end <= begin || includesHour(marked, begin, end)) add(from, until)
    else {
      add(from, begin)
      flush()
      parts.push({ from: wire(begin), until: wire(end), is_folded: true })
      add(end, until)
    }
  }
  flush()
  return parts
}

function includesHour(hours: ReadonlySet<number>, from: number, until: number): boolean {
  if (hours.size > 0) for (let hour = from; hour < until; hour += HOUR_MS) if (hours.has(hour)) return true
  return false
}

function timesOf(pieces: readonly Interval[]): Pick<Part, 'times'> {
  if (pieces.length < 2) return {}
  return { times: `{${pieces.map(({ from, until }) => `[${wire(from)},${wire(until)})`).join()}}` }
}

function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS
}

function wire(ms: number): string {
  return fromDate(new Date(ms))
}
