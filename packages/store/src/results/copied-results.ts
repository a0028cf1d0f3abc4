// Stores results by COPY, which costs half of what inserting them costs. It fails when one of them is stored already.
import { CompiledQuery, type RawBuilder, sql, type Transaction } from 'kysely'
import { copyOf } from '../builder-pool.ts'
import type { CheckKey } from '../check-keys.ts'
import { CopyRows } from '../copy-in.ts'
import type { Tables } from '../tables.ts'
import type { TimedColumns } from './results.ts'
import { TIMING_NAMES } from './timings.ts'

/** Key of a result of one monitor. `ran_at` has six digits. */
export type StoredKey = CheckKey & { ran_at: string }

/** Key and texts of a result to store. Its other values are in the columns of the batch. */
export interface RowToStore extends StoredKey {
  /** Index in the columns of the batch. */
  place: number
  /** Error text, cut to the limit of its check. */
  error: string | null
  response_sample: string | null
}

/** Columns that COPY omits if no result of a batch has them. */
const MAYBE = [...TIMING_NAMES, 'retries', 'cert_expires_at'] as const

/** Maximum bytes of a row, without its texts. */
const ROW_BYTES = 200
/** Bytes of a row with the sample that agents usually send. */
const USUAL_BYTES = 512

/** Builds the COPY of some results of a batch: its statement and its rows. */
export function copyOfResults(
  monitor_id: string,
  columns: TimedColumns,
  rows: readonly RowToStore[],
): { text: string; rows: Buffer } {
  const { latency_ms, http_status, success, cert_expires_at } = columns
  const told = MAYBE.filter((name) => (columns[name] as unknown[]).some((value) => value !== null))
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
  return { text, rows: copied.end() }
}

const MAYBE_KNOWN = new Set<unknown>(['23505', '40P01'])

/** Whether COPY might have failed because of a known row: a unique violation, or a deadlock with a batch that shares the row. */
export function isMaybeKnown(error: unknown): boolean {
  return MAYBE_KNOWN.has((error as { code?: unknown } | null)?.code)
}

/** Key of a result as its monitor sends it. */
export interface SentKey {
  guid: string
  ran_at: string
}

/**
 * Selects a row if one of these results is already stored, as the first and last of a repeated batch are. COPY would write all
 * rows before it failed, and Postgres would log the failure.
 */
export const askingIfKnown = (monitor_id: string, keys: readonly SentKey[]): RawBuilder<unknown> => sql`
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

/** Stores results by COPY. Fails if one of them is already stored. `isLast`: the transaction does nothing else. */
export async function copyResults(
  trx: Transaction<Tables>,
  monitor_id: string,
  columns: TimedColumns,
  rows: readonly RowToStore[],
  { isLast }: { isLast: boolean },
): Promise<void> {
  if (rows.length === 0) return
  const copy = copyOfResults(monitor_id, columns, rows)
  const shifted = insertOfShifted(monitor_id, columns, rows)
  await trx.executeQuery(copyOf(copy.text, copy.rows, { isLast: isLast && !shifted }))
  if (shifted) await trx.executeQuery(CompiledQuery.raw(shifted.text, shifted.values))
}

/**
 * Builds the statement that records how a wrong clock shifted results that were just stored, or returns undefined if it shifted
 * none. `stored` must not contain results that were stored before.
 */
export function insertOfShifted(
  monitor_id: string,
  { effective_at }: TimedColumns,
  stored: readonly RowToStore[],
): { text: string; values: unknown[] } | undefined {
  const shifted = stored.flatMap(({ org_id, check_id, ran_at, place }) => {
    const at = effective_at[place] ?? null
    return at === null ? [] : [[org_id, check_id, ran_at, at]]
  })
  if (shifted.length === 0) return undefined
  const { text, values } = valuesOf(shifted, [monitor_id])
  return {
    text: `insert into shifted_results (org_id, check_id, ran_at, effective_at, monitor_id) values ${text}
      on conflict do nothing`,
    values,
  }
}

/** Returns rows as `($1, $2, …)`, and their parameters. Each row ends with the values `ofAll`. */
export function valuesOf(rows: readonly unknown[][], ofAll: readonly unknown[]): { text: string; values: unknown[] } {
  const values: unknown[] = [...ofAll]
  const all = ofAll.map((_, index) => `$${index + 1}`)
  const texts = rows.map((row) => `(${[...row.map((value) => `$${values.push(value)}`), ...all].join()})`)
  return { text: texts.join(), values }
}
