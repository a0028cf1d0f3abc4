// Writes results in a transaction: of the only Postgres, or of the node that stores them. COPY costs half of what inserting costs,
// but it fails when a result is already stored.
import { CompiledQuery, type RawBuilder, sql, type Transaction } from 'kysely'
import { copyOf } from '../builder-pool.ts'
import { CopyRows } from '../copy-in.ts'
import type { Tables } from '../tables.ts'
import type { AssignedBatch } from './assigned.ts'
import { listingKnown, type StoredKey } from './known-results.ts'
import { askByOrg, type SealedBoundary } from './nodes/layout.ts'
import { isTold, type TimedColumns, TOLD_NAMES } from './results.ts'
import { type MarkedHour, marking } from './sealing/marks.ts'

/** Key and texts of a result to store. Its other values are in the columns of the batch. */
export interface RowToStore extends StoredKey {
  /** Index in the columns of the batch. */
  place: number
  /** Error text, cut to the limit of its check. */
  error: string | null
  response_sample: string | null
}

/** Transaction that results are written in: `inOne` for the only Postgres, `atNode` for a node. */
export interface ResultsTransaction {
  query<Row>(text: string, values: unknown[]): Promise<readonly Row[]>
  /** Runs a COPY. `isLast`: the transaction does nothing else. */
  copy(text: string, rows: Buffer, isLast: boolean): Promise<void>
  /** Reads rows of several organisations, like {@link askByOrg}. */
  askByOrg<Key extends { org_id: number }, Row>(
    keys: readonly Key[],
    ask: (some: readonly Key[], org: RawBuilder<unknown>) => RawBuilder<Row>,
  ): Promise<readonly Row[]>
}

export const inOne = (trx: Transaction<Tables>): ResultsTransaction => ({
  query: async <Row>(text: string, values: unknown[]) =>
    (await trx.executeQuery<Row>(CompiledQuery.raw(text, values))).rows,
  copy: async (text, rows, isLast) => void (await trx.executeQuery(copyOf(text, rows, { isLast }))),
  askByOrg: (keys, ask) => askByOrg(trx, keys, ask),
})

/** Way to write results of open hours. COPY fails if one of them is already stored. */
export type Way = 'copy' | 'insert'

/** Results to write, each key once and in the order of keys. */
export interface ResultsToWrite<Row extends RowToStore = RowToStore> extends Pick<AssignedBatch, 'closing' | 'closed'> {
  monitor_id: string
  columns: TimedColumns
  rows: readonly Row[]
  /** Hours that the results change after the end of the hour, or while it was closed, each once. */
  marks: readonly MarkedHour[]
  /** Whether results can be in sealed hours. */
  isSealed: SealedBoundary
  /** Whether the transaction does nothing else. */
  isLast?: boolean
}

/**
 * Writes results, and returns those that were not stored before. Repeats change nothing, so a batch with a lost response can be
 * sent again. Marks their hours first. Results of closed hours wait for merging.
 */
export async function writeResults<Row extends RowToStore>(
  trx: ResultsTransaction,
  batch: ResultsToWrite<Row>,
  way: Way,
): Promise<readonly Row[]> {
  await trx.askByOrg(batch.marks, marking)
  const missing = await listMissing(trx, batch)
  const isClosed = ({ ran_at }: RowToStore): boolean => ran_at < batch.closed
  const closed = missing.filter(isClosed)
  const open = closed.length === 0 ? missing : missing.filter((row) => !isClosed(row))
  const waiting = await insertRows(trx, batch, closed, 'reopened_results')
  const write = way === 'copy' ? copyRows : insertRows
  const stored = await write(trx, batch, open)
  const all = waiting.length === 0 ? stored : [...waiting, ...stored]
  await insertShifts(trx, batch, all)
  return all as readonly Row[]
}

/**
 * Lists the rows that are not stored yet. Looks up only those of hours that are being closed, because they can be in a sealed hour.
 * The transaction has marked these hours, so that no other process stores results in them.
 */
async function listMissing(
  trx: ResultsTransaction,
  { monitor_id, rows, closing, isSealed }: ResultsToWrite,
): Promise<readonly RowToStore[]> {
  const closed = rows.filter(({ ran_at }) => ran_at < closing)
  if (closed.length === 0) return rows
  const known = await trx.askByOrg(closed, listingKnown(monitor_id, isSealed))
  const places = new Set(known.map(({ place }) => place))
  return rows.filter(({ place }) => !places.has(place))
}

/** Maximum bytes of a row, without its texts. */
const ROW_BYTES = 200
/** Bytes of a row with the sample that agents usually send. */
const USUAL_BYTES = 512

