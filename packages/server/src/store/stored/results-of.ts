// Reads the results of a check wherever they are: hours that are sealed are one row each, what came late for them waits beside
// them, and all others are rows. Decision record 7 says why. Every statement that needs results from before now reads them by this;
// those that read the table alone are listed, with their reasons, in test/laws/stored-results.test.ts.
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { isDistributed, mayBeSealed, type Sealed } from '../layout.ts'
import { around, HOUR_OF, type RunColumn, unsealed } from './sealed-form.ts'

/** A part of a statement: a text, or what a query builder makes. */
export type Piece = string | RawBuilder<unknown>

/**
 * Which results of a check. Conditions see a result as `r`, with these columns and no others. What they see of the statement
 * around must not be called `r` or `h`.
 */
export interface Wanted<Of extends Piece = Piece> {
  columns: readonly RunColumn[]
  org: Of
  /** One check; or an array of several, and they come in any order. */
  check: Of | { any: Of }
  /** No other result passes `where`: hours outside of these bounds are not looked at. */
  from?: Of
  until?: Of
  /** The same, known before the statement: days outside of these are not even planned for. */
  known_from?: Of
  known_until?: Of
  /** Bounds of `ran_at`, or of the key: every hour between `from` and `until` has a result that passes, but for the outermost ones. */
  where?: Of
  /** Any other condition. */
  which?: Of
  /** By (ran_at, monitor_id). */
  order?: 'asc' | 'desc'
  /** The first so many in this order, or any. */
  limit?: Of
}

/** Until when results are in sealed hours. Each statement looks by itself, so that all of its parts agree. */
export const SEALED_UNTIL = '(select sealed_until from seal_progress /* elsewhere a constant */)'

/**
 * What ran from here on is in rows alone: no such hour is sealed, and none has late results beside it. While sealing is undone, `announced` is
 * taken back last.
 */
export const OPEN_FROM = '(select greatest(announced, closed, sealed_until) from seal_progress)'

/** The same as `SEALED_UNTIL`; a statement for nodes is told. */
const sealedUntil = (isSealed: Sealed): string => {
  if (typeof isSealed !== 'string') return SEALED_UNTIL
  if (!/^[-:.TZ\d]+$|^-infinity$/.test(isSealed))
    throw new Error('the time until which results are sealed has an invalid form')
  return `timestamptz '${isSealed}'`
}

type Pieces<Of extends Piece> = readonly (Of | string)[]

/** Texts and parts in their order, flat. */
function joined<Of extends Piece>(
  strings: TemplateStringsArray,
  ...values: (Of | string | Pieces<Of>)[]
): (Of | string)[] {
  return strings.flatMap((text, index) => {
    const value = values[index]
    return value === undefined ? [text] : [text, ...(Array.isArray(value) ? (value as Pieces<Of>) : [value as Of])]
  })
}

function ofCheck<Of extends Piece>(check: Wanted<Of>['check']): Pieces<Of> {
  return typeof check === 'object' && 'any' in check ? joined<Of>`= any(${check.any})` : joined<Of>`= ${check}`
}

function pieces<Of extends Piece>(wanted: Wanted<Of>, isSealed: Sealed): Pieces<Of> {
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

/** Columns, with those by which the results of a check are ordered. */
export const withKey = (columns: readonly RunColumn[]): RunColumn[] => [
  ...new Set<RunColumn>([...columns, 'ran_at', 'monitor_id']),
]

/** The runs of sealed hours. Every hour has a run, so a page needs no more hours than runs, and one more for the edge. */
function opened<Of extends Piece>(wanted: Wanted<Of>, sealed_until: string): Pieces<Of> {
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
  const [head, tail] = around((hours) => unsealed(hours, withKey(columns)))
  return [head, ...hours, tail]
}

const binned = <Of extends Piece>(at: Of): Pieces<Of> => {
  // The function is immutable, so partitions are skipped while the statement is planned.
  const [before, after] = around(HOUR_OF)
  return [before, at, after]
}

/** Selects results: a query without parentheses, to be read from or joined laterally. `isSealed`: see `mayBeSealed`. */
export function resultsOf(wanted: Wanted, isSealed: Sealed): RawBuilder<unknown> {
  return sql.join(
    pieces(wanted, isSealed).map((one) => (typeof one === 'string' ? sql.raw(one) : one)),
    sql``,
  )
}

/** The same as a text. */
export function resultsText(wanted: Wanted<string>, isSealed: Sealed): string {
  return pieces(wanted, isSealed).join('')
}

/** What is known of checks is read in one plan with their results where one node has both: rows in between would cost a sixth more. */
export const TOGETHER = 'not materialized /* one node */'
const APART = 'materialized'

interface Form {
  /** Without one, a statement is not prepared. */
  name?: string
  text: string
  isSealed: boolean
}

/**
 * A named statement that reads results, as it is sent where hours may be sealed and where they are not, and where results are on
 * nodes. `between`: how a part of it is run that reads what the coordinator has.
 */
export function inBothForms(name: string, text: (isSealed: Sealed, between: string) => string) {
  const [rows, all, onNodes]: [Form, Form, Form] = [
    { name, text: text(false, TOGETHER), isSealed: false },
    { name: `${name}-sealed`, text: text(true, TOGETHER), isSealed: true },
    { name: `${name}-on-nodes`, text: text(false, APART), isSealed: false },
  ]
  return async ({ machines }: Pick<Database, 'machines'>): Promise<Form> => {
    const isSealed = await mayBeSealed(machines)
    if (isSealed === true) return all
    // Another one each hour, and a node plans it anew in any case.
    if (isSealed !== false) return { text: text(isSealed, APART), isSealed: true }
    return (await isDistributed(machines)) ? onNodes : rows
  }
}
