// Stores the results of one node where they are distributed over nodes, over a connection to that node.
import type pg from 'pg'
import type { CheckKey } from '../../check-keys.ts'
import { copyIn } from '../../copy-in.ts'
import type { AssignedBatch } from '../assigned.ts'
import {
  copyOfResults,
  insertOfShifted,
  isMaybeKnown,
  type RowToStore,
  type StoredKey,
  valuesOf,
} from '../copied-results.ts'
import type { TimedColumns } from '../results.ts'
import { resultsText } from '../stored/results-of.ts'
import { HOUR_OF } from '../stored/sealed-form.ts'
import { TIMING_NAMES } from '../timings.ts'
import { inTransaction, type SealedBoundary } from './layout.ts'

const NAMES = ['latency_ms', 'http_status', 'success', ...TIMING_NAMES, 'retries', 'cert_expires_at'] as const
/** Maximum rows of one insert, because Postgres accepts 65,535 parameters in a statement. */
const ROWS_AT_ONCE = 2_000

/**
 * Error codes of a node that forwarded rows to another node, because their shard has moved, and lost the original error code
 * (internal error, I/O error). Inserting then reports the original one.
 */
const PASSED_ON = new Set<unknown>(['XX000', '58030'])

/** Selects the results of an organisation that are already stored in any table. Unpacks a sealed hour only once. */
const knownOf = (isSealed: SealedBoundary): string => `
  select k.check_id, wire_time(r.ran_at) as ran_at from (
    select check_id, min(ran_at) as oldest, max(ran_at) as newest, array_agg(ran_at) as times
    from unnest($2::bigint[], $3::timestamptz[]) as n(check_id, ran_at) group by check_id, ${HOUR_OF('ran_at')}) k
  cross join lateral (${resultsText(
    {
      columns: ['ran_at', 'monitor_id'],
      ...{ org: '$1::bigint', check: 'k.check_id', from: 'k.oldest', until: 'k.newest' },
      where: 'r.ran_at >= k.oldest and r.ran_at <= k.newest and r.ran_at = any(k.times)',
      which: 'r.monitor_id = $4',
    },
    isSealed,
  )}) r`

/**
 * Omits rows that are already stored, if their hours are being closed, because they can be in a sealed hour then. The transaction
 * has marked these hours, so that no other process stores results in them.
 */
async function withoutKnown(
  client: Client,
  monitor_id: string,
  rows: readonly RowToStore[],
  { closing, isSealed }: Closing,
): Promise<readonly RowToStore[]> {
  const known = new Set<string>()
  for (const [org_id, its] of Map.groupBy(
    rows.filter(({ ran_at }) => ran_at < closing),
    (row) => row.org_id,
  )) {
    const values = [org_id, its.map(({ check_id }) => check_id), its.map(({ ran_at }) => ran_at), monitor_id]
    const found = await client.query<Omit<StoredKey, 'org_id'>>({ text: knownOf(isSealed), values })
    for (const row of found.rows) known.add(keyOf({ org_id, ...row }))
  }
  return known.size === 0 ? rows : rows.filter((row) => !known.has(keyOf(row)))
}

/** Limits of the hours that are closed or being closed, and whether results can be in sealed hours. */
export interface Closing extends Pick<AssignedBatch, 'closing' | 'closed'> {
  isSealed: SealedBoundary
}

/**
 * Results to store at one node, each key once. `marks`: hours that they change after the end of the hour, or while it was closed.
 */
export interface RowsOfNode<Row extends RowToStore = RowToStore> {
  rows: readonly Row[]
  marks: readonly (CheckKey & { hour: string })[]
}

/**
 * Stores the rows of one node in one transaction of that node, and returns those that were not stored before. Repeats change
 * nothing, so a batch with a lost response can be sent again. Results of closed hours wait for merging.
 */
export async function insertAtNode<Row extends RowToStore>(
  pool: pg.Pool,
  monitor_id: string,
  columns: TimedColumns,
  { rows, marks, givenUp, ...closing }: RowsOfNode<Row> & Closing & { givenUp?: AbortSignal },
): Promise<readonly Row[]> {
  const storeBy = (store: typeof copyRows) => {
    const work = async (client: pg.PoolClient): Promise<readonly Row[]> => {
      await insertMarks(client, marks)
      const missing = await withoutKnown(client, monitor_id, rows, closing)
      const isClosed = ({ ran_at }: RowToStore): boolean => ran_at < closing.closed
      const closed = missing.filter(isClosed)
      const open = closed.length === 0 ? missing : missing.filter((row) => !isClosed(row))
      const stored = open.length === 0 ? [] : await store(client, monitor_id, columns, open)
      const waiting = await insertRows(client, monitor_id, columns, closed, 'reopened_results')
      const all = waiting.length === 0 ? stored : [...stored, ...waiting]
      const shifted = insertOfShifted(monitor_id, columns, all)
      if (shifted) await client.query(shifted)
      return all as readonly Row[]
    }
    return inTransaction(pool, work, givenUp)
  }
  // Nearly always no row is known, and then COPY costs a node at most a third of what inserting costs. It does so only inside a
  // transaction: outside of one, Citus opens connections of its own for it.
  try {
    return await storeBy(copyRows)
  } catch (error) {
    if (!isMaybeKnown(error) && !PASSED_ON.has((error as { code?: unknown }).code)) throw error
    return storeBy(insertRows)
  }
}

/** Stores rows by COPY. Fails if one of them is already stored. */
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

type Client = Pick<pg.ClientBase, 'query'>
type Rows = 'results' | 'reopened_results'

/** Inserts rows, and returns those that were not stored before. */
async function insertRows(
  client: Client,
  monitor_id: string,
  columns: TimedColumns,
  rows: readonly RowToStore[],
  table: Rows = 'results',
): Promise<readonly RowToStore[]> {
  const fresh = new Set<string>()
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const { text, values } = insertOf(table, monitor_id, columns, rows.slice(at, at + ROWS_AT_ONCE))
    for (const row of (await client.query<StoredKey>({ text, values })).rows) {
      fresh.add(keyOf({ ...row, ran_at: toWireTime(row.ran_at) }))
    }
  }
  return rows.filter((row) => fresh.has(keyOf(row)))
}

function insertOf(
  table: Rows,
  monitor_id: string,
  columns: TimedColumns,
  rows: readonly RowToStore[],
): { text: string; values: unknown[] } {
  const { text, values } = valuesOf(
    rows.map(({ org_id, check_id, ran_at, place, error, response_sample }) => [
      ...[org_id, check_id, ran_at, error, response_sample],
      ...NAMES.map((name) => columns[name][place] ?? null),
    ]),
    [monitor_id],
  )
  return {
    text: `insert into ${table} (org_id, check_id, ran_at, error, response_sample, ${NAMES.join(', ')}, monitor_id)
      values ${text} on conflict do nothing returning org_id, check_id, ran_at`,
    values,
  }
}

/** Marks hours, always by an update, so that a process that folds an hour again waits for us, or we for it. */
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

/** Converts an instant from a node to the wire format. Nodes must not format what a change returns. */
function toWireTime(text: string): string {
  const [seconds = '', fraction = ''] = text.replace(' ', 'T').replace(/\+00$/, '').split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}
