// Adds the newest result of each check to a query of checks.

import { fromDate } from '@dogwatch/runtime/timestamps'
import { sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Database } from '../database.ts'
import { readSealedBoundary, type SealedBoundary } from './nodes/layout.ts'
import { inBothForms, OPEN_FROM, type TextReader, TOGETHER } from './stored/results-of.ts'
import { IS_UNSHIFTED, readHowStoredAfter, shiftedQuery } from './stored/shifted.ts'

export interface NewestRun {
  /** Time of the run by the server's clock. */
  at: string
  /** Time of the run as the agent sent it. */
  ran_at: string
  success: boolean
  latency_ms: number
}

/** Columns of {@link NewestRun} in a row of a check. They are null without a result. */
export type FlatNewest = { [Field in keyof NewestRun]: NewestRun[Field] | null }

// Newest results are searched only where a running check has them: further back, the index has many more rows to skip.
// Bounds come from subqueries, so that one plan serves all of them and is made once per connection. Partitions are
// skipped when it runs.
//
// The statement reads once whether an organisation has results that a wrong clock shifted: without any, it does not search
// for them.
const LATELY_MS = 20 * 60_000
const LATELY_INTERVALS = 2
/** Start of the search for the newest result of a check `c`, which goes up to $2. */
const LATELY = `(select $2::timestamptz) - interval '${LATELY_MS} milliseconds' - c.interval_sec * interval '${LATELY_INTERVALS} seconds'`
/** SQL that says whether an organisation has results that a wrong clock shifted. */
const HAS_SHIFTED = '(select exists (select 1 from shifted_results where org_id = $1))'

const RUN = ['ran_at', 'monitor_id', 'success', 'latency_ms'] as const

/**
 * Joins the newest result of a check `c` of the organisation $1 up to $2, if it ran lately. `known_from` is earlier for every
 * check, so that Postgres does not even plan for earlier sealed days.
 */
const newest = (results: TextReader, areShifted: boolean, known_from: string) => `
  left join lateral (
    select * from (
      (select ran_at as at, ran_at, monitor_id, success, latency_ms from (${results.of({
        columns: [...RUN, 'check_id'],
        ...{ org: '$1', check: 'c.check_id', from: LATELY, until: '(select $2::timestamptz)' },
        ...(results.isSealed && { known_from }),
        where: `r.ran_at <= (select $2::timestamptz) and r.ran_at > ${LATELY}`,
        ...(areShifted && {
          which: `(not ${HAS_SHIFTED} or ${IS_UNSHIFTED})`,
        }),
        ...{ order: 'desc', limit: '1' },
      })}) r)${areShifted ? newestShifted(results) : ''}) u
    order by at desc, monitor_id desc limit 1) newest on true`

/**
 * Join of the newest result that is a row, without sealed hours and late results, where no result is shifted. It suffices for
 * nearly every check, and one plan serves all of them. The others' newest results are read one by one.
 */
const NEWEST_OF_OPEN = `
  left join lateral (
    select r.ran_at as at, r.ran_at, r.success, r.latency_ms from results r
    where r.org_id = $1 and r.check_id = c.check_id and r.ran_at >= ${OPEN_FROM}
      and r.ran_at <= (select $2::timestamptz) and r.ran_at > ${LATELY}
    order by r.ran_at desc, r.monitor_id desc limit 1) newest on true`

const newestShifted = (results: TextReader) => `
      union all
      (select s.effective_at, r.ran_at, r.monitor_id, r.success, r.latency_ms from shifted_results s
        cross join lateral (${results.of(shiftedQuery(RUN))}) r
        where ${HAS_SHIFTED} and s.org_id = $1 and s.check_id = c.check_id
          and s.effective_at <= (select $2::timestamptz) and s.effective_at > ${LATELY}
        order by s.effective_at desc, s.monitor_id desc limit 1)`

// Results are read beside what is known of checks already: checks lie elsewhere when results are distributed.
/**
 * Adds the newest result up to $2, if it ran lately, to each row of `checks`: a query of checks of the organisation $1 with
 * `check_id` and `interval_sec`. `known_from`: the parameter after all others, which this function sets.
 */
export const withNewest = (name: string, checks: string, known_from: string) => {
  const text = (of: string, between: string, more = ''): string => `
    with standing as ${between} (${checks})
    select c.*, wire_time(newest.at) as at, wire_time(newest.ran_at) as ran_at, newest.success, newest.latency_ms${more}
    from standing c ${of}
    order by c.check_id`
  const both = (areShifted: boolean) => (results: TextReader) =>
    text(newest(results, areShifted, known_from), results.between)
  const [shifted, unshifted] = [inBothForms(name, both(true)), inBothForms(`${name}-unshifted`, both(false))]
  const ofOpen = {
    name: `${name}-of-open-hours`,
    text: text(NEWEST_OF_OPEN, TOGETHER, `, ${HAS_SHIFTED} as has_shifted`),
  }
  return async <Row extends CheckKey & FlatNewest>(
    { machines, pools }: Database,
    org_id: number,
    until: string,
    more: readonly unknown[],
  ): Promise<Row[]> => {
    const values: [number, string, ...unknown[]] = [org_id, until, ...more]
    const isSealed = await readSealedBoundary(machines)
    if (isSealed === true) {
      const { rows } = await pools.machines.query<Row & { has_shifted: boolean }>({ ...ofOpen, values })
      // A shifted result can be in any hour, and this statement did not search for it.
      if (rows[0]?.has_shifted !== true) return rows.map(({ has_shifted: _, ...row }) => row as unknown as Row)
    }
    return (await pools.machines.query<Row>(await ofAllPlaces(machines, isSealed, values))).rows
  }

  /**
   * Returns the statement that reads all tables of results, and its values. Where hours are sealed, the last value is before the
   * newest result of every check that ran lately.
   */
  async function ofAllPlaces(
    machines: Database['machines'],
    isSealed: SealedBoundary,
    values: readonly [number, string, ...unknown[]],
  ) {
    const [org_id, until] = values
    if (isSealed === false) return { ...(await shifted({ machines })), values: [...values] }
    const { stored, rows } = await readHowStoredAfter(machines, [longestInterval(org_id)], [{ org_id }])
    const [[longest] = []] = rows as { sec: number }[][]
    const near_ms = Date.parse(until) - LATELY_MS - LATELY_INTERVALS * (longest?.sec ?? 0) * 1000
    const statement = await (stored.areShifted ? shifted : unshifted)({ machines })
    return { ...statement, values: statement.isSealed ? [...values, fromDate(new Date(near_ms))] : [...values] }
  }
}

const longestInterval = (org_id: number) =>
  sql`select coalesce(max(interval_sec), 0) as sec from checks where org_id = ${org_id} and not deleted`
