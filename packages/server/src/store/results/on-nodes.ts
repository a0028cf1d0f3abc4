// Stores results in two steps where they are distributed over nodes: the coordinator says what may be stored and for
// which checks, then each row goes straight to the node that holds its organisation. So a result costs the coordinator
// a fraction of what it costs a node.
import { sql } from 'kysely'
import type pg from 'pg'
import { type CheckKey, keyRows } from '../checks/check-health.ts'
import { copyIn } from '../copy-in.ts'
import type { Db } from '../database.ts'
import { askWhoAnswers } from '../layout.ts'
import { TIMING_NAMES } from '../stored/timings.ts'
import {
  copyOfResults,
  insertOfShifted,
  isMaybeKnown,
  type RowToStore,
  type StoredKey,
  valuesOf,
} from './copied-results.ts'
import type { TimedColumns } from './results.ts'

/**
 * Checks are to be judged at this time, if they are not judged before. Committed before their results are stored: a
 * process that ends in between leaves no verdict out. A check that was to be judged anyway gets a time that is nobody's,
 * so that whoever planned or marked it first does not take it for his own and removes it while we still need it.
 */
export async function markToJudge(db: Db, keys: readonly CheckKey[], rejudge_at: string): Promise<void> {
  await sql`
    insert into check_states as s (org_id, check_id, rejudge_at)
    select k.org_id, k.check_id, ${rejudge_at}::timestamptz from ${keyRows(keys)} order by k.org_id, k.check_id
    on conflict (org_id, check_id) do update set rejudge_at = case
      when s.rejudge_at is null then excluded.rejudge_at
      else least(s.rejudge_at, excluded.rejudge_at) - interval '1 microsecond' end`.execute(db)
}

/** Locks checks for judging until the transaction ends, and removes the time if it is the one that `markToJudge` gave them. */
export async function lockMarked(db: Db, keys: readonly CheckKey[], rejudge_at: string): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into check_states as s (org_id, check_id)
    select k.org_id, k.check_id from ${keyRows(keys)} order by k.org_id, k.check_id
    on conflict (org_id, check_id) do update set rejudge_at = nullif(s.rejudge_at, ${rejudge_at}::timestamptz)`.execute(
    db,
  )
}

/**
 * The number of a late result that is expected: below 0, where no reader looks. The same result always gets the same one.
 */
const EXPECTED = (monitor_id: string) =>
  sql`-1 - (hashtextextended(${monitor_id}::text || ' ' || extract(epoch from k.ran_at), 0) & 9223372036854775807)`

type Numbered = StoredKey & { place: number }
const numbered = (rows: readonly StoredKey[]): Numbered[] => rows.map((row, place) => ({ ...row, place }))
const resultRows = (rows: readonly Numbered[]) => sql`unnest(${rows.map(({ org_id }) => org_id)}::bigint[],
    ${rows.map(({ check_id }) => check_id)}::bigint[], ${rows.map(({ ran_at }) => ran_at)}::timestamptz[],
    ${rows.map(({ place }) => place)}::integer[]) as k(org_id, check_id, ran_at, place)`

/**
 * The results that are not stored yet. Those of a node that does not answer count as such: one that is noted as late
 * although it was stored in time is read twice, the other way round it might never be read.
 */
export async function listNotStored<Row extends StoredKey>(
  db: Db,
  monitor_id: string,
  rows: readonly Row[],
): Promise<Row[]> {
  const { rows: stored } = await askWhoAnswers(
    db,
    numbered(rows),
    (some, org) => sql<{ place: number }>`
      select k.place from ${resultRows(some)}
      where exists (
        select 1 from results r
        where r.org_id = ${org} and r.check_id = k.check_id and r.ran_at = k.ran_at and r.monitor_id = ${monitor_id}::text)`,
  )
  const places = new Set(stored.map(({ place }) => place))
  return rows.filter((_, place) => !places.has(place))
}

/**
 * These results will be late if they are stored. Committed before they are: if the answer of their node is lost, or
 * this process ends in between, whoever stores them again notes them.
 */
export async function expectLate(db: Db, monitor_id: string, rows: readonly StoredKey[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into late_results (org_id, check_id, n, ran_at, monitor_id)
    select k.org_id, k.check_id, ${EXPECTED(monitor_id)}, k.ran_at, ${monitor_id}::text from ${resultRows(numbered(rows))}
    order by 1, 2, 3 on conflict do nothing`.execute(db)
}

/** Those of the results that were expected, and are not any more: they are to be noted. The caller holds their checks' locks. */
export async function takeExpected<Row extends StoredKey>(
  db: Db,
  monitor_id: string,
  rows: readonly Row[],
): Promise<Row[]> {
  if (rows.length === 0) return []
  const { rows: taken } = await sql<{ place: number }>`
    delete from late_results l using ${resultRows(numbered(rows))}
    where l.org_id = k.org_id and l.check_id = k.check_id and l.n = ${EXPECTED(monitor_id)} and l.ran_at = k.ran_at
      and l.monitor_id = ${monitor_id}
    returning k.place`.execute(db)
  return taken.flatMap(({ place }) => rows[place] ?? [])
}

