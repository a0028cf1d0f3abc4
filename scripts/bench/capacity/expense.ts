// What Postgres wrote and did, by its own counters.
import type { Stage } from '../../lab/stage.ts'

export interface Expense {
  checkpoints: number
  /** How long they have taken, in seconds. */
  checkpoint_sec: number
  wal_bytes: number
  /** Whole pages in the log. */
  wal_pages: number
  wal_syncs: number
  /** Bytes that were written to tables and indexes, and read from there. */
  written: number
  read: number
  commits: number
}

const EXPENSE = `
  select (c.num_timed + c.num_requested)::float8 as checkpoints,
    (c.write_time + c.sync_time) / 1000 as checkpoint_sec,
    w.wal_bytes::float8 as wal_bytes, w.wal_fpi::float8 as wal_pages, io.*,
    (select sum(xact_commit)::float8 from pg_stat_database) as commits
  from pg_stat_checkpointer c cross join pg_stat_wal w cross join (
    select coalesce(sum(fsyncs) filter (where object = 'wal'), 0)::float8 as wal_syncs,
      coalesce(sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) filter (where object <> 'wal'), 0)::float8 as written,
      coalesce(sum(read_bytes) filter (where object <> 'wal'), 0)::float8 as read
    from pg_stat_io) io`

export async function readExpense({ database }: Stage): Promise<Expense> {
  const { rows } = await database.pools.machines.query<Expense>(EXPENSE)
  return rows[0] as Expense
}

export function since(before: Expense, now: Expense): Expense {
  const names = Object.keys(now) as (keyof Expense)[]
  return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as unknown as Expense
}

/** The statements that took the most, of a server that counts them (`--profile`). */
export async function readStatements({ database }: Stage): Promise<string[][]> {
  const { rows } = await database.pools.machines.query<Record<'text' | 'calls' | 'ms' | 'mean' | 'wal', string>>(`
    select regexp_replace(left(regexp_replace(query, '(/\\*.*?\\*/|\\s)+', ' ', 'g'), 90), '^ ', '') as text, calls::text,
      round(total_exec_time)::text as ms, round(mean_exec_time::numeric, 2)::text as mean, round(wal_bytes / 1e6, 1)::text as wal
    from pg_stat_statements order by total_exec_time desc limit 25`)
  return rows.map(({ text, calls, ms, mean, wal }) => [text, calls, ms, mean, wal])
}
