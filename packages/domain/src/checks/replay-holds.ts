// Finds the holds on alerts of a check in the past: maintenance as it was, a mute that still lasts, and the check that it depends
// on, whose results are replayed with its own.
import { setImmediate as pause } from 'node:timers/promises'
import { isTargetOfServer } from '@dogwatch/check-rules/schemes'
import { type CheckCase, listCases } from '@dogwatch/store/checks/check-health'
import { findCheck } from '@dogwatch/store/checks/checks'
import type { Db } from '@dogwatch/store/database'
import { listPastTimes } from '@dogwatch/store/maintenance/times'
import { listMutes } from '@dogwatch/store/routing/mutes'
import { holdOf } from '../dependencies/holds.ts'
import { occurrences, type WindowSchedule } from '../maintenance/occurrences.ts'
import type { Hold } from '../routing/hold.ts'
import { covers, readScope, type Scope, type Subject } from '../routing/route.ts'
import { type JudgedResult, PlaceJudge, rulesOf } from './places.ts'
import { patienceMs } from './unmonitored.ts'

/** A hold in the past, with its times in milliseconds and its reason. */
interface PastHold extends Pick<Hold, 'by' | 'words'> {
  begins: number
  ends: number
}

/** A maintenance window that a replay assumes in place of the windows that existed. */
export type TriedWindow = WindowSchedule & { name: string; scope: Scope }

export interface PastOf {
  org_id: number
  check_id: number
  subject: Subject
  /** Windows that the replay assumes in place of the windows that existed. Undefined to use the windows that existed. */
  windows: readonly TriedWindow[] | undefined
}

/** Reads maintenance and mutes between two instants. */
export async function readPast(
  db: Db,
  { org_id, check_id, subject, windows }: PastOf,
  range: { from: string; until: string },
): Promise<Past> {
  const maintenance = windows
    ? await pastOfTried(windows, subject, range)
    : (await listPastTimes(db, org_id, range)).flatMap(({ begins, ends, scope, window_id, name }) => {
        if (!covers(readScope(scope), subject)) return []
        return begins.map((at, n) => ({ begins: at, ends: ends[n] ?? at, by: `maintenance:${window_id}`, words: name }))
      })
  const mutes = (await listMutes(db, org_id, [`check:${check_id}`], range.from)).map(({ muted_at, muted_until }) => ({
    begins: Date.parse(muted_at),
    ends: Date.parse(muted_until),
    by: 'muted',
    words: 'muted',
  }))
  return new Past([...maintenance, ...mutes])
}

/** Returns the holds of the windows of a replay. Other requests have their turn after each window. */
async function pastOfTried(
  windows: readonly TriedWindow[],
  subject: Subject,
  { from, until }: { from: string; until: string },
): Promise<PastHold[]> {
  const past: PastHold[] = []
  for (const [n, window] of windows.entries()) {
    if (!covers(window.scope, subject)) continue
    for (const { begins, ends } of occurrences(window, Date.parse(from), Date.parse(until))) {
      past.push({ begins, ends, by: `maintenance:${n}`, words: window.name })
    }
    await pause()
  }
  return past
}

/** Holds of the past, which a replay looks up for many instants. */
export class Past {
  readonly #holds: readonly PastHold[]
  /** Hold that ends last of `#holds` up to each position, as `holdAt` needs it. */
  readonly #last: readonly PastHold[]

  constructor(holds: readonly PastHold[]) {
    this.#holds = holds.toSorted((a, b) => a.begins - b.begins)
    let last = this.#holds[0]
    this.#last = this.#holds.map((one) => (last = last && last.ends >= one.ends ? last : one))
  }

  get isNone(): boolean {
    return this.#holds.length === 0
  }

  /** Returns the hold at an instant. If there were several, returns the one that ended last. */
  holdAt(at_ms: number): Hold | undefined {
    let [low, high] = [0, this.#holds.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#holds[middle] as PastHold).begins > at_ms) high = middle
      else low = middle + 1
    }
    const last = this.#last[low - 1]
    if (!last || last.ends <= at_ms) return undefined
    const { ends, by, words } = last
    return { until: new Date(ends).toISOString(), by, words }
  }
}

const DAY_MS = 86_400_000

/** A check that another check depends on. A replay judges it by its stored results, in order. */
export class Dependency {
  readonly other: CheckCase
  readonly #own_interval_sec: number
  readonly #judge: PlaceJudge
  /** Time without a result of `other` after which it counts as unmonitored, in milliseconds. */
  readonly #patience_ms: number
  #ran_at: string | undefined
  #ended_at: string | null = null
  #succeeded_at: string | null = null
  #own_ran_at: string | null = null

  constructor(other: CheckCase, own: { interval_sec: number }) {
    this.other = other
    this.#own_interval_sec = own.interval_sec
    this.#judge = new PlaceJudge(rulesOf(other))
    this.#judge.begin(null)
    this.#patience_ms = patienceMs({ ...other, timeout_sec: 0 })
  }

  take(result: JudgedResult): void {
    this.#judge.take(result)
    this.#ran_at = result.at
    for (const { ended_at } of this.#judge.drain()) this.#ended_at = ended_at
    if (result.success) this.#succeeded_at = result.at
  }

  /** Notes that the dependent check ran. */
  note(at: string): void {
    this.#own_ran_at = at
  }

  holdAt(now: Date, down_since: string | null): Hold | undefined {
    const recent = (at: string | null) => (at !== null && Date.parse(at) > now.getTime() - DAY_MS ? at : null)
    const { guid, name, interval_sec, is_live, threshold } = this.other
    const row = {
      depends_on: guid,
      name,
      is_down: this.#judge.isDown,
      offline_since: null,
      is_watched: this.#ran_at !== undefined && now.getTime() - Date.parse(this.#ran_at) < this.#patience_ms,
      ended_at: recent(this.#ended_at),
      interval_sec: is_live ? interval_sec : null,
      own_interval_sec: this.#own_interval_sec,
      needed: threshold,
      succeeded_at: recent(this.#succeeded_at),
      own_ran_at: recent(this.#own_ran_at),
      down_since,
    }
    return holdOf(row, now.getTime())
  }
}

/**
 * Finds the check that another one depends on. Returns undefined if there is none. Does not know when monitors were offline in
 * the past.
 */
export async function findDependency(
  db: Db,
  org_id: number,
  { depends_on, interval_sec }: { depends_on: string; interval_sec: number },
): Promise<Dependency | undefined> {
  const other = depends_on === '' ? undefined : await findCheck(db, org_id, depends_on)
  const [found] = other ? await listCases(db, [{ org_id, check_id: other.check_id }]) : []
  // A check that the server judges has a new verdict within seconds.
  const paced = found && isTargetOfServer(found.url) ? { ...found, interval_sec: 1 } : found
  return paced && new Dependency(paced, { interval_sec })
}
