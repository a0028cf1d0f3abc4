// Stores results in two steps where they are distributed over nodes: the coordinator says what may be stored and for
// which checks, then each row goes straight to the node that holds its organisation. So a result costs the coordinator
// a fraction of what it costs a node.
import { sql } from 'kysely'
import type pg from 'pg'
import type { CallerKey } from '../caller.ts'
import type { Database, Db } from '../database.ts'
import { keyRows, type CheckKey } from '../checks/check-health.ts'
import { askWhoAnswers } from '../layout.ts'
import { copyIn, copyRows } from '../copy-in.ts'
import { type AssignedBatch, type AssignedLists, assignedOf, toBatch } from './assigned.ts'
import { TIMING_NAMES, type TimingName } from '../stored/timings.ts'

/**
 * Does something with the checks of a batch that are assigned to a monitor, and perhaps with others that are; undefined when the
 * caller may not upload any more. Until it is done, this counts as a transaction that stores results.
 */
export function whileStoring<Result>(
  { pools }: Database,
  caller: CallerKey,
  guids: readonly string[],
  work: (batch: AssignedBatch) => Promise<Result>,
): Promise<Result | undefined> {
  return inTransaction(pools.machines, async (client) => {
    const { rows } = await client.query<AssignedLists>(assignedOf(caller, guids))
    const batch = rows[0] && toBatch(rows[0])
    return batch && work(batch)
  })
}

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

/** A result as it is stored. */
export interface RowToStore extends CheckKey, Record<TimingName, number | null> {
  /** With six digits. */
  ran_at: string
  latency_ms: number
  http_status: number
  success: boolean
  error: string | null
  response_sample: string | null
  retries: number | null
  cert_expires_at: string | null
  /** When it ran by the server's clock, if a wrong clock shifted it. */
  effective_at: string | null
  /** The hour that it changed afterwards. */
  late_hour: string | null
}

const ALWAYS = ['org_id', 'check_id', 'ran_at', 'latency_ms', 'http_status', 'success'] as const
/** What is left out of a statement when no result has it. */
const SOMETIMES = ['error', 'response_sample', ...TIMING_NAMES, 'retries', 'cert_expires_at'] as const
/** Postgres takes 65,535 parameters in a statement. */
const ROWS_AT_ONCE = 2_000

export type StoredKey = CheckKey & { ran_at: string }

/**
 * What COPY fails with because of a row that is known: a unique violation, or a deadlock with a batch that shares it. A node that passes
 * rows on, because their shard has moved, loses the code of whatever the other one said (an internal error, or one of input and
 * output): inserting tells then what it was.
 */
const MAYBE_KNOWN = new Set<unknown>(['23505', '40P01', 'XX000', '58030'])

/**
 * Stores the rows of one node, in one transaction of that node, and returns those that were not stored before. Repeats
 * change nothing, so a batch whose answer was lost may be sent again. Nearly always none is known, and then COPY costs a node a
 * third or less of what inserting costs it. It does so inside a transaction only: outside of one, Citus opens connections
 * of its own for it.
 */
export async function insertAtNode(
  pool: pg.Pool,
  monitor_id: string,
  rows: readonly RowToStore[],
): Promise<readonly StoredKey[]> {
  const storeBy = (store: typeof copyResults) =>
    inTransaction(pool, async (client) => {
      const stored = await store(client, monitor_id, rows)
      await insertShifted(client, monitor_id, rows, stored)
      await insertMarks(client, rows)
      return stored
    })
  try {
    return await storeBy(copyResults)
  } catch (error) {
    if (!MAYBE_KNOWN.has((error as { code?: unknown }).code)) throw error
    return storeBy(insertResults)
  }
}

/** The columns that some of the rows have. */
const columnsOf = (rows: readonly RowToStore[]) => [
  ...ALWAYS,
  ...SOMETIMES.filter((name) => rows.some((row) => row[name] !== null)),
]