/** Stores rows by COPY. Fails if one of them is already stored. */
async function copyRows(
  trx: ResultsTransaction,
  { monitor_id, columns, isLast = false }: ResultsToWrite,
  rows: readonly RowToStore[],
): Promise<readonly RowToStore[]> {
  if (rows.length === 0) return rows
  const { latency_ms, http_status, success, cert_expires_at, effective_at } = columns
  const told = TOLD_NAMES.filter((name) => isTold(columns, name))
  const small = told.filter((name) => name !== 'cert_expires_at').map((name) => columns[name])
  const hasCertificates = told.includes('cert_expires_at')
  const names = `org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample`
  const copied = new CopyRows(9 + told.length, rows.length * USUAL_BYTES)
  for (const { org_id, check_id, ran_at, place, error, response_sample } of rows) {
    copied.begin(ROW_BYTES)
    copied.bigint(org_id)
    copied.bigint(check_id)
    copied.instant(ran_at)
    copied.integer(latency_ms[place] ?? 0)
    copied.integer(http_status[place] ?? 0)
    copied.boolean(success[place] ?? false)
    copied.text(monitor_id)
    copied.text(error)
    copied.text(response_sample)
    for (const values of small) copied.smallint(values[place] ?? null)
    if (hasCertificates) copied.instant(cert_expires_at[place] ?? null)
  }
  const text = `copy results (${[names, ...told].join(', ')}) from stdin (format binary)`
  const isShifted = rows.some(({ place }) => (effective_at[place] ?? null) !== null)
  await trx.copy(text, copied.end(), isLast && !isShifted)
  return rows
}

const NAMES = ['latency_ms', 'http_status', 'success', ...TOLD_NAMES] as const
/** Maximum rows of one insert, because Postgres accepts 65,535 parameters in a statement. */
const ROWS_AT_ONCE = 2_000

/** Inserts rows, and returns those that were not stored before. */
async function insertRows(
  trx: ResultsTransaction,
  { monitor_id, columns }: ResultsToWrite,
  rows: readonly RowToStore[],
  table: 'results' | 'reopened_results' = 'results',
): Promise<readonly RowToStore[]> {
  const fresh = new Set<string>()
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const { text, values } = valuesOf(
      rows
        .slice(at, at + ROWS_AT_ONCE)
        .map(({ org_id, check_id, ran_at, place, error, response_sample }) => [
          ...[org_id, check_id, ran_at, error, response_sample],
          ...NAMES.map((name) => columns[name][place] ?? null),
        ]),
      [monitor_id],
    )
    const inserted = await trx.query<StoredKey>(
      `insert into ${table} (org_id, check_id, ran_at, error, response_sample, ${NAMES.join(', ')}, monitor_id)
      values ${text} on conflict do nothing returning org_id, check_id, ran_at`,
      values,
    )
    for (const row of inserted) fresh.add(keyOf({ ...row, ran_at: toWireTime(row.ran_at) }))
  }
  return rows.filter((row) => fresh.has(keyOf(row)))
}

/** Records how a wrong clock shifted results that were just stored. `stored` must not contain results that were stored before. */
async function insertShifts(
  trx: ResultsTransaction,
  { monitor_id, columns: { effective_at } }: ResultsToWrite,
  stored: readonly RowToStore[],
): Promise<void> {
  const shifted = stored.flatMap(({ org_id, check_id, ran_at, place }) => {
    const at = effective_at[place] ?? null
    return at === null ? [] : [[org_id, check_id, ran_at, at]]
  })
  if (shifted.length === 0) return
  const { text, values } = valuesOf(shifted, [monitor_id])
  await trx.query(
    `insert into shifted_results (org_id, check_id, ran_at, effective_at, monitor_id) values ${text} on conflict do nothing`,
    values,
  )
}

/** Returns rows as `($1, $2, …)`, and their parameters. Each row ends with the values `ofAll`. */
function valuesOf(rows: readonly unknown[][], ofAll: readonly unknown[]): { text: string; values: unknown[] } {
  const values: unknown[] = [...ofAll]
  const all = ofAll.map((_, index) => `$${index + 1}`)
  const texts = rows.map((row) => `(${[...row.map((value) => `$${values.push(value)}`), ...all].join()})`)
  return { text: texts.join(), values }
}

const keyOf = ({ org_id, check_id, ran_at }: StoredKey): string => `${org_id} ${check_id} ${ran_at}`

/** Converts an instant from a node to the wire format. Nodes must not format what a change returns. */
function toWireTime(text: string): string {
  const [seconds = '', fraction = ''] = text.replace(' ', 'T').replace(/\+00$/, '').split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}

const MAYBE_KNOWN = new Set<unknown>(['23505', '40P01'])

/** Error of a batch whose first or last result is already stored. */
export class KnownResult extends Error {
  override readonly name = 'KnownResult'
}

/** Whether COPY might have failed because of a known row: a unique violation, or a deadlock with a batch that shares the row. */
export function isMaybeKnown(error: unknown): boolean {
  return error instanceof KnownResult || MAYBE_KNOWN.has((error as { code?: unknown } | null)?.code)
}

/**
 * Selects a row if one of these results is already stored, as the first and last of a repeated batch are. COPY would write all
 * rows before it failed, and Postgres would log the failure.
 */
export const listingIfKnown = (
  monitor_id: string,
  keys: readonly { guid: string; ran_at: string }[],
): RawBuilder<unknown> => sql`
    select /* one node */ 1 where ${sql.join(
      keys.map(
        ({ guid, ran_at }) => sql`exists (
      select from assignments a
      join results r on r.org_id = a.org_id and r.check_id = a.check_id and r.ran_at = ${ran_at}::timestamptz
        and r.monitor_id = ${monitor_id}
      where a.monitor_id = ${monitor_id} and a.guid = ${guid})`,
      ),
      sql` or `,
    )}`
