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
    with spent as (
      insert into rate_limits as r (key, tat) values ($1, now() + $4::integer * $2::float8 * interval '1 second')
      on conflict (key) do update set
        tat = case when r.tat > clock_timestamp() + ($3 + 1) * $2 * interval '1 second' then now()
          else greatest(r.tat, now()) end + $4 * $2 * interval '1 second'
      where r.tat <= now() + ($3 - $4) * $2 * interval '1 second'
        or r.tat > clock_timestamp() + ($3 + 1) * $2 * interval '1 second'
      returning tat
    )
    select true as allowed, 0::float8 as wait_sec from spent
    union all
    select false, extract(epoch from tat - now())::float8 - ($3 - $4) * $2 from rate_limits
    where key = $1 and not exists (select from spent)`,
}

/** Maximum number of statements for one count. */
const MOST_TRIES = 3

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
  for (let tries = 1; ; tries++) {
    const { rows } = await database.pools.asyncCommit.query<RateLimitOutcome>({
      ...SPEND,
      values: [key, interval_sec, burst, count],
    })
    const [outcome] = rows
    // A statement that waited for another one was refused by what that one wrote, but read the wait, or no row, from before it.
    if (outcome && (outcome.allowed || outcome.wait_sec > 0)) return outcome
    if (tries === MOST_TRIES) return { allowed: false, wait_sec: interval_sec }
  }
}

/** Deletes the rows of buckets that are full again. */
export async function deleteFullBuckets(database: Database): Promise<number> {
  const { rowCount } = await database.pools.asyncCommit.query(
    "delete from rate_limits where tat < now() - interval '1 minute'",
  )
  return rowCount ?? 0
}
