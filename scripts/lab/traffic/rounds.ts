// Which results an agent has at which time, each as recorded, and when it uploads them. They can be computed again, so that acknowledged
// results can be compared with the database without keeping them.
import { toldOf } from '../recording.ts'
import type { Unit } from './units.ts'

/** How often an agent has new results. */
export const TICK_MS = 1000
/** Ticks until an upload, and until an upload of news, as in packages/agent/src/buffer/upload.ts. */
const GATHER_TICKS = 5
const NEWS_TICKS = 2
const INTERVAL_MS = 60_000
/** An unsteady check fails for this many minutes, and then succeeds for as many. */
const MINUTES_DOWN = 5
const MINUTES_WELL = 5
/** One result of this many fails alone. With those of unsteady checks, one of a hundred fails. */
const LONE_FAILURE = 199
/** Number of different runs of a check. */
const RUNS = 60

interface TurnCheck {
  guid: string
  /** Position in its unit. The check resembles the recorded check of this number. */
  place: number
  /** The minute at which an unsteady check begins to fail. Absent for others. */
  phase: number | undefined
}

/** Part of a unit that one monitor runs. */
export interface Share {
  monitor_id: string
  /** Position among the monitors that take turns, and their number. */
  rank: number
  turns: number
  /** The checks that run in each of its ticks, in turn: each check once in two intervals, alternating with the other monitor. */
  slices: TurnCheck[][]
  /** Offset that gives the lone failures of each agent other times. */
  offset: number
}

/** A tick of an agent: which of its slices is run, and when, in milliseconds since the Unix epoch. */
export interface Tick {
  number: number
  due: number
}

export function sharesOf({ monitors, guids, unsteady }: Unit): Share[] {
  const count = (INTERVAL_MS / TICK_MS) * monitors.length
  // All units have their unsteady checks at the same places. This number turns them, or they would all change in the same second.
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

/** Whether a tick has a failure, or the first success after one. */
function hasNews(share: Share, { number, due }: Tick): boolean {
  const before = { number: number - share.slices.length, due: due - share.slices.length * TICK_MS }
  return sliceOf(share, number).some((one) => !isWell(share, one, { number, due }) || !isWell(share, one, before))
}

/** Whether an agent uploads these ticks now. */
export function isTime(share: Share, ticks: readonly Tick[]): boolean {
  return ticks.length >= (ticks.some((tick) => hasNews(share, tick)) ? NEWS_TICKS : GATHER_TICKS)
}

/** Returns the body of an upload of ticks. */
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

/** Returns the text after the time of a result. Cached, because the traffic must cost little. */
function tailOf(check: number, run: number, success: boolean): string {
  const name = `${check} ${run} ${success}`
  const tail = tails.get(name) ?? JSON.stringify(toldOf(check, run, success)).slice(1)
  tails.set(name, tail)
  return tail
}

/** Returns the results of a tick, to compare them with the database. */
export function foundIn(share: Share, tick: Tick): { guid: string; ran_at: string; success: boolean }[] {
  const ran_at = new Date(tick.due).toISOString()
  return sliceOf(share, tick.number).map((one) => ({ guid: one.guid, ran_at, success: isWell(share, one, tick) }))
}

/** Returns the checks of a tick that go down and come up. */
export function unsteadyIn(share: Share, { number }: Tick): string[] {
  return sliceOf(share, number).flatMap(({ guid, phase }) => (phase === undefined ? [] : [guid]))
}

function isWell({ offset }: Share, { place, phase }: TurnCheck, { number, due }: Tick): boolean {
  if (phase === undefined) return (number * 7919 + place * 104_729 + offset) % LONE_FAILURE !== 0
  return (Math.floor(due / 60_000) + phase) % (MINUTES_DOWN + MINUTES_WELL) >= MINUTES_DOWN
}
