// Which results an agent has at which time, each as recorded, and when it uploads them. They can be computed again, so that acknowledged
// results can be compared with the database without keeping them.
import { toldOf } from '../recording.ts'
import type { Unit } from './units.ts'

/** How often an agent has new results. */
export const TICK_MS = 1000
/** Ticks until an upload, and until an upload of news, as in packages/agent/src/buffer/upload.ts. */
export const GATHER_TICKS = 5
const NEWS_TICKS = 2
const INTERVAL_MS = 60_000
/** An unsteady check fails for this many minutes, and then succeeds for as many. */
const MINUTES_DOWN = 5
const MINUTES_WELL = 5
/** One result of this many fails alone. With those of unsteady checks, one of a hundred fails. */
const LONE_FAILURE = 199

/** Part of a unit that one monitor runs. */
export interface Share {
  monitor_id: string
  /** Position among the monitors that take turns, and their number. */
  rank: number
  turns: number
  /**
   * The checks that run in each of its ticks, in turn: each check once in two intervals, alternating with the other monitor.
   */
  slices: Slice[]
}

interface Slice {
  /** The beginning of each result. */
  heads: string[]
  guids: string[]
  /** Numbers of the recorded checks that the checks resemble. */
  numbers: number[]
  /** The minute at which an unsteady check begins to fail; NaN for others. */
  phases: number[]
  /** Offset that gives the lone failures of each agent other times. */
  turn: number
}

export interface SentResult {
  guid: string
  ran_at: string
  success: boolean
}

export function sharesOf({ monitors, guids, unsteady }: Unit): Share[] {
  const slices = (INTERVAL_MS / TICK_MS) * monitors.length
  // All units have their unsteady checks at the same places. This number turns them, or they would all change in the same second.
  const own = Number.parseInt(guids[0]?.slice(0, 8) ?? '0', 16)
  const cycle = MINUTES_DOWN + MINUTES_WELL
  const moving = new Map(unsteady.map((guid, place) => [guid, (place + Math.floor(own / slices)) % cycle]))
  return monitors.map(({ id }, rank) => {
    const share = Array.from(
      { length: slices },
      (): Slice => ({ heads: [], guids: [], numbers: [], phases: [], turn: own + rank }),
    )
    for (const [place, guid] of guids.entries()) {
      const slice = share[(place + own + (rank * slices) / monitors.length) % slices] as Slice
      slice.heads.push(`{"check_guid":"${guid}","monitor_id":"","ran_at":"`)
      slice.guids.push(guid)
      slice.numbers.push(place)
      slice.phases.push(moving.get(guid) ?? Number.NaN)
    }
    return { monitor_id: id, rank, turns: monitors.length, slices: share }
  })
}

/** A tick of an agent: which of its slices is run, and when, in milliseconds since the Unix epoch. */
export interface Tick {
  number: number
  due: number
}

/** Ticks that an agent has not uploaded. */
export class Gathering {
  readonly #share: Share
  #ticks: Tick[] = []
  #hasNews = false

  constructor(share: Share) {
    this.#share = share
  }

  /** Adds a tick. Returns the ticks to upload now, or none. */
  add(tick: Tick): readonly Tick[] {
    this.#ticks.push(tick)
    this.#hasNews ||= hasNews(this.#share, tick)
    if (this.#ticks.length < (this.#hasNews ? NEWS_TICKS : GATHER_TICKS)) return []
    const gathered = this.#ticks
    this.#ticks = []
    this.#hasNews = false
    return gathered
  }
}

/** Returns the body of an upload of ticks. */
export function bodyOf(share: Share, ticks: readonly Tick[]): string {
  const results = ticks.map((tick) => resultsOf(share, tick)).filter((text) => text !== '')
  return `{"results":[${results.join()}],"sent_at":"${new Date().toISOString()}","remaining":0,"partial":true}`
}

function resultsOf({ slices, rank, turns }: Share, { number, due }: Tick): string {
  const slice = slices[number % slices.length] as Slice
  const moment = momentOf(due)
  const run = Math.floor(number / slices.length) * turns + rank
  let results = ''
  for (let place = 0; place < slice.heads.length; place++) {
    const success = isWell(slice, place, number, due)
    results += `${place > 0 ? ',' : ''}${slice.heads[place]}${moment}",${tailOf(slice.numbers[place] ?? 0, run, success)}`
  }
  return results
}

const tails = new Map<string, string>()

/** Returns the text after the time of a result. Cached, because the traffic must cost little. */
function tailOf(check: number, number: number, success: boolean): string {
  const name = `${check} ${number % RUNS} ${success}`
  const known = tails.get(name)
  if (known !== undefined) return known
  const tail = JSON.stringify(toldOf(check, number % RUNS, success)).slice(1)
  tails.set(name, tail)
  return tail
}

/** Number of different runs of a check. */
const RUNS = 60

/** Returns the results of a tick, to compare them with the database. */
export function foundIn({ slices }: Share, { number, due }: Tick): SentResult[] {
  const slice = slices[number % slices.length] as Slice
  const ran_at = momentOf(due)
  return slice.guids.map((guid, place) => ({ guid, ran_at, success: isWell(slice, place, number, due) }))
}

/** Whether a tick has a failure, or the first success after one. */
function hasNews({ slices }: Share, { number, due }: Tick): boolean {
  const slice = slices[number % slices.length] as Slice
  const [before, then] = [number - slices.length, due - slices.length * TICK_MS]
  return slice.guids.some((_, place) => !isWell(slice, place, number, due) || !isWell(slice, place, before, then))
}

function momentOf(due: number): string {
  return new Date(due).toISOString()
}

function isWell({ phases, turn }: Slice, place: number, number: number, due: number): boolean {
  const phase = phases[place] ?? Number.NaN
  if (Number.isNaN(phase)) return (number * 7919 + place * 104_729 + turn) % LONE_FAILURE !== 0
  return (Math.floor(due / 60_000) + phase) % (MINUTES_DOWN + MINUTES_WELL) >= MINUTES_DOWN
}
