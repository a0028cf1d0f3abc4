// Stores the server's processes, each in a row of its own.
import { ABILITIES } from '../abilities.ts'
import type { Database, Db } from '../database.ts'
import type { SparePool } from '../postgres/spare-pool.ts'

/** Identity of a process while it runs. */
export interface ServerProcess {
  process_id: string
  role: string
  host: string
  pid: number
}

/**
 * Report of a process about its clocks. `carried_at` is the time by the clock that the process carries, at the moment of the
 * statement.
 */
export interface ClockReportRow {
  carried_at: string
  skew_ms: number
  steady_ms: number
  is_in_doubt: boolean
}

export interface OtherRow {
  process_id: string
  host: string
  reports: number
  skew_ms: number
  ahead_ms: number
  steady_ms: number
  is_in_doubt: boolean
  is_fresh: boolean
}

/**
 * Maximum age of a row, in seconds, at which it counts as fresh. A process that has not written for longer might have ended.
 */
const FRESH_SEC = 15
const MOST_OTHERS = 1000

// The statement itself compares the database's clock with the time that the process carries, so that both are from the
// same moment.
const REPORT = `
  with present as materialized (select database_time() as now), told as (
    insert into processes as p (process_id, role, host, pid, started_at, seen_at, reports, skew_ms, ahead_ms, steady_ms, is_in_doubt,
      abilities)
    select $1, $2, $3, $4, now, now, 1, $5, round(extract(epoch from now - $6::timestamptz) * 1000), $7, $8, $9 from present
    on conflict (process_id) do update set seen_at = excluded.seen_at, reports = p.reports + 1, skew_ms = excluded.skew_ms,
      ahead_ms = excluded.ahead_ms, steady_ms = excluded.steady_ms, is_in_doubt = excluded.is_in_doubt
  )
  select (extract(epoch from now) * 1000000)::bigint as us, o.process_id, o.host, o.reports, o.skew_ms, o.ahead_ms, o.steady_ms,
    o.is_in_doubt, abs(extract(epoch from now - o.seen_at)) <= ${FRESH_SEC} as is_fresh
  from present left join processes o on o.process_id <> $1
  order by o.seen_at desc limit ${MOST_OTHERS}`

/**
 * Stores what a process reports about its clocks, and reads what the others reported. `us` is the database's time in
 * microseconds.
 */
export async function reportClock(
  sparePool: Pick<SparePool, 'query'>,
  { process_id, role, host, pid }: ServerProcess,
  { carried_at, skew_ms, steady_ms, is_in_doubt }: ClockReportRow,
): Promise<{ us: number; others: OtherRow[] }> {
  const values = [
    process_id,
    role,
    host,
    pid,
    Math.round(skew_ms),
    carried_at,
    Math.round(steady_ms),
    is_in_doubt,
    ABILITIES,
  ]
  const { rows } = await sparePool.query<{ [Name in keyof OtherRow]: OtherRow[Name] | null } & { us: string }>(
    REPORT,
    values,
  )
  const others = rows.flatMap(({ us: _, process_id: id, ...row }): OtherRow[] => {
    if (id === null) return []
    const [reports, skew, ahead, steady] = [row.reports, row.skew_ms, row.ahead_ms, row.steady_ms].map(Number)
    return [
      {
        ...{
          process_id: id,
          host: row.host ?? '',
          is_in_doubt: row.is_in_doubt === true,
          is_fresh: row.is_fresh === true,
        },
        ...{ reports: reports ?? 0, skew_ms: skew ?? 0, ahead_ms: ahead ?? 0, steady_ms: steady ?? 0 },
      },
    ]
  })
  return { us: Number(rows[0]?.us), others }
}

/** Deletes the row of a process when it ends cleanly. */
export async function deleteProcess(sparePool: Pick<SparePool, 'query'>, process_id: string): Promise<void> {
  await sparePool.query('delete from processes where process_id = $1', [process_id])
}

/**
 * Records that a process accepts no more pings, so that other processes neither wait for it nor count its silence as an outage.
 */
export async function updateNotAlive({ pools }: Database, process_id: string): Promise<void> {
  await pools.asyncCommit.query('update processes set alive_at = null where process_id = $1', [process_id])
}

const STEP_ASIDE = {
  name: 'process-step-aside',
  text: `
    update processes set alive_at = null
    where process_id = $1 and abs(extract(epoch from database_time() - alive_at)) * 1000 <= $2::integer`,
}

/**
 * Records that a process accepts no more pings, because it doubts the time. Returns false if it last accepted pings longer than
 * `gap_ms` ago by the database's clock: then it stood still, and the other processes decide.
 */
export async function stepAside({ pools }: Database, process_id: string, gap_ms: number): Promise<boolean> {
  const { rowCount } = await pools.asyncCommit.query({ ...STEP_ASIDE, values: [process_id, gap_ms] })
  return (rowCount ?? 0) > 0
}

/** Finds the URL of the server that last reported that it accepts requests. Returns undefined if none runs. */
export async function findPublicUrl(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('processes')
    .select('public_url')
    .where('alive_at', 'is not', null)
    .where('public_url', 'is not', null)
    .orderBy('alive_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.public_url ?? undefined
}
