// Stores response times as sketches: how many successes took about how long, in so few bytes that every hour of a check keeps one.
// A sketch is pairs of bytes: a bucket, and how many successes are in it, less one. The pairs come in any order, and a
// bucket may come several times. So sketches are added up by joining them.
import { type RawBuilder, sql } from 'kysely'

/** Maximum error of a time that is read from a sketch, as a share of the true one. */
export const MOST_ERROR = 0.02

const BUCKETS = 256
const BYTE = 256

interface Bucket {
  lowest_ms: number
  /** Time that represents all times in the bucket. */
  middle_ms: number
}

/**
 * Builds buckets of whole milliseconds, as wide as the error allows: the first 49 contain one value each, and the last one begins
 * at minutes.
 */
function widestBuckets(): Bucket[] {
  const buckets: Bucket[] = []
  for (let lowest_ms = 0; buckets.length < BUCKETS; ) {
    const middle_ms = Math.floor(lowest_ms * (1 + MOST_ERROR))
    buckets.push({ lowest_ms, middle_ms })
    lowest_ms = Math.floor(middle_ms / (1 - MOST_ERROR)) + 1
  }
  return buckets
}

const ALL = widestBuckets()
/** Time that represents each bucket. */
export const MIDDLES_MS: readonly number[] = ALL.map(({ middle_ms }) => middle_ms)
/** Start of the last bucket, which all longer times share. */
export const LAST_MS = ALL.at(-1)?.lowest_ms ?? 0

/** Returns a count of 0 for each bucket. Must cost little, because a page counts a sketch for each day of a year. */
export const noCounts = (): number[] => new Array<number>(BUCKETS).fill(0)

/** Adds the successes of a sketch to the counts of their buckets, and returns how many there are. */
export function addCounts(counts: number[], sketch: Uint8Array): number {
  let together = 0
  for (let at = 0; at + 1 < sketch.length; at += 2) {
    const bucket = sketch[at] as number
    const count = (sketch[at + 1] as number) + 1
    counts[bucket] = (counts[bucket] as number) + count
    together += count
  }
  return together
}

type Fragment = RawBuilder<unknown>

const EDGES = ALL.slice(1).map(({ lowest_ms }) => String(lowest_ms))

/** Returns the SQL for the bucket of a time, as a number from 0. */
export const bucketOf = (column: string): Fragment =>
  sql`width_bucket(${sql.ref(column)}, ${sql.lit(`{${EDGES.join()}}`)}::integer[])`

/** Aggregate that joins rows of a `bucket` and of `n` successes in it into a sketch. Null without rows. */
export const SKETCH = sql`string_agg(
  case when n <= ${sql.lit(BYTE)} then '' else decode(repeat(lpad(to_hex(bucket * 256 + 255), 4, '0'), ((n - 1) / 256)::integer), 'hex') end
    || substring(int4send((bucket * 256 + (n - 1) % 256)::integer) from 3), '') filter (where bucket is not null)`

/** Returns the aggregate that adds up sketches. It is null without sketches. */
export const joined = (column: string): Fragment => sql`string_agg(${sql.ref(column)}, '')`

/** Returns the SQL that merges the repeated buckets of a joined sketch. */
export const shortened = (column: string): Fragment => sql`(
  select ${SKETCH} from (
    select get_byte(${sql.ref(column)}, i) as bucket, sum(get_byte(${sql.ref(column)}, i + 1) + 1) as n
    from generate_series(0, length(${sql.ref(column)}) - 2, 2) i group by 1) b)`