/** Fails when a row is known already. */
async function copyResults(
  client: Client,
  monitor_id: string,
  rows: readonly RowToStore[],
): Promise<readonly StoredKey[]> {
  const columns = columnsOf(rows)
  const lines = copyRows(rows.map((row) => [...columns.map((name) => row[name]), monitor_id]))
  await copyIn(client, `copy results (${columns.join(', ')}, monitor_id) from stdin`, lines)
  return rows
}

async function insertResults(
  client: Client,
  monitor_id: string,
  rows: readonly RowToStore[],
): Promise<readonly StoredKey[]> {
  const stored: StoredKey[] = []
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    stored.push(...(await insertRows(client, monitor_id, rows.slice(at, at + ROWS_AT_ONCE))))
  }
  return stored
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

type Client = Pick<pg.Client, 'query'>

async function insertRows(client: Client, monitor_id: string, rows: readonly RowToStore[]): Promise<StoredKey[]> {
  const columns = columnsOf(rows)
  const { text, values } = valuesOf(
    rows.map((row) => columns.map((name) => row[name])),
    [monitor_id],
  )
  const result = await client.query<StoredKey>({
    text: `insert into results (${columns.join(', ')}, monitor_id) values ${text}
      on conflict do nothing returning org_id, check_id, ran_at`,
    values,
  })
  return result.rows.map((row) => ({ ...row, ran_at: toWireTime(row.ran_at) }))
}

/** A shift is recorded together with the result that is stored, and never for a result that was stored before. */
async function insertShifted(
  client: Client,
  monitor_id: string,
  rows: readonly RowToStore[],
  stored: readonly StoredKey[],
): Promise<void> {
  const fresh = new Set(stored.map(keyOf))
  const shifted = new Map<string, RowToStore>()
  for (const row of rows) {
    const key = keyOf(row)
    if (row.effective_at !== null && fresh.has(key) && !shifted.has(key)) shifted.set(key, row)
  }
  if (shifted.size === 0) return
  const { text, values } = valuesOf(
    [...shifted.values()].map((row) => [row.org_id, row.check_id, row.ran_at, row.effective_at]),
    [monitor_id],
  )
  await client.query({
    text: `insert into shifted_results (org_id, check_id, ran_at, effective_at, monitor_id) values ${text}
      on conflict do nothing`,
    values,
  })
}

/** Always an update: a process that folds the hour again must wait for us, or we for it. */
async function insertMarks(client: Client, rows: readonly RowToStore[]): Promise<void> {
  const hours = new Map<string, unknown[]>()
  for (const { org_id, check_id, late_hour } of rows) {
    if (late_hour !== null) hours.set(`${org_id} ${check_id} ${late_hour}`, [org_id, check_id, late_hour])
  }
  if (hours.size === 0) return
  const { text, values } = valuesOf([...hours.values()], [])
  await client.query({
    text: `insert into rollup_marks as m (org_id, check_id, hour) values ${text}
      on conflict (org_id, check_id, hour) do update set changes = m.changes + 1`,
    values,
  })
}

/** Rows as `($1, $2, …)`, each followed by the values that all of them have. */
function valuesOf(rows: readonly unknown[][], ofAll: readonly unknown[]): { text: string; values: unknown[] } {
  const values: unknown[] = [...ofAll]
  const all = ofAll.map((_, index) => `$${index + 1}`)
  const texts = rows.map((row) => `(${[...row.map((value) => `$${values.push(value)}`), ...all].join()})`)
  return { text: texts.join(), values }
}

const keyOf = ({ org_id, check_id, ran_at }: StoredKey): string => `${org_id} ${check_id} ${ran_at}`

/** An instant as a node answers it, in the form in which all others are: what a change returns must not be formatted by the node. */
function toWireTime(text: string): string {
  const [seconds = '', fraction = ''] = text.replace(' ', 'T').replace(/\+00$/, '').split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}
