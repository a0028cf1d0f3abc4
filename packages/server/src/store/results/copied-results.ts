// Stores results by COPY, which costs half of what inserting them costs. It fails when one of them is stored already.
import { CompiledQuery, sql, type Transaction } from 'kysely'
import type { CheckKey } from '../checks/check-health.ts'
import { CopyRows } from '../copy-in.ts'
import { copyOf } from '../builder-pool.ts'
import { TIMING_NAMES } from '../stored/timings.ts'
import type { Tables } from '../tables.ts'
import type { TimedColumns } from './results.ts'

/** `ran_at` with six digits. */
export type StoredKey = CheckKey & { ran_at: string }

/** A result of a batch as it is stored: the rest of it stands in the columns of the batch. */
export interface RowToStore extends StoredKey {
  /** Its index in the columns. */
  place: number
  /** Cut to what its check allows. */
  error: string | null
  response_sample: string | null
}

/** Columns that are left out when no result of a batch has them. */
const MAYBE = [...TIMING_NAMES, 'retries', 'cert_expires_at'] as const

/** What the values of a row take at most, without those of its texts. */
const ROW_BYTES = 200
/** What a row takes with the sample that agents usually send. */
const USUAL_BYTES = 512

/** The COPY of some results of a batch: its statement, and its rows. */
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

/** Whether COPY may have failed because of a row that is known: a unique violation, or a deadlock with a batch that shares it. */
export function isMaybeKnown(error: unknown): boolean {
  return MAYBE_KNOWN.has((error as { code?: unknown } | null)?.code)
}

/**
 * Whether the first or the last of some results is stored, as both are when a batch is sent again. COPY would write all rows before it
 * failed, and Postgres would log the failure.
 */
export async function isRepeat(
  trx: Transaction<Tables>,
  monitor_id: string,
  rows: readonly RowToStore[],
): Promise<boolean> {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return false
  const key = ({ org_id, check_id, ran_at }: RowToStore) => sql`(select from results
    where org_id = ${org_id}::bigint and check_id = ${check_id}::bigint and ran_at = ${ran_at}::timestamptz
      and monitor_id = ${monitor_id})`
  const { rows: found } = await sql<{ is_known: boolean }>`
    select /* one node */ exists ${key(first)} or exists ${key(last)} as is_known`.execute(trx)
  return found[0]?.is_known ?? false
}

/** Fails when one of the results is stored already. */
export async function copyResults(
  trx: Transaction<Tables>,
  monitor_id: string,
  columns: TimedColumns,
  rows: readonly RowToStore[],
): Promise<void> {
  if (rows.length === 0) return
  const copy = copyOfResults(monitor_id, columns, rows)
  await trx.executeQuery(copyOf(copy.text, copy.rows))
  const shifted = insertOfShifted(monitor_id, columns, rows)
  if (shifted) await trx.executeQuery(CompiledQuery.raw(shifted.text, shifted.values))
}

/**
 * Records by how much a wrong clock shifted results that were just stored; undefined: it shifted none. Nothing is recorded of a result that
 * was stored before.
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

/** Rows as `($1, $2, …)`, each followed by the values that all of them have. */
export function valuesOf(rows: readonly unknown[][], ofAll: readonly unknown[]): { text: string; values: unknown[] } {
  const values: unknown[] = [...ofAll]
  const all = ofAll.map((_, index) => `$${index + 1}`)
  const texts = rows.map((row) => `(${[...row.map((value) => `$${values.push(value)}`), ...all].join()})`)
  return { text: texts.join(), values }
}
