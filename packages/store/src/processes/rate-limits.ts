// Limits rates across all processes, with the generic cell rate algorithm in one statement.
import type { Database } from '../database.ts'

export interface RateLimitOutcome {
  allowed: boolean
  /** Seconds until the request would be allowed. 0 if it was allowed. */
  wait_sec: number
}

// The row contains the time at which the bucket is full again (tat). A request is allowed while that time is at most burst - 1
// intervals ahead; one that counts as several, as many intervals less. A refused request writes nothing. No request can move tat
// further ahead than burst intervals: a time beyond that was written while the database's clock was wrong, and the bucket counts
// as full. This is compared with the time at that moment, because now() is when the statement began, before it waited for others.
const SPEND = {
  name: 'rate-limit-spend',
  text: `
    insert into rate_limits as r (key, tat) values ($1, now() + $4::integer * $2::float8 * interval '1 second')
    on conflict (key) do update set
      tat = case when r.tat > clock_timestamp() + ($3 + 1) * $2 * interval '1 second' then now()
        else greatest(r.tat, now()) end + $4 * $2 * interval '1 second'
    where r.tat <= now() + ($3 - $4) * $2 * interval '1 second'
      or r.tat > clock_timestamp() + ($3 + 1) * $2 * interval '1 second'
    returning 1`,
}
// A statement of its own, because SPEND can wait for other requests, and would read what was there before them.
const READ_WAIT = {
  name: 'rate-limit-wait',
  text: `
    select greatest(0, extract(epoch from tat - now())::float8 - ($3::float8 - $4::integer) * $2::float8) as wait_sec
    from rate_limits where key = $1`,
}

/**
 * Counts one request, or `count` requests at once, against the bucket of a key. `interval_sec`: time after which the bucket
 * regains one request. `count` is at most `burst`.
 */
export async function spend(
  database: Database,
  key: string,
  interval_sec: number,
  burst: number,
  count = 1,
): Promise<RateLimitOutcome> {
  const pool = database.pools.asyncCommit
  const values = [key, interval_sec, burst, count]
  const { rowCount } = await pool.query({ ...SPEND, values })
  if (rowCount === 1) return { allowed: true, wait_sec: 0 }
  const { rows } = await pool.query<{ wait_sec: number }>({ ...READ_WAIT, values })
  return { allowed: false, wait_sec: rows[0]?.wait_sec ?? 0 }
}

/** Deletes the rows of buckets that are full again. */
export async function deleteFullBuckets(database: Database): Promise<number> {
  const { rowCount } = await database.pools.asyncCommit.query(
    "delete from rate_limits where tat < now() - interval '1 minute'",
  )
  return rowCount ?? 0
}
