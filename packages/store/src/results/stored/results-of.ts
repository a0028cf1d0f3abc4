// Reads the results of a check wherever they are: a sealed hour is one row, late results for it wait in another table, and all other
// results are rows. Decision record 7 says why. Every statement that needs past results reads them this way;
// test/laws/stored-results.test.ts lists those that read the table alone, with their reasons.
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database.ts'
import { isDistributed, readSealedBoundary, type SealedBoundary } from '../nodes/layout.ts'
import { HOUR_OF, type RunColumn, splitAtPlaceholder, unsealed } from './sealed-form.ts'

/** A part of a statement: text, or the output of a query builder. */
export type Piece = string | RawBuilder<unknown>

/**
 * Conditions that select results of a check. They see a result as `r`, with these columns and no others. Names of the surrounding
 * statement that they use must not be `r` or `h`.
 */
export interface ResultQuery<Of extends Piece = Piece> {
  columns: readonly RunColumn[]
  org: Of
  /** One check, or an array of several, whose results come in any order. */
  check: Of | { any: Of }
  /** Bounds of the hours to read. `where` must exclude all results outside them. */
  from?: Of
  until?: Of
  /** Bounds that are known before the statement runs, so that Postgres does not even plan for other days. */
  known_from?: Of
  known_until?: Of
  /**
   * Bounds of `ran_at` or of the key. In each hour between `from` and `until`, except the outermost ones, they must accept a
   * result.
   */
  where?: Of
  /** Any other condition, which can exclude all results of an hour. */
  which?: Of
  /** Direction of the order by (ran_at, monitor_id). */
  order?: 'asc' | 'desc'
  /** Maximum number of results: the first in this order, or any. */
  limit?: Of
}

/** SQL for the end of the sealed hours. Each statement reads it itself, so that all of its parts agree. */
export const SEALED_UNTIL = '(select sealed_until from seal_progress /* elsewhere a constant */)'

/** SQL for the start of the open hours: no later hour is sealed or has late results, so all later results are rows. */
export const OPEN_FROM = '(select greatest(announced, closed, sealed_until) from seal_progress)'

/** Returns `SEALED_UNTIL`, or the given time for a statement on nodes, which cannot read it. */
const sealedUntil = (isSealed: SealedBoundary): string => {
  if (typeof isSealed !== 'string') return SEALED_UNTIL
  if (!/^[-:.TZ\d]+$|^-infinity$/.test(isSealed))
    throw new Error('the time until which results are sealed has an invalid form')
  return `timestamptz '${isSealed}'`
}

type Pieces<Of extends Piece> = readonly (Of | string)[]

/** Joins texts and parts in their order into one flat list. */
function joined<Of extends Piece>(
  strings: TemplateStringsArray,
  ...values: (Of | string | Pieces<Of>)[]
): (Of | string)[] {
  return strings.flatMap((text, index) => {
    const value = values[index]
    return value === undefined ? [text] : [text, ...(Array.isArray(value) ? (value as Pieces<Of>) : [value as Of])]
  })
}

function ofCheck<Of extends Piece>(check: ResultQuery<Of>['check']): Pieces<Of> {
  return typeof check === 'object' && 'any' in check ? joined<Of>`= any(${check.any})` : joined<Of>`= ${check}`
}

function pieces<Of extends Piece>(wanted: ResultQuery<Of>, isSealed: SealedBoundary): Pieces<Of> {
  const { columns, org, check, where, which, order, limit } = wanted
  const names = (of: string, some = columns): string => some.map((name) => `${of}.${name}`).join(', ')
  const conditions = [where, which].flatMap((one) => (one === undefined ? [] : joined<Of>` and ${one}`))
  const ordered = (of: string, first: readonly string[] = []): Pieces<Of> =>
    order === undefined
      ? []
      : [
          ` order by ${[...first, 'ran_at', 'monitor_id'].map((name) => `${of}.${name}${order === 'desc' ? ' desc' : ''}`).join(', ')}`,
        ]
  const limited: Pieces<Of> = limit === undefined ? [] : joined<Of>` limit ${limit}`
  const inner = isSealed !== false && order !== undefined ? withKey(columns) : columns
  const rows = (table: string, more = ''): Pieces<Of> => joined<Of>`
      select ${names('r', inner)} from ${table} r
      where r.org_id = ${org} and r.check_id ${ofCheck(check)}${more}${conditions}${ordered('r')}${limited}`
  if (isSealed === false) return rows('results')
  const until = sealedUntil(isSealed)
  const all = joined<Of>`(${rows('results', ` and r.ran_at >= ${until}`)})
    union all (${rows('reopened_results')})
    union all (
      select ${names('r', inner)} from (${opened(wanted, until)}) r
      where true${conditions}${ordered('r', ['since'])}${limited})`
  return order === undefined && limit === undefined
    ? all
    : joined<Of>`
      select ${names('r')} from (${all}) r${ordered('r')}${limited}`
}

