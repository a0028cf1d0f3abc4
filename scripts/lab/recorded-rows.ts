// Loads the recording of real results into a table, for statements that insert many results at once.

import { certificateEndOf, PHASES, RECORDED, runOf } from './recording.ts'
import type { Stage } from './stage.ts'

type Queryable = Pick<Stage['database']['pools']['machines'], 'query'>

/** Columns of results that come from the recording. The check, the time and the monitor do not. */
const TOLD = ['latency_ms', 'http_status', 'error', 'response_sample', ...PHASES, 'cert_expires_at'] as const

const COLUMNS = `check_place integer, success boolean, run_place integer, latency_ms integer, http_status integer, error text,
  response_sample text, ${PHASES.map((name) => `${name} smallint`).join(', ')}, cert_expires_at timestamptz, late_ms integer`

/**
 * Stores results as agents would have uploaded them, in the order of time. Returns their number. `runs` is a query for `org_id`,
 * `check_id`, `ran_at`, `monitor_id`, `success` and `run`, the number of the check's run.
 */
export async function insertRuns(machines: Queryable, runs: string, values: readonly unknown[]): Promise<number> {
  await loadRecording(machines)
  const { rowCount } = await machines.query(insertOf(runs), [...values])
  return rowCount ?? 0
}

/** Creates the table with the recording in this database, unless it exists. */
async function loadRecording(machines: Queryable): Promise<void> {
  const { rows } = await machines.query<{ name: string | null }>("select to_regclass('recorded_runs')::text as name")
  if (rows[0]?.name) return
  const made = Array.from({ length: RECORDED.checks * RECORDED.runs * 2 }, (_, n) => rowOf(n))
  await machines.query(`create unlogged table recorded_runs (${COLUMNS})`)
  await machines.query(`insert into recorded_runs select * from jsonb_to_recordset($1) as r(${COLUMNS})`, [
    JSON.stringify(made),
  ])
  await machines.query('analyze recorded_runs')
}

function rowOf(n: number) {
  const [check_place, rest] = [n % RECORDED.checks, Math.floor(n / RECORDED.checks)]
  const [success, run_place] = [rest % 2 === 0, Math.floor(rest / 2)]
  const run = runOf(check_place, run_place, success)
  return {
    ...{ check_place, success, run_place, latency_ms: run.latency_ms, http_status: run.http_status },
    error: run.error === '' ? null : run.error,
    response_sample: run.response_sample === '' ? null : run.response_sample,
    ...run.timings,
    cert_expires_at: certificateEndOf(check_place, run),
    late_ms: run.late_ms,
  }
}

/** Returns a statement that stores runs with recorded outcomes. */
const insertOf = (runs: string): string => `
  insert into results (org_id, check_id, ran_at, monitor_id, success, ${TOLD.join(', ')})
  select r.org_id, r.check_id, r.ran_at + q.late_ms * interval '1 millisecond', r.monitor_id, r.success, ${TOLD.map((name) => `q.${name}`).join(', ')}
  from (${runs}) r join recorded_runs q on q.check_place = r.check_id % ${RECORDED.checks} and q.success = r.success
    and q.run_place = (r.run + r.check_id / ${RECORDED.checks} * 7) % ${RECORDED.runs}
  order by 3, 1, 2`

/**
 * Returns SQL that decides by the check and the number of a run whether the run succeeds. One run in `one_of` fails, and never
 * two in a row of one check.
 */
export const isWellAlone = (check_id: string, run: string, one_of: number): string =>
  `((${run}) + (${check_id}) * 37) % ${one_of} <> 0`
