// Counts the past of checks that the server judges: each second with a known state takes the place of a run.

import { listPastJudgements, type PastJudgement } from '@dogwatch/store/checks/judgements'
import type { Database } from '@dogwatch/store/database'
import { Cover } from './cover.ts'
import type { Facts } from './division.ts'
import type { Step } from './excluded.ts'
import { Timetable } from './watched.ts'

const SECOND_MS = 1000

/** Past of checks that the server judges: when they were down, and when they had a state at all. */
export class JudgedPast {
  readonly #down = new Map<number, Cover>()
  readonly #known = new Map<number, Cover>()

  constructor(rows: readonly PastJudgement[], now: Date) {
    for (const [check_id, its] of Map.groupBy(rows, (row) => row.check_id)) {
      const times = (some: readonly PastJudgement[]) =>
        Cover.of(
          some.map(({ began_at, ended_at }) => ({
            from: Date.parse(began_at),
            until: ended_at === null ? now.getTime() : Date.parse(ended_at),
          })),
        )
      this.#known.set(check_id, times(its.filter(({ state }) => state !== 'unmonitored')))
      this.#down.set(check_id, times(its.filter(({ state }) => state === 'down')))
    }
  }

  /** Returns the facts about a check with a run for each second. Returns the facts about any other check unchanged. */
  factsOf(check_id: number, facts: Facts): Facts {
    if (!this.#known.has(check_id)) return facts
    const schedules = [...facts.timetable.between(-Infinity, Infinity)]
    return { ...facts, timetable: new Timetable(schedules.map((one) => ({ ...one, interval_ms: SECOND_MS }))) }
  }

  /** Returns the steps of a check with its seconds as runs, without those during maintenance. Returns other steps as they are. */
  stepsOf(check_id: number, { timetable, maintenance }: Facts, steps: readonly Step[]): readonly Step[] {
    const [known, down] = [this.#known.get(check_id), this.#down.get(check_id)]
    if (!known || !down) return steps
    return steps.map((step): Step => {
      const seconds = (times: Cover): number => {
        let ms = 0
        for (const { from, until } of timetable.between(step.from, step.until)) {
          const [begin, end] = [Math.max(from, step.from), Math.min(until, step.until)]
          for (const one of times.between(begin, end)) {
            ms += one.until - one.from - maintenance.lengthWithin(one.from, one.until)
          }
        }
        return Math.round(ms / SECOND_MS)
      }
      const runs = seconds(known)
      return { ...step, runs, failures: Math.min(runs, seconds(down)) }
    })
  }
}

/** Reads the past of those of the checks that the server judges. Most organisations have none. */
export async function readJudgedPast(
  { machines }: Pick<Database, 'machines'>,
  org_id: number,
  check_ids: readonly number[],
  { from, now }: { from: string; now: Date },
): Promise<JudgedPast> {
  return new JudgedPast(await listPastJudgements(machines, org_id, check_ids, from), now)
}
