// Reads all results of one check, page after page in the order of (ran_at, monitor_id). Sealed hours are sent as they are and opened
// here, because unpacking them is most of what they cost Postgres. Everything else is read as a page of results.
import type { Database } from '../database.ts'
import { listMonitorNames } from './monitor-names.ts'
import { MOST_NEAR_MS, NEAR_MS, nearAfter } from './near.ts'
import { readSealedBoundary } from './nodes/layout.ts'
import { listResults } from './result-pages.ts'
import { OPENED, openRuns, type RowsToCome, type SealedRow } from './stored/opened.ts'
import type { CheckKey, Position, ResultRow } from './stored/result-rows.ts'
import { SEALED_UNTIL } from './stored/results-of.ts'
import { HOUR_OF, SEALED_VALUES } from './stored/sealed-form.ts'

/** Limits of the size of a page. */
export interface PageSize {
  /** Maximum number of results that are rows. */
  rows: number
  /** Maximum bytes of texts from sealed hours, including an amount for each run. */
  bytes: number
}

export interface ExportPage {
  rows: RowsToCome
  /** Start of the next page. Absent on the last page. */
  next: Position | undefined
}

/** State that a page leaves for the next one. */
interface ExportState {
  /** Maximum number of hours in a page. */
  hours: number
  /** Length of the window that the next page searches first, in milliseconds. */
  near_ms: number
  /** End of the sealed hours. Later results are rows. */
  sealed_until?: string
  names: Map<string, string>
}

const HOURS_AT_FIRST = 16
const MOST_HOURS = 96
/** Bytes that count for each run in addition to its texts. */
const RUN_BYTES = 64
const HOUR_MS = 3_600_000
/** Columns that the statement unpacks only once, because it also reads their length. */
const TEXTS = ['errors', 'samples']
const OTHERS = ['since', ...SEALED_VALUES.filter((name) => !TEXTS.includes(name))].map((name) => `h.${name}`).join(', ')

// An hour that does not fit into what is left of the page comes without its runs.
const HOURS = `
  select /* one node */ wire_time(p.sealed_until) as sealed_until, wire_time(p.late_at) as late_at, h.*
  from (
    select ${SEALED_UNTIL} as sealed_until, (
      select min(r.ran_at) from reopened_results r
      where r.org_id = $1 and r.check_id = $2 and r.ran_at >= ${HOUR_OF('$3::timestamptz')}) as late_at) p
  left join lateral (
    select wire_time(h.since) as hour, h.fits, o.*
    from (
      select h.*, sum(${TEXTS.map((name) => `pg_column_size(h.${name})`).join(' + ')} + h.runs * ${RUN_BYTES})
        over (order by h.since) <= $6 as fits
      from (
        select ${OTHERS}, 0 as from_run, h.runs as until_run, d.*
        from (
          select * from sealed_hours
          where org_id = $1 and check_id = $2 and since < ${SEALED_UNTIL}
            and since >= ${HOUR_OF('$3::timestamptz')} and since <= $4::timestamptz
          order by since limit $5) h
        cross join lateral (
          select ${TEXTS.map((name) => `h.${name} || '{}'::text[] as ${name}`).join(', ')} offset 0) d) h) h
    left join lateral (select ${OPENED} where h.fits) o on true) h on true
  order by h.hour`
/** Statement for a few days. `ALL_DAYS` has the same text: result-pages.ts says why there are two. */
const NEAR = { name: 'sealed-hours-page', text: HOURS }
const ALL_DAYS = { name: 'sealed-hours-page-of-all-days', text: HOURS }
const EVER = 'infinity'

interface ExportHourRow extends SealedRow {
  /** Null if no hour was ever sealed. */
  sealed_until: string | null
  /** Time of the first late result that is not yet in its sealed row, from the start of the page on. Null if there is none. */
  late_at: string | null
  /** Null if there is no hour. */
  hour: string | null
  fits: boolean
}

/** Returns a reader of the results of one check, which reads one page at a time. Each page can use another `database`. */
export function openExportPages(check: CheckKey, size: PageSize) {
  const known: ExportState = { hours: HOURS_AT_FIRST, near_ms: NEAR_MS, names: new Map() }
  return async (database: Database, after: Position): Promise<ExportPage> =>
    (await openHours(database, check, { after, size, known })) ?? readRows(database, check, after, size)
}

async function readRows(database: Database, check: CheckKey, after: Position, size: PageSize): Promise<ExportPage> {
  const rows = await listResults(database, check, after, size.rows)
  return { rows, next: rows.length === size.rows ? rows.at(-1) : undefined }
}

interface ExportRequest {
  after: Position
  size: PageSize
  known: ExportState
}

