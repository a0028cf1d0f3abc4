// Reads a page of results where hours are sealed: sealed rows are sent as they are, as many as the page needs, and opened here,
// because unpacking them is most of what they cost Postgres. Of the outermost hours only those runs are sent that may be of the page, so a page
// costs the same wherever it begins. One statement reads all three places of results, so they agree.

import { withSixDigits } from '@dogwatch/runtime/timestamps'
import type pg from 'pg'
import { MOST_NEAR_MS, NEAR_MS, nearAfter } from '../near.ts'
import { OPENED_BUT_NUMBERS, openRuns, type SealedRow } from './opened.ts'
import { ALL_OF_RESULT, type CheckKey, END, type Position, SHOWN, START, type UnnamedResult } from './result-rows.ts'
import { SEALED_UNTIL } from './results-of.ts'
import { HOUR_OF, SEALED_VALUES } from './sealed-form.ts'

/** Maximum offset of a run from the even step, in microseconds: the range of its two bytes. */
const MOST_OFF_US = 32_767_000
/**
 * Runs of an hour that are sent beyond the size of the page, for its edges. Hours with more are left to SQL: no usual interval
 * makes so many.
 */
const EDGE_RUNS = 200
const MOST_RUNS = 20_000
/** Maximum hours of the first search: those in the near window, and one more. */
const FEW_HOURS = 50
/** Safety factor for the length of the second window, which is estimated from the results in the first. */
const FURTHER = 1.5

// Every run before `first_run` ran before the position, and every run from `sure_run` on ran after it.
const EDGES = `
  select case when h.since > $3::timestamptz then 0
      when h.times_us is not null then width_bucket(p.at_us - 1, h.times_us)
      when h.step_us = 0 then 0
      else least(h.runs, greatest(0, (p.at_us - h.first_us - ${MOST_OFF_US}) / h.step_us))::integer end as first_run,
    case when h.since > $3::timestamptz then 0
      when h.times_us is not null then width_bucket(p.at_us, h.times_us)
      when h.step_us = 0 then h.runs
      else least(h.runs, greatest(0, (p.at_us - h.first_us + ${MOST_OFF_US}) / h.step_us + 1))::integer end as sure_run
  from (select case when h.since <= $3::timestamptz
    then (extract(epoch from $3::timestamptz - h.since) * 1000000)::bigint end as at_us) p`

const HOURS = `
  select h.*, h.first_run as from_run, least(h.runs, h.sure_run + $5::integer - h.sure_before)::integer as until_run
  from (
    select h.*, (sum(h.runs - h.sure_run) over (order by h.since) - (h.runs - h.sure_run))::integer as sure_before
    from (
      select h.since, ${SEALED_VALUES.map((name) => `h.${name}`).join(', ')}, e.*
      from (
        select * from sealed_hours
        where org_id = $1 and check_id = $2 and since < ${SEALED_UNTIL}
          and since >= ${HOUR_OF('$3::timestamptz')} and since <= $7::timestamptz
        order by since limit $8) h
      cross join lateral (${EDGES}) e) h) h
  where h.sure_before < $5::integer`

const rowsOf = (table: string, which: string): string => `
  select ${SHOWN}, null::json as hour, null::bytea as numbers
  from (
    select ${ALL_OF_RESULT.map((name) => `r.${name}`).join(', ')} from ${table} r
    where r.org_id = $1 and r.check_id = $2 and ${which} and r.ran_at >= $3::timestamptz
      and (r.ran_at, r.monitor_id) > ($3::timestamptz, $4) and r.ran_at <= $7::timestamptz
    order by r.ran_at, r.monitor_id limit $5::integer) r`

// Open rows are looked for only if the hours may not fill the page.
const PAGE = `
  with /* one node */ hours as materialized (${HOURS})
  select ${ALL_OF_RESULT.map((name) => `null as ${name}`).join(', ')}, to_json(o) as hour, case when o.since is not null then h.numbers end as numbers
  from hours h
  left join lateral (
    select ${OPENED_BUT_NUMBERS} where h.runs <= ${MOST_RUNS} and h.until_run - h.from_run <= $5::integer + ${EDGE_RUNS}) o on true
  union all (${rowsOf('reopened_results', 'true')})
  union all (
    ${rowsOf('results', `r.ran_at >= ${SEALED_UNTIL} and (select coalesce(sum(h.runs - h.sure_run), 0) from hours h) < $5::integer`)})`
