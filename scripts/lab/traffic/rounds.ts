// Computes which results an agent has at which time, each as recorded, and when it uploads them. The same results can be computed
// again, to compare acknowledged results with the database.
import { toldOf } from '../recording.ts'
import type { Unit } from './units.ts'

/** Interval at which an agent has new results, in milliseconds. One interval is a tick. */
export const TICK_MS = 1000
/**
 * Number of ticks until an upload. If a result is urgent, the number is `NEWS_TICKS`, as in
 * packages/agent/src/buffer/gathering.ts.
 */
const GATHER_TICKS = 5
const NEWS_TICKS = 2
const INTERVAL_MS = 60_000
/** Duration of the failures of an unsteady check, in minutes. After them, the check succeeds for `MINUTES_WELL`. */
const MINUTES_DOWN = 5
const MINUTES_WELL = 5
/** One result in this many is a single failure. Together with the results of unsteady checks, one result in a hundred fails. */
const LONE_FAILURE = 199
/** Number of different recorded runs that each check repeats. */
const RUNS = 60

interface TurnCheck {
  guid: string
  /** Position of the check in its unit. The check behaves like the recorded check of this number. */
  place: number
  /** Minute at which an unsteady check begins to fail. Absent for other checks. */
  phase: number | undefined
}

/** Part of a unit that one monitor runs. */
export interface Share {
  monitor_id: string
  /** Position of the monitor among those that take turns. The next field is their number. */
  rank: number
  turns: number
  /**
   * Checks of each tick, in turn. Each check runs here once in two intervals, because the other monitor makes every second run.
   */
  slices: TurnCheck[][]
  /** Offset that moves the single failures of each agent to other times. */
  offset: number
}

/** A tick of an agent: its number, which selects the checks, and its time in milliseconds since the Unix epoch. */
export interface Tick {
  number: number
  due: number
}

export function sharesOf({ monitors, guids, unsteady }: Unit): Share[] {
  const count = (INTERVAL_MS / TICK_MS) * monitors.length
  // All units have unsteady checks at the same positions. This number moves the positions, so that not all checks change state in
  // the same second.
  const own = Number.parseInt(guids[0]?.slice(0, 8) ?? '0', 16)
  const phaseOf = new Map(
    unsteady.map((guid, n) => [guid, (n + Math.floor(own / count)) % (MINUTES_DOWN + MINUTES_WELL)]),
  )
  return monitors.map(({ id }, rank) => {
    const slices = Array.from({ length: count }, (): TurnCheck[] => [])
    for (const [place, guid] of guids.entries()) {
      slices[(place + own + (rank * count) / monitors.length) % count]?.push({ guid, place, phase: phaseOf.get(guid) })
    }
    return { monitor_id: id, rank, turns: monitors.length, slices, offset: own + rank }
  })
}

function sliceOf({ slices }: Share, number: number): TurnCheck[] {
  return slices[number % slices.length] as TurnCheck[]
}

/** Whether a tick has an urgent result: a failure, or the first success after one. */
function hasNews(share: Share, { number, due }: Tick): boolean {
  const before = { number: number - share.slices.length, due: due - share.slices.length * TICK_MS }
  return sliceOf(share, number).some((one) => !isWell(share, one, { number, due }) || !isWell(share, one, before))
}

/** Whether it is time for an agent to upload the results of these ticks. */
export function isTime(share: Share, ticks: readonly Tick[]): boolean {
  return ticks.length >= (ticks.some((tick) => hasNews(share, tick)) ? NEWS_TICKS : GATHER_TICKS)
}

/** Returns the body of an upload with the results of these ticks. */
export function bodyOf(share: Share, ticks: readonly Tick[]): string {
  const results = ticks.flatMap((tick) => {
    const run = Math.floor(tick.number / share.slices.length) * share.turns + share.rank
    const head = `","monitor_id":"","ran_at":"${new Date(tick.due).toISOString()}",`
    return sliceOf(share, tick.number).map(
      (one) => `{"check_guid":"${one.guid}${head}${tailOf(one.place, run % RUNS, isWell(share, one, tick))}`,
    )
  })
  return `{"results":[${results.join()}],"sent_at":"${new Date().toISOString()}","remaining":0,"partial":true}`
}

const tails = new Map<string, string>()

/** Returns the JSON of a result after its time. Caches it, because the generator must use little CPU. */
function tailOf(check: number, run: number, success: boolean): string {
  const name = `${check} ${run} ${success}`
  const tail = tails.get(name) ?? JSON.stringify(toldOf(check, run, success)).slice(1)
  tails.set(name, tail)
  return tail
}

/** Returns the results of a tick, for the comparison with the database. */
export function foundIn(share: Share, tick: Tick): { guid: string; ran_at: string; success: boolean }[] {
  const ran_at = new Date(tick.due).toISOString()
  return sliceOf(share, tick.number).map((one) => ({ guid: one.guid, ran_at, success: isWell(share, one, tick) }))
}

/** Returns the guids of the unsteady checks in a tick. */
export function unsteadyIn(share: Share, { number }: Tick): string[] {
  return sliceOf(share, number).flatMap(({ guid, phase }) => (phase === undefined ? [] : [guid]))
}

function isWell({ offset }: Share, { place, phase }: TurnCheck, { number, due }: Tick): boolean {
  if (phase === undefined) return (number * 7919 + place * 104_729 + offset) % LONE_FAILURE !== 0
  return (Math.floor(due / 60_000) + phase) % (MINUTES_DOWN + MINUTES_WELL) >= MINUTES_DOWN
}