const NAMES = ['latency_ms', 'http_status', 'success', ...TIMING_NAMES, 'retries', 'cert_expires_at'] as const
/** Postgres takes 65,535 parameters in a statement. */
const ROWS_AT_ONCE = 2_000

/**
 * What a node fails with that passes rows on, because their shard has moved, and loses the code of whatever the other one said (an internal
 * error, or one of input and output): inserting tells then what it was.
 */
const PASSED_ON = new Set<unknown>(['XX000', '58030'])

/**
 * Stores the rows of one node, in one transaction of that node, and returns those that were not stored before. Repeats
 * change nothing, so a batch whose answer was lost may be sent again. Nearly always none is known, and then COPY costs a node a
 * third or less of what inserting costs it. It does so inside a transaction only: outside of one, Citus opens connections
 * of its own for it.
 */
export async function insertAtNode<Row extends RowToStore>(
  pool: pg.Pool,
  monitor_id: string,
  columns: TimedColumns,
  { rows, marks }: RowsOfNode<Row>,
): Promise<readonly Row[]> {
  const storeBy = (store: typeof copyRows) =>
    inTransaction(pool, async (client) => {
      const stored = await store(client, monitor_id, columns, rows)
      const shifted = insertOfShifted(monitor_id, columns, stored)
      if (shifted) await client.query(shifted)
      await insertMarks(client, marks)
      return stored as readonly Row[]
    })
  try {
    return await storeBy(copyRows)
  } catch (error) {
    if (!isMaybeKnown(error) && !PASSED_ON.has((error as { code?: unknown }).code)) throw error
    return storeBy(insertRows)
  }
}

/** What is stored at one node: results, each key once, and which hours they changed after these were over. */
export interface RowsOfNode<Row extends RowToStore = RowToStore> {
  rows: readonly Row[]
  marks: readonly (CheckKey & { hour: string })[]
}

/** Fails when a row is known already. */
async function copyRows(
  client: Client,
  monitor_id: string,
  columns: TimedColumns,
  rows: readonly RowToStore[],
): Promise<readonly RowToStore[]> {
  const copy = copyOfResults(monitor_id, columns, rows)
  await copyIn(client, copy.text, copy.rows)
  return rows
}

/** Returns those that were not stored before. */
async function insertRows(
  client: Client,
  monitor_id: string,
  columns: TimedColumns,
  rows: readonly RowToStore[],
): Promise<readonly RowToStore[]> {
  const fresh = new Set<string>()
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE)
    for (const key of await insertSome(client, monitor_id, columns, some)) fresh.add(keyOf(key))
  }
  return rows.filter((row) => fresh.has(keyOf(row)))
}

async function inTransaction<Result>(pool: pg.Pool, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    )
    throw error
  }
}

type Client = Pick<pg.ClientBase, 'query'>

async function insertSome(
  client: Client,
  monitor_id: string,
  columns: TimedColumns,
  rows: readonly RowToStore[],
): Promise<StoredKey[]> {
  const { text, values } = valuesOf(
    rows.map(({ org_id, check_id, ran_at, place, error, response_sample }) => [
      ...[org_id, check_id, ran_at, error, response_sample],
      ...NAMES.map((name) => columns[name][place] ?? null),
    ]),
    [monitor_id],
  )
  const result = await client.query<StoredKey>({
    text: `insert into results (org_id, check_id, ran_at, error, response_sample, ${NAMES.join(', ')}, monitor_id) values ${text}
      on conflict do nothing returning org_id, check_id, ran_at`,
    values,
  })
  return result.rows.map((row) => ({ ...row, ran_at: toWireTime(row.ran_at) }))
}

/** Always an update: a process that folds the hour again must wait for us, or we for it. */
async function insertMarks(client: Client, marks: RowsOfNode['marks']): Promise<void> {
  const hours = new Map(
    marks.map(({ org_id, check_id, hour }) => [`${org_id} ${check_id} ${hour}`, [org_id, check_id, hour]]),
  )
  if (hours.size === 0) return
  const { text, values } = valuesOf([...hours.values()], [])
  await client.query({
    text: `insert into rollup_marks as m (org_id, check_id, hour) values ${text}
      on conflict (org_id, check_id, hour) do update set changes = m.changes + 1`,
    values,
  })
}

const keyOf = ({ org_id, check_id, ran_at }: StoredKey): string => `${org_id} ${check_id} ${ran_at}`

/** An instant as a node answers it, in the form in which all others are: what a change returns must not be formatted by the node. */
function toWireTime(text: string): string {
  const [seconds = '', fraction = ''] = text.replace(' ', 'T').replace(/\+00$/, '').split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}
