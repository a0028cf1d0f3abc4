// Seals hours where results are distributed, in transactions of the nodes, each committed before the coordinator's. So the coordinator
// is never ahead of a node: one transaction over all of them would become visible at one node first and at another a moment later, or
// much later if that becomes unreachable in between. Everything here can be done twice.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { type CheckKey, keyRows } from '../../check-keys.ts'
import type { Db } from '../../database.ts'
import type { Tables } from '../../tables.ts'
import { hourRows, listOrgs, type MarkedHour, marking } from '../sealing/marks.ts'
import {
  HOUR_OF,
  RUN_COLUMNS,
  type RunColumn,
  SEALED_COLUMNS,
  SEALED_VALUES,
  sealing,
  splitAtPlaceholder,
  unsealed,
} from '../stored/sealed-form.ts'
import { askAllNodes, askEachNode, askWhoAnswers, forEachOrg } from './layout.ts'

const COLUMNS = sql.raw(RUN_COLUMNS.join(', '))
const RUNS = sql.raw(RUN_COLUMNS.map((name) => `r.${name}`).join(', '))
const SEALED = sql.raw(SEALED_COLUMNS)
const REPLACED = sql.raw(SEALED_VALUES.map((name) => `${name} = excluded.${name}`).join(', '))
const KEY: readonly RunColumn[] = ['org_id', 'check_id', 'ran_at', 'monitor_id']

const constant = (org_id: number): RawBuilder<unknown> => sql`${org_id}::bigint`
const idsOf = (keys: readonly CheckKey[]): RawBuilder<unknown> => sql`${keys.map(({ check_id }) => check_id)}::bigint[]`

/** Builds the query that seals the runs of another query. */
function sealingOf(runs: RawBuilder<unknown>): RawBuilder<unknown> {
  const [before, after] = splitAtPlaceholder((place) => sealing(place))
  return sql`${sql.raw(before)}(${runs}) runs${sql.raw(after)}`
}

/** Builds the query that unpacks the sealed rows of another query. */
function unsealedOf(rows: RawBuilder<unknown>, columns: readonly RunColumn[] = RUN_COLUMNS): RawBuilder<unknown> {
  const [before, after] = splitAtPlaceholder((place) => unsealed(place, columns))
  return sql`${sql.raw(before)}(${rows})${sql.raw(after)}`
}

/**
 * Lists the transactions that store results at nodes. Returns undefined if a node does not respond. The coordinator's own have
 * ended, but one at a node can last longer if the storing process was killed.
 */
export async function listStoringAtNodes(trx: Transaction<Tables>): Promise<string[] | undefined> {
  const asked = sql<{ transaction: string }>`
    select distinct l.virtualtransaction as transaction from pg_locks l join pg_class c on c.oid = l.relation
    where l.locktype = 'relation' and starts_with(c.relname, 'results') and l.mode = 'RowExclusiveLock'
      and l.database = (select oid from pg_database where datname = current_database())`
  const found = await askAllNodes(trx, await listOrgs(trx), asked)
  return found?.map(({ node, transaction }) => `${node} ${transaction}`)
}

interface SealingOutcome {
  hours: number
  /** Organisations without an outcome, because their node does not respond. */
  away: ReadonlySet<number>
}

/**
 * Makes the sealed rows of some checks for the hours of a span. Replaces existing ones, because the process that made them did
 * not finish.
 */
export async function insertSealedOnNodes(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
  { from, until, most_ms }: { from: string; until: string; most_ms: number | undefined },
): Promise<SealingOutcome> {
  let hours = 0
  const away = await forEachOrg(trx, keys, async (ask, some, org_id) => {
    if (most_ms !== undefined) await ask(sql`set local statement_timeout = ${sql.lit(most_ms)}`)
    const runs = sql`
      select ${RUNS} from results r
      where r.org_id = ${constant(org_id)} and r.check_id = any(${idsOf(some)})
        and r.ran_at >= ${from}::timestamptz and r.ran_at < ${until}::timestamptz`
    const { changed } = await ask(sql`
      insert into sealed_hours (${SEALED}) ${sealingOf(runs)}
      on conflict (org_id, check_id, since) do update set ${REPLACED}`)
    hours += changed
  })
  return { hours, away }
}

/**
 * Reads the hour of the oldest result of some checks. Returns null if there is none, and undefined if a node does not respond.
 */