/** Statement for a few days. `ALL_DAYS` has the same text: result-pages.ts says why there are two. */
const NEAR = { name: 'results-page-opened', text: PAGE }
const ALL_DAYS = { name: 'results-page-opened-of-all-days', text: PAGE }

interface FoundHour {
  ran_at: null
  /** Null if SQL has to read the hour. */
  hour: Omit<SealedRow, 'numbers'> | null
  numbers: Uint8Array | null
}
type OpenedRow = FoundHour | (UnnamedResult & { hour: null; numbers: null })

/** Lists at most `limit` results after a position, oldest first. Returns undefined if SQL has to read one of the hours. */
export async function listOpened(
  machines: Pick<pg.Pool, 'query'>,
  { org_id, check_id, result_detail_max_chars }: CheckKey,
  after: Position,
  limit: number,
): Promise<UnnamedResult[] | undefined> {
  const find = async (until: string, most_hours: number): Promise<Part | undefined> => {
    const values = [org_id, check_id, after.ran_at, after.monitor_id, limit, result_detail_max_chars, until, most_hours]
    const { rows } = await machines.query<OpenedRow>({ ...(until === END.ran_at ? ALL_DAYS : NEAR), values })
    return open(rows, { after, until, limit, max_chars: result_detail_max_chars, most_hours })
  }
  const near = nearAfter(after.ran_at)
  const part = await find(near ?? END.ran_at, FEW_HOURS)
  if (!part || (part.isWhole && (part.rows.length === limit || near === undefined))) return part?.rows
  // Searches as far as these results suggest. Postgres plans for every day of the window.
  const further_ms = (FURTHER * NEAR_MS * limit) / part.rows.length
  if (further_ms <= MOST_NEAR_MS) {
    const further = await find(nearAfter(after.ran_at, further_ms) ?? END.ran_at, limit + 1)
    if (!further || further.rows.length === limit) return further?.rows
  }
  // Every hour has a run, but the first one might have none after the position.
  return (await find(END.ran_at, limit + 1))?.rows
}

interface Part {
  rows: UnnamedResult[]
  /** Whether the part has all hours. Otherwise, further ones can come before other rows of this part. */
  isWhole: boolean
}

interface Page {
  after: Position
  until: string
  limit: number
  max_chars: number
  most_hours: number
}

const NO_NAMES: ReadonlyMap<string, string> = new Map()

function open(found: readonly OpenedRow[], { after, until, limit, max_chars, most_hours }: Page): Part | undefined {
  const rows: UnnamedResult[] = []
  let [hours, opened] = [0, 0]
  const from = after.ran_at === START.ran_at ? after.ran_at : withSixDigits(after.ran_at)
  const to = until === END.ran_at ? until : withSixDigits(until)
  for (const row of found) {
    const { hour, numbers, ...result } = row
    if (result.ran_at !== null) rows.push(result)
    else {
      const runs = hour && numbers && openRuns({ ...hour, numbers }, { max_chars, names: NO_NAMES })
      if (!runs) return undefined
      hours++
      // Late results and rows were searched only up to here.
      for (const run of runs) {
        if (run.ran_at > to) break
        if (run.ran_at > from || (run.ran_at === from && run.monitor_id > after.monitor_id)) {
          rows.push(run)
          opened++
        }
      }
    }
  }
  rows.sort(byKey)
  return { rows: rows.slice(0, limit), isWhole: hours < most_hours || opened >= limit }
}

/** Compares keys like Postgres, which is simple because ids of monitors are ASCII. */
function byKey(a: UnnamedResult, b: UnnamedResult): number {
  if (a.ran_at !== b.ran_at) return a.ran_at < b.ran_at ? -1 : 1
  return a.monitor_id < b.monitor_id ? -1 : 1
}