/** Adds the columns that order the results of a check. */
export const withKey = (columns: readonly RunColumn[]): RunColumn[] => [
  ...new Set<RunColumn>([...columns, 'ran_at', 'monitor_id']),
]

/**
 * Selects the runs of sealed hours. Reads one hour more than `limit`: each hour has a run, but the runs of the hour at the edge
 * might not pass.
 */
function opened<Of extends Piece>(wanted: ResultQuery<Of>, sealed_until: string): Pieces<Of> {
  const { columns, org, check, which, order, limit } = wanted
  const since = [wanted.known_from, wanted.from].flatMap((one) =>
    one === undefined ? [] : joined<Of>`and h.since >= ${binned(one)} `,
  )
  const before = [wanted.known_until, wanted.until].flatMap((one) =>
    one === undefined ? [] : joined<Of>`and h.since <= ${one} `,
  )
  const hours = joined<Of>`(
        select h.* from sealed_hours h
        where h.org_id = ${org} and h.check_id ${ofCheck(check)} and h.since < ${sealed_until}
          ${since} ${before}
        ${order === undefined ? '' : `order by h.since${order === 'desc' ? ' desc' : ''}`}
        ${limit === undefined || order === undefined || which !== undefined ? [] : joined<Of>`limit (${limit})::bigint + 1`})`
  const [head, tail] = splitAtPlaceholder((hours) => unsealed(hours, withKey(columns)))
  return [head, ...hours, tail]
}

const binned = <Of extends Piece>(at: Of): Pieces<Of> => {
  // The function is immutable, so partitions are skipped while the statement is planned.
  const [before, after] = splitAtPlaceholder(HOUR_OF)
  return [before, at, after]
}

/**
 * Selects results. The query has no parentheses, for reading from it or joining it laterally. `isSealed`: whether results can be
 * in sealed hours.
 */
export function resultsOf(wanted: ResultQuery, isSealed: SealedBoundary): RawBuilder<unknown> {
  return sql.join(
    pieces(wanted, isSealed).map((one) => (typeof one === 'string' ? sql.raw(one) : one)),
    sql``,
  )
}

/**
 * Keyword for a part that reads checks: one node plans it together with their results. Rows in between would cost a sixth more.
 */
export const TOGETHER = 'not materialized /* one node */'
const APART = 'materialized'

/** Reads results as a part of a statement that is text. */
export interface TextReader {
  /** Selects results. The query has no parentheses, for reading from it or joining it laterally. */
  of: (query: ResultQuery<string>) => string
  /** Whether results can be in sealed hours. A search without near bounds then opens every stored day, which is slow. */
  isSealed: boolean
  /** Keyword for a part that reads the coordinator's tables. */
  between: string
}

/** A statement that is text, in the form for the present way of storing. */
export interface TextForm extends Pick<TextReader, 'isSealed'> {
  /** Name of the prepared statement. Absent if the statement is not prepared. */
  name?: string
  text: string
}

/**
 * Builds the forms of a statement that reads results, and returns a function that picks one: with or without sealed hours, or for
 * nodes.
 */
export function inBothForms(name: string, text: (results: TextReader) => string) {
  const form = (boundary: SealedBoundary, between: string): TextForm => {
    const isSealed = boundary !== false
    return { text: text({ of: (query) => pieces(query, boundary).join(''), isSealed, between }), isSealed }
  }
  const rows = { name, ...form(false, TOGETHER) }
  const all = { name: `${name}-sealed`, ...form(true, TOGETHER) }
  const onNodes = { name: `${name}-on-nodes`, ...form(false, APART) }
  return async ({ machines }: Pick<Database, 'machines'>): Promise<TextForm> => {
    const boundary = await readSealedBoundary(machines)
    if (boundary === true) return all
    // It has no name, because its text changes each hour, and a node plans it each time anyway.
    if (boundary !== false) return form(boundary, APART)
    return (await isDistributed(machines)) ? onNodes : rows
  }
}