export async function readOldestOfChecks(db: Db, keys: readonly CheckKey[]): Promise<string | null | undefined> {
  const { rows, away } = await askWhoAnswers(
    db,
    keys,
    (some, org) => sql<{ hour: string | null }>`
    select wire_time(min(${sql.raw(HOUR_OF('r.ran_at'))})) as hour from ${keyRows(some)} cross join lateral (
      select ran_at from results where org_id = ${org} and check_id = k.check_id order by ran_at limit 1) r`,
  )
  if (away.size > 0) return undefined
  return rows.flatMap(({ hour }) => hour ?? []).sort()[0] ?? null
}

/** Returns hours as rows `k` with their ends, because what a node changes must not depend on the length of an interval. */
const spanRows = (hours: readonly MarkedHour[]): RawBuilder<unknown> => {
  const ends = hours.map(({ hour }) => new Date(Date.parse(hour) + 3_600_000).toISOString())
  return sql`unnest(${hours.map((one) => one.org_id)}::bigint[], ${hours.map((one) => one.check_id)}::bigint[],
    ${hours.map((one) => one.hour)}::timestamptz[], ${ends}::timestamptz[]) as k(org_id, check_id, hour, until)`
}

const within = (org_id: number): RawBuilder<unknown> => sql`r.org_id = ${constant(org_id)} and r.check_id = k.check_id
        and r.ran_at >= k.hour and r.ran_at < k.until`

/**
 * Merges late results into the sealed rows of marked hours, if no other process has locked the mark, which stays. The caller must
 * hold the lock of the progress. Returns the number of hours.
 */
export async function mergeOnNodes(trx: Transaction<Tables>, marked: readonly MarkedHour[]): Promise<number> {
  let merged = 0
  await forEachOrg(trx, marked, async (ask, some, org_id) => {
    const org = constant(org_id)
    // A process that adds to an hour locks its mark.
    const { rows: held } = await ask(sql<MarkedHour>`
      select m.org_id, m.check_id, wire_time(m.hour) as hour from ${hourRows(some)}
      join rollup_marks m on m.org_id = ${org} and m.check_id = k.check_id and m.hour = k.hour
      order by m.org_id, m.check_id, m.hour for update of m skip locked`)
    if (held.length === 0) return
    const { rows: hours } = await ask(sql<MarkedHour>`
      select k.org_id, k.check_id, wire_time(k.hour) as hour from ${spanRows(held)}
      where exists (select 1 from reopened_results r where ${within(org_id)})`)
    if (hours.length === 0) return
    const sealed = sql`
        select s.* from ${hourRows(hours)}
        join sealed_hours s on s.org_id = ${org} and s.check_id = k.check_id and s.since = k.hour`
    const runs = sql`
      select ${COLUMNS} from (${unsealedOf(sealed)}) u
      union all
      select ${RUNS} from ${spanRows(hours)} join reopened_results r on ${within(org_id)}`
    await ask(sql`
      insert into sealed_hours (${SEALED}) ${sealingOf(runs)}
      on conflict (org_id, check_id, since) do update set ${REPLACED}`)
    await ask(sql`delete from reopened_results r using ${spanRows(hours)} where ${within(org_id)}`)
    merged += hours.length
  })
  return merged
}

type OwnTable = 'reopened_results' | 'results_default'

/** Lists the hours of a table's results that ran before an instant. Omits nodes that do not respond. */
async function listHoursIn(db: Db, table: OwnTable, before: string, limit: number): Promise<MarkedHour[]> {
  const { rows } = await askEachNode(
    db,
    await listOrgs(db),
    (org_ids) => sql<MarkedHour>`
    select /* on every node */ distinct org_id, check_id, wire_time(${sql.raw(HOUR_OF('ran_at'))}) as hour from (
      select org_id, check_id, ran_at from ${sql.table(table)}
      where org_id = any(${[...org_ids]}::bigint[]) and ran_at < ${before}::timestamptz limit ${limit}) r`,
  )
  return rows
}

/** Marks hours before an instant that have unmerged results, and returns their days in UTC. */
export async function markReopenedOnNodes(db: Db, until: string, limit: number): Promise<string[]> {
  const hours = await listHoursIn(db, 'reopened_results', until, limit)
  await forEachOrg(db, hours, async (ask, some, org_id) => {
    await ask(marking(some, constant(org_id)))
  })
  return [...new Set(hours.map(({ hour }) => hour.slice(0, 10)))].sort()
}

/** Lists the hours of results that lie outside all partitions and ran before an instant, which is a full hour. */
export function listOutsideOnNodes(db: Db, before: string, limit: number): Promise<MarkedHour[]> {
  return listHoursIn(db, 'results_default', before, limit)
}

