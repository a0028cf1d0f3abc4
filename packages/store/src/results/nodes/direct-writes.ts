// Writes results directly to the nodes that store them. The coordinator says what may be stored and for which checks, then each row
// goes straight to its node. So a result costs the coordinator a fraction of what it costs a node (decision record 16).
//
// There is no transaction over all nodes, and none is needed. Rows are written before their checks are judged, and everyone sees
// them from then on, so no process judges by half of a batch. What must be judged is recorded before: if the process ends in
// between, a chore judges the checks. Repeats change nothing, so the agent sends again what could not be written.
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import { type CheckKey, keyRows } from '../../check-keys.ts'
import { copyIn } from '../../copy-in.ts'
import type { Database, Db } from '../../database.ts'
import type { Tables } from '../../tables.ts'
import { listingKnown, type PlacedKey, placedRows, type StoredKey } from '../known-results.ts'
import {
  isMaybeKnown,
  type ResultsToWrite,
  type ResultsTransaction,
  type RowToStore,
  type Way,
  writeResults,
} from '../write-results.ts'
import { askEachOrg, askWhoAnswers, inTransaction, isDistributed, readSealedBoundary } from './layout.ts'
import type { NodeOf } from './nodes.ts'

// Results on nodes are written in transactions of their own, instead of the one that judges their checks.
export { isDistributed as areWrittenApart }

export interface DirectWrites<Row extends RowToStore> {
  /** Rows that were not stored before. */
  fresh: Row[]
  /** Organisations whose rows were not written, and the errors. */
  missed: ReadonlySet<number>
  failures: Error[]
}

/** Writes the rows of each node separately, so that an unavailable node affects only its organisations. */
export async function writeApart<Row extends RowToStore>(
  { machines, nodes }: Pick<Database, 'machines' | 'nodes'>,
  batch: Omit<ResultsToWrite<Row>, 'isSealed'>,
): Promise<DirectWrites<Row>> {
  const { rows, marks, closing } = batch
  const isSealed = rows.some(({ ran_at }) => ran_at < closing) && (await readSealedBoundary(machines))
  const fresh: Row[] = []
  const missed = new Set<number>()
  const failures: Error[] = []
  const write = async (node: NodeOf): Promise<void> => {
    const isAtNode = ({ org_id }: { org_id: number }): boolean => node.org_ids.has(org_id)
    const part = { ...batch, isSealed, rows: rows.filter(isAtNode), marks: marks.filter(isAtNode) }
    try {
      const written = await nodes.at(node, (pool, givenUp) => writeAtNode(pool, machines, part, givenUp))
      for (const row of written) fresh.push(row)
    } catch (error) {
      failures.push(error instanceof Error ? error : new Error(String(error)))
      for (const org_id of node.org_ids) missed.add(org_id)
    }
  }
  await Promise.all((await nodes.listNodesOf(rows.map(({ org_id }) => org_id))).map(write))
  return { fresh, missed, failures }
}

/**
 * Error codes of a node that forwarded rows to another node, because their shard has moved, and lost the original error code
 * (internal error, I/O error). Inserting then reports the original one.
 */
const PASSED_ON = new Set<unknown>(['XX000', '58030'])

const atNode = (client: Pick<pg.ClientBase, 'query'>, db: Kysely<Tables>): ResultsTransaction => ({
  query: async <Row>(text: string, values: unknown[]) => (await client.query({ text, values })).rows as Row[],
  copy: (text, rows) => copyIn(client, text, rows),
  askByOrg: (keys, ask) => askEachOrg(db, client, keys, ask),
})

/**
 * Writes the rows of one node in one transaction of that node, and returns those that were not stored before. `db` builds the
 * statements.
 */
async function writeAtNode<Row extends RowToStore>(
  pool: pg.Pool,
  db: Kysely<Tables>,
  batch: ResultsToWrite<Row>,
  givenUp?: AbortSignal,
): Promise<readonly Row[]> {
  const writeBy = (way: Way) => inTransaction(pool, (client) => writeResults(atNode(client, db), batch, way), givenUp)
  // Nearly always no row is known, and then COPY costs a node at most a third of what inserting costs. It does so only inside a
  // transaction: outside of one, Citus opens connections of its own for it.
  try {
    return await writeBy('copy')
  } catch (error) {
    if (!isMaybeKnown(error) && !PASSED_ON.has((error as { code?: unknown }).code)) throw error
    return writeBy('insert')
  }
}

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
