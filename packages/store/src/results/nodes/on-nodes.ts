// Stores results in two steps where they are distributed over nodes: the coordinator says what may be stored and for
// which checks, then each row goes straight to the node that holds its organisation. So a result costs the coordinator
// a fraction of what it costs a node.
import { sql } from 'kysely'
import { type CheckKey, keyRows } from '../../check-keys.ts'
import type { Db } from '../../database.ts'
import { listingKnown, type PlacedKey, placedRows, type StoredKey } from '../known-results.ts'
import { askWhoAnswers, readSealedBoundary } from './layout.ts'

/**
 * Plans to judge checks at this time. The caller commits this before it stores their results, so that no verdict is missing if
 * the process ends in between.
 */
export async function markToJudge(db: Db, keys: readonly CheckKey[], rejudge_at: string): Promise<void> {
  // A check with an earlier plan gets a time that belongs to no one, so that the process that planned it does not take this time for
  // its own and remove it while we still need it.
  await sql`
    insert into check_states as s (org_id, check_id, rejudge_at)
    select k.org_id, k.check_id, ${rejudge_at}::timestamptz from ${keyRows(keys)} order by k.org_id, k.check_id
    on conflict (org_id, check_id) do update set rejudge_at = case
      when s.rejudge_at is null then excluded.rejudge_at
      else least(s.rejudge_at, excluded.rejudge_at) - interval '1 microsecond' end`.execute(db)
}

/** Locks checks for judging until the transaction ends, and removes their planned time if {@link markToJudge} set it. */
export async function lockMarked(db: Db, keys: readonly CheckKey[], rejudge_at: string): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into check_states as s (org_id, check_id)
    select k.org_id, k.check_id from ${keyRows(keys)} order by k.org_id, k.check_id
    on conflict (org_id, check_id) do update set rejudge_at = nullif(s.rejudge_at, ${rejudge_at}::timestamptz)`.execute(
    db,
  )
}

/** Returns the number of an expected late result: below 0, where no reader looks. A result always has the same number. */
const EXPECTED = (monitor_id: string) =>
  sql`-1 - (hashtextextended(${monitor_id}::text || ' ' || extract(epoch from k.ran_at), 0) & 9223372036854775807)`

const placed = (rows: readonly StoredKey[]): PlacedKey[] => rows.map((row, place) => ({ ...row, place }))

/**
 * Lists the results that are not stored yet. Includes those of nodes that do not respond: a result that is wrongly noted as late
 * is read twice, but without a note it might never be.
 */
export async function listNotStored<Row extends StoredKey>(
  db: Db,
  monitor_id: string,
  rows: readonly Row[],
): Promise<Row[]> {
  const { rows: stored } = await askWhoAnswers(db, placed(rows), listingKnown(monitor_id, await readSealedBoundary(db)))
  const places = new Set(stored.map(({ place }) => place))
  return rows.filter((_, place) => !places.has(place))
}

/**
 * Notes that results will be late. The caller commits this before it stores them, so that a later attempt notes them even if the
 * node's response is lost or this process ends.
 */
export async function expectLate(db: Db, monitor_id: string, rows: readonly StoredKey[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into late_results (org_id, check_id, n, ran_at, monitor_id)
    select k.org_id, k.check_id, ${EXPECTED(monitor_id)}, k.ran_at, ${monitor_id}::text from ${placedRows(placed(rows))}
    order by 1, 2, 3 on conflict do nothing`.execute(db)
}

/**
 * Removes the notes of expected late results. Returns the results that had one, which the caller must note as late. The caller
 * must hold the locks of their checks.
 */
export async function takeExpected<Row extends StoredKey>(
  db: Db,
  monitor_id: string,
  rows: readonly Row[],
): Promise<Row[]> {
  if (rows.length === 0) return []
  const { rows: taken } = await sql<{ place: number }>`
    delete from late_results l using ${placedRows(placed(rows))}
    where l.org_id = k.org_id and l.check_id = k.check_id and l.n = ${EXPECTED(monitor_id)} and l.ran_at = k.ran_at
      and l.monitor_id = ${monitor_id}
    returning k.place`.execute(db)
  return taken.flatMap(({ place }) => rows[place] ?? [])
}