/**
 * Marks hours, and stores as late results those that are neither sealed nor waiting. `outside`: those outside all partitions,
 * which it deletes there. The caller must hold the progress. Returns organisations whose node does not respond.
 */
export async function saveMissed(
  trx: Transaction<Tables>,
  hours: readonly MarkedHour[],
  { outside }: { outside: boolean },
): Promise<ReadonlySet<number>> {
  const { rows: checks } = await sql<CheckKey>`
    select c.org_id, c.check_id from checks c
    where (c.org_id, c.check_id) in (select org_id, check_id from ${hourRows(hours)})`.execute(trx)
  // The results of a check that no longer exists are not stored.
  const ids = new Set(checks.map(({ check_id }) => check_id))
  const table = sql.table(outside ? 'results_default' : 'results')
  return forEachOrg(trx, hours, async (ask, some, org_id) => {
    const org = constant(org_id)
    const wanted = some.filter(({ check_id }) => ids.has(check_id))
    if (wanted.length > 0) {
      await ask(marking(wanted, org))
      const sealed = sql`
        select s.* from ${hourRows(wanted)}
        join sealed_hours s on s.org_id = ${org} and s.check_id = k.check_id and s.since = k.hour`
      await ask(sql`
        insert into reopened_results (${COLUMNS})
        select ${RUNS} from ${spanRows(wanted)} join ${table} r on ${within(org_id)}
        where (r.check_id, r.ran_at, r.monitor_id) not in (
          select check_id, ran_at, monitor_id from (${unsealedOf(sealed, KEY)}) u)
        order by r.org_id, r.check_id, r.ran_at, r.monitor_id
        on conflict do nothing`)
    }
    if (outside) await ask(sql`delete from ${table} r using ${spanRows(some)} where ${within(org_id)}`)
  })
}

/**
 * Lists the hours of a span whose sealed row has another number of runs than there are rows, because of merged late results or
 * later rows. Returns undefined if a node does not respond.
 */
export async function listUneven(
  db: Db,
  keys: readonly CheckKey[],
  { from, until }: { from: string; until: string },
): Promise<MarkedHour[] | undefined> {
  const bounds = [sql`${from}::timestamptz`, sql`${until}::timestamptz`] as const
  const { rows, away } = await askWhoAnswers(
    db,
    keys,
    (some, org) => sql<MarkedHour>`
    select k.org_id, k.check_id, wire_time(r.hour) as hour from ${keyRows(some)}
    cross join lateral (
      select ${sql.raw(HOUR_OF('ran_at'))} as hour, count(*) as runs from results
      where org_id = ${org} and check_id = k.check_id and ran_at >= ${bounds[0]} and ran_at < ${bounds[1]}
      group by 1) r
    left join sealed_hours h on h.org_id = ${org} and h.check_id = k.check_id and h.since = r.hour
      and h.since >= ${bounds[0]} and h.since < ${bounds[1]}
    where h.runs is distinct from r.runs`,
  )
  return away.size > 0 ? undefined : rows
}

/** Writes the results of some checks in the sealed hours of a span into `results`, and returns how many were missing there. */
export async function insertUnsealedOnNodes(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
  from: string,
  until: string,
): Promise<{ written: number; away: ReadonlySet<number> }> {
  let written = 0
  const away = await forEachOrg(trx, keys, async (ask, some, org_id) => {
    const sealed = sql`
      select s.* from sealed_hours s
      where s.org_id = ${constant(org_id)} and s.check_id = any(${idsOf(some)})
        and s.since >= ${from}::timestamptz and s.since < ${until}::timestamptz`
    const { changed } = await ask(sql`
      insert into results (${COLUMNS})
      select ${COLUMNS} from (${unsealedOf(sealed)}) u
      order by org_id, check_id, ran_at, monitor_id
      on conflict do nothing`)
    written += changed
  })
  return { written, away }
}

/** Moves the late results of some checks into `results`. No process adds further ones at this point. */
export async function moveReopenedOnNodes(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
): Promise<{ moved: number; away: ReadonlySet<number> }> {
  let moved = 0
  const away = await forEachOrg(trx, keys, async (ask, some, org_id) => {
    const its = sql`r.org_id = ${constant(org_id)} and r.check_id = any(${idsOf(some)})`
    await ask(sql`
      insert into results (${COLUMNS}) select ${RUNS} from reopened_results r where ${its}
      order by r.org_id, r.check_id, r.ran_at, r.monitor_id on conflict do nothing`)
    moved += (await ask(sql`delete from reopened_results r where ${its}`)).changed
  })
  return { moved, away }
}
