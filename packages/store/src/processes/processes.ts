// Stores the server's processes, each in a row of its own.
import type { ClockReport } from '@dogwatch/runtime/database-clock'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Other } from '@dogwatch/runtime/witnesses'
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
    o.is_in_doubt as "isInDoubt", abs(extract(epoch from now - o.seen_at)) <= ${FRESH_SEC} as "isFresh"
  from present left join processes o on o.process_id <> $1
  order by o.seen_at desc limit ${MOST_OTHERS}`

/** Row of the report: the database's time in microseconds, and another process. The process is null if there are no others. */
type ReportRow = { us: string } & (
  | { [Name in keyof Other]: Other[Name] extends number ? string : Other[Name] }
  | Record<keyof Other, null>
)

/**
 * Stores what a process reports about its clocks, and reads what the others reported. `us` is the database's time in
 * microseconds.
 */
export async function reportClock(
  sparePool: Pick<SparePool, 'query'>,
  { process_id, role, host, pid }: ServerProcess,
  { carried_ms, skew_ms, steady_ms, isInDoubt }: ClockReport,
): Promise<{ us: number; others: Other[] }> {
  const clocks = [Math.round(skew_ms), fromDate(new Date(carried_ms)), Math.round(steady_ms), isInDoubt]
  const { rows } = await sparePool.query<ReportRow>(REPORT, [process_id, role, host, pid, ...clocks, ABILITIES])
  const others = rows.flatMap(({ us: _, ...row }): Other[] => {
    if (row.process_id === null) return []
    // This pool parses no numbers of eight bytes.
    return [
      {
        ...row,
        reports: Number(row.reports),
        skew_ms: Number(row.skew_ms),
        ahead_ms: Number(row.ahead_ms),
        steady_ms: Number(row.steady_ms),
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