/**
 * Reads a page of whole hours, without runs before its start. Returns undefined if the next results are not in a sealed hour that
 * can be opened here.
 */
async function openHours(database: Database, check: CheckKey, wanted: ExportRequest): Promise<ExportPage | undefined> {
  const { after, known } = wanted
  if (known.sealed_until !== undefined && after.ran_at >= known.sealed_until) return undefined
  if (!(await readSealedBoundary(database.machines)) || (await database.nodes.isDistributed())) return undefined
  const found = await findNextHours(database, check, wanted)
  const [first] = found
  if (!first || first.sealed_until === null) return undefined
  known.sealed_until = first.sealed_until
  // Sealing begins at the oldest hour: it may have begun behind what was read already.
  if (first.sealed_until <= after.ran_at) return undefined
  if (first.hour === null) {
    // Nothing more is sealed, but what came late may be waiting.
    if (first.late_at !== null && first.late_at < first.sealed_until) return undefined
    return { rows: [], next: { ran_at: first.sealed_until, monitor_id: '' } }
  }
  const hours = found.slice(0, countOpen(found))
  known.hours =
    hours.length < found.length ? hours.length + 2 : Math.min(Math.max(known.hours, 2 * hours.length), MOST_HOURS)
  await learnNames(database, known.names, hours)
  const shown = { max_chars: check.result_detail_max_chars, names: known.names }
  const opened: RowsToCome[] = []
  for (const hour of hours) {
    const runs = openRuns(hour, shown)
    if (!runs) break
    opened.push(runs)
  }
  const last = hours[opened.length - 1]
  if (!last) return undefined
  const rows = first.since > after.ran_at ? inTurn(opened) : [...inTurn(opened)].filter((row) => isAfter(row, after))
  return { rows, next: { ran_at: endOf(last.since), monitor_id: '' } }
}

function inTurn(hours: readonly RowsToCome[]): RowsToCome {
  return {
    length: hours.reduce((sum, { length }) => sum + length, 0),
    *[Symbol.iterator](): Generator<ResultRow> {
      for (const hour of hours) yield* hour
    },
  }
}

/** Finds the next hours. Always returns at least one row. */
async function findNextHours(database: Database, check: CheckKey, wanted: ExportRequest): Promise<ExportHourRow[]> {
  const { after, known } = wanted
  for (;;) {
    const { near_ms } = known
    const near = nearAfter(after.ran_at, near_ms)
    if (near === undefined) break
    const found = await findHours(database, check, wanted, near)
    const [first] = found
    if (!first || first.sealed_until === null || first.sealed_until <= near) return found
    known.near_ms = nextNear(wanted, found)
    if (first.hour !== null) return found
    if (near_ms === MOST_NEAR_MS) break
  }
  return findHours(database, check, wanted, EVER)
}

/** Returns the length of the next window: longer where hours are few, and no longer than needed where they are many. */
function nextNear({ after, known: { hours, near_ms } }: ExportRequest, found: readonly ExportHourRow[]): number {
  if (found.length < hours) return Math.min(near_ms * 2, MOST_NEAR_MS)
  const taken_ms = Date.parse(found.at(-1)?.hour ?? '') - Date.parse(after.ran_at)
  return Math.min(near_ms, Math.max(taken_ms * 2, NEAR_MS))
}

async function findHours(
  database: Database,
  { org_id, check_id }: CheckKey,
  { after, size, known }: ExportRequest,
  until: string,
): Promise<ExportHourRow[]> {
  const values = [org_id, check_id, after.ran_at, until, known.hours, size.bytes]
  return (await database.pools.machines.query<ExportHourRow>({ ...(until === EVER ? ALL_DAYS : NEAR), values })).rows
}

/** Counts the hours that can be opened: those before the first that is too large or that has unmerged results. */
function countOpen(found: readonly ExportHourRow[]): number {
  const closed = found.findIndex(({ fits, since, late_at }) => !fits || (late_at !== null && late_at < endOf(since)))
  return closed < 0 ? found.length : closed
}

async function learnNames(database: Database, names: Map<string, string>, hours: readonly SealedRow[]): Promise<void> {
  const unknown = new Set(hours.flatMap(({ monitors }) => monitors).filter((id) => !names.has(id)))
  if (unknown.size === 0) return
  const named = await listMonitorNames(database.pools.machines, [...unknown])
  for (const id of unknown) names.set(id, named.get(id) ?? '')
}

function isAfter(row: Position, { ran_at, monitor_id }: Position): boolean {
  return row.ran_at > ran_at || (row.ran_at === ran_at && row.monitor_id > monitor_id)
}

/** Returns the end of the hour that begins at `since`. */
function endOf(since: string): string {
  return new Date(Date.parse(since) + HOUR_MS).toISOString().replace('Z', '000Z')
}
