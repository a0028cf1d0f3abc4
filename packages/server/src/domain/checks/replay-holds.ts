// What held the alerts of a check in the past: maintenance as it was, a mute that is still on, and the check that it depends on, whose results
// are replayed beside its own.
import { setImmediate as pause } from 'node:timers/promises'
import { type CheckCase, listCases } from '../../store/checks/check-health.ts'
import { findCheck } from '../../store/checks/checks.ts'
import type { Db } from '../../store/database.ts'
import { listSpansBetween } from '../../store/maintenance/spans.ts'
import { listMutes } from '../../store/routing/mutes.ts'
import { holdOf } from '../dependencies/holds.ts'
import { occurrences, type Schedule } from '../maintenance/occurrences.ts'
import type { Hold } from '../routing/hold.ts'
import { covers, type Scope, type Subject } from '../routing/route.ts'
import { rulesOf } from './health.ts'
import { type JudgedResult, PlaceJudge } from './places.ts'

/** A hold with when it was on, in milliseconds. */
interface Past {
  begins: number
  ends: number
  hold: Hold
}

/** A window that a replay is tried with, in place of those that there were. */
export type TriedWindow = Schedule & { name: string; scope: Scope }

export interface PastOf {
  org_id: number
  check_id: number
  subject: Subject
  /** In place of the windows that there were. */
  windows: readonly TriedWindow[] | undefined
}

/** Maintenance and mutes between two instants. */
export async function listPast(
  db: Db,
  { org_id, check_id, subject, windows }: PastOf,
  { from, until }: { from: string; until: string },
): Promise<Past[]> {
  const maintenance = windows
    ? await pastOfTried(windows, subject, { from, until })
    : (await listSpansBetween(db, org_id, from, until)).flatMap(({ begins_at, ends_at, scope, window_id, name }) => {
        if (!covers(scope as Scope, subject)) return []
        return [pastOf(Date.parse(begins_at), Date.parse(ends_at), `maintenance:${window_id}`, name)]
      })
  const mutes = (await listMutes(db, org_id, [`check:${check_id}`], from)).map(({ muted_at, muted_until }) =>
    pastOf(Date.parse(muted_at), Date.parse(muted_until), 'muted', 'muted'),
  )
  return [...maintenance, ...mutes]
}

/** Lets other requests be answered after each window. */
async function pastOfTried(
  windows: readonly TriedWindow[],
  subject: Subject,
  { from, until }: { from: string; until: string },
): Promise<Past[]> {
  const past: Past[] = []
  for (const [n, window] of windows.entries()) {
    if (!covers(window.scope, subject)) continue
    for (const { begins, ends } of occurrences(window, Date.parse(from), Date.parse(until))) {
      past.push(pastOf(begins, ends, `maintenance:${n}`, window.name))
    }
    await pause()
  }
  return past
}

function pastOf(begins: number, ends: number, by: string, words: string): Past {
  return { begins, ends, hold: { until: new Date(ends).toISOString(), by, words } }
}

/** Of what was on at an instant, what ended last. */
export function holdIn(past: readonly Past[], at_ms: number): Hold | undefined {
  const on = past.filter(({ begins, ends }) => begins <= at_ms && at_ms < ends)
  return on.reduce<Past | undefined>((last, one) => (last && last.ends >= one.ends ? last : one), undefined)?.hold
}

const DAY_MS = 86_400_000

/** The check on which another depends, as its results come by. */
export class Dependency {
  readonly other: CheckCase
  readonly #own_interval_sec: number
  readonly #judge: PlaceJudge
  #ended_at: string | null = null
  #succeeded_at: string | null = null
  #own_ran_at: string | null = null

  constructor(other: CheckCase, own: { interval_sec: number }) {
    this.other = other
    this.#own_interval_sec = own.interval_sec
    this.#judge = new PlaceJudge(rulesOf(other))
    this.#judge.begin(null)
  }

  take(result: JudgedResult): void {
    this.#judge.take(result)
    for (const { ended_at } of this.#judge.drain()) this.#ended_at = ended_at
    if (result.success) this.#succeeded_at = result.at
  }

  /** The check that depends on it ran. */
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

/** Undefined: it depends on no check. When monitors were away in the past is not known. */
export async function findDependency(
  db: Db,
  org_id: number,
  { depends_on, interval_sec }: { depends_on: string; interval_sec: number },
): Promise<Dependency | undefined> {
  const other = depends_on === '' ? undefined : await findCheck(db, org_id, depends_on)
  const [found] = other ? await listCases(db, [{ org_id, check_id: other.check_id }]) : []
  return found && new Dependency(found, { interval_sec })
}
