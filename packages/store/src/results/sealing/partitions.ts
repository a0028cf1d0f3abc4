// Creates the partitions of results ahead of time, and drops them when no plan promises what is in them.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { sql, type Transaction } from 'kysely'
import type { Db } from '../../database.ts'
import type { Tables } from '../../tables.ts'
import { isDistributed } from '../nodes/layout.ts'

/** A month, named by its first day: `2026-11-01`. */
export type Month = string

/**
 * Maximum wait for a lock, in milliseconds. Everyone behind us waits as well, uploads included, so it is better to fail and try
 * again later.
 */
const LOCK_MS = 100
const DAY_MS = 86_400_000

/**
 * Creates the partition of a month unless it exists, and moves the month's rows into it from the default partition. Waits for
 * others that do the same. Fails if the tables are busy for long.
 */
export async function insertPartition(trx: Transaction<Tables>, month: Month, nextMonth: Month): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
  const [from, until] = [startOf(month), startOf(nextMonth)]
  const name = `results_${from.slice(0, 7).replace('-', '_')}`
  if (await tableExists(trx, name)) return false
  // Short partitions can be in the way.
  if ((await listPartitions(trx)).some((one) => one.from < until && one.until > from)) return false
  const table = sql.table(name)
  const [begin, end] = [sql.lit(from), sql.lit(until)]
  await sql`create table ${table} (like results including all)`.execute(trx)
  await lockParent(trx, 'results')
  // A row that arrived between the move and the attachment would prevent it.
  await sql`lock table results_default in access exclusive mode`.execute(trx)
  await sql`
    with moved as (delete /* on every node */ from results_default where ran_at >= ${begin} and ran_at < ${end} returning *)
    insert into ${table} select * from moved`.execute(trx)
  await attach(trx, table, { from, until }, 'results')
  return true
}

const startOf = (month: Month): string => `${month}T00:00:00.000000Z`

/**
 * Settings of a short partition, which only receives inserts and is dropped within hours. Autovacuum would come every minute and
 * use half a processor for a second. Statistics are collected whenever the table has doubled.
 */
const SHORT_LIVED = sql.raw('autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 1')
/**
 * Settings of the partition of a day, whose rows stay. Autovacuum comes, and statistics are collected, whenever it has doubled.
 */
const GROWING = sql.raw('autovacuum_vacuum_insert_scale_factor = 1, autovacuum_analyze_scale_factor = 1')

const sealedName = (day: string): string => `sealed_hours_${day.replaceAll('-', '_')}`

/** Whether sealed hours of a day (`2026-11-01`) have a partition. */
export function hasSealedDay(db: Db, day: string): Promise<boolean> {
  return tableExists(db, sealedName(day))
}

/**
 * Creates the partition of sealed hours for a day (`2026-11-01`), unless it exists. Fails if the table is busy for long, for
 * example because it is dumped.
 */
export async function insertSealedDay(trx: Transaction<Tables>, day: string): Promise<boolean> {
  const name = sealedName(day)
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
  if (await tableExists(trx, name)) return false
  const table = sql.table(name)
  const from = `${day}T00:00:00.000000Z`
  const until = fromDate(new Date(Date.parse(from) + DAY_MS))
  // Postgres compresses a row above this size only. What it compresses stays in the row.
  await sql`create table ${table} (like sealed_hours including all) with (toast_tuple_target = 128, ${GROWING})`.execute(
    trx,
  )
  await lockParent(trx, 'sealed_hours')
  await attach(trx, table, { from, until }, 'sealed_hours')
  return true
}

export interface Partition {
  name: string
  from: string
  until: string
}

/** The tables with partitions: `results`, and `sealed_hours` by day. */
export type PartitionedTable = 'results' | 'sealed_hours'

/** Lists the partitions of a table except the default one, oldest first. */
export async function listPartitions(db: Db, of: PartitionedTable = 'results'): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select name, wire_time(since) as from, wire_time(until) as until from (
      select c.relname as name,
        (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''([^'']+)''\\)'))[1]::timestamptz as since,
        (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''([^'']+)''\\)'))[1]::timestamptz as until
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${of}::regclass) p
    where until is not null order by until`.execute(db)
  return rows
}

/** Reads the size of a partition in bytes, without its indexes. */
export async function readBytes(db: Db, name: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(pg_relation_size(to_regclass(${name})), 0)::float8 as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Lists the names of the partitions that end by an instant, oldest first. */
export async function listPartitionsBefore(db: Db, edge: string, of: PartitionedTable = 'results'): Promise<string[]> {
  return (await listPartitions(db, of)).filter(({ until }) => until <= edge).map(({ name }) => name)
}

/** Whether partitions can be short. On nodes, each is a table for each shard, and everyone waits while all of them are made. */
export async function canShorten(db: Db): Promise<boolean> {
  return !(await isDistributed(db))
}

/**
 * Replaces an empty part of a partition by shorter ones with these bounds. Earlier rows stay in the old table. Returns false if
 * that part has results. Fails if the tables are busy for long, or if searching the partition takes long.
 */
export async function shortenPartition(
  trx: Transaction<Tables>,
  { name, from, until }: Partition,
  bounds: readonly { from: string; until: string }[],
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
  const isThere = (await listPartitions(trx)).some(
    (one) => one.name === name && one.from === from && one.until === until,
  )
  const [begin, end] = [bounds[0]?.from, bounds.at(-1)?.until]
  if (!isThere || begin === undefined || end === undefined) return false
  const table = sql.table(name)
  const parts = end < until && from < begin ? [...bounds, { from: end, until }] : bounds
  // Created before anyone has to wait.
  const made: { from: string; until: string; table: TableRef }[] = []
  for (const one of parts) {
    const part = sql.table(await freeName(trx, one.from))
    made.push({ ...one, table: part })
    const settings = bounds.includes(one) ? sql`with (${SHORT_LIVED})` : sql``
    await sql`create table ${part} (like results including all) ${settings}`.execute(trx)
  }
  await lockParent(trx, 'results')
  if (from < begin) await sql`set local statement_timeout = ${sql.lit(LOCK_MS)}`.execute(trx)
  const { rows } = await sql<{ is_used: boolean }>`
    select /* one node */ exists (select 1 from ${table} where ran_at >= ${begin}::timestamptz) as is_used`.execute(trx)
  if (rows[0]?.is_used !== false) {
    for (const one of made) await sql`drop table ${one.table}`.execute(trx)
    return false
  }
  await sql`alter table results detach partition ${table}`.execute(trx)
  for (const one of made) await attach(trx, one.table, one, 'results')
  if (from < begin) await attach(trx, table, { from, until: begin }, 'results')
  else if (end < until) await attach(trx, table, { from: end, until }, 'results')
  else await sql`drop table ${table}`.execute(trx)
  return true
}

type TableRef = ReturnType<typeof sql.table>

/**
 * Keeps everyone from a table until the transaction ends, so that it can attach a partition. Without this, a session that reads the
 * list of partitions at that moment would keep the old list for long, and miss the rows of the new one.
 */
async function lockParent(trx: Transaction<Tables>, of: PartitionedTable): Promise<void> {
  await boundWaits(trx)
  await sql`lock table only ${sql.table(of)} in access exclusive mode`.execute(trx)
}

/** Attaches a partition. The caller must have locked the parent with {@link lockParent}. */
async function attach(
  trx: Transaction<Tables>,
  table: TableRef,
  { from, until }: { from: string; until: string },
  of: PartitionedTable,
): Promise<void> {
  const [since, before] = [sql.lit(from), sql.lit(until)]
  await sql`alter table ${sql.table(of)} attach partition ${table} for values from (${since}) to (${before})`.execute(
    trx,
  )
}

/** Returns a name like `results_2026_11_01_0010`, or a longer one if another table already has it. */
async function freeName(db: Db, from: string): Promise<string> {
  let name = `results_${from.slice(0, 10).replaceAll('-', '_')}_${from.slice(11, 16).replace(':', '')}`
  while (await tableExists(db, name)) name += '_'
  return name
}

/**
 * Detaches a partition and marks it for dropping. Returns false if another process did. Locks the whole table for a moment,
 * because a default partition rules out detaching concurrently. Fails if the table is busy for long.
 */
export async function retirePartition(
  trx: Transaction<Tables>,
  name: string,
  of: PartitionedTable = 'results',
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
  if (!(await tableExists(trx, name))) return false
  await boundWaits(trx)
  await sql`alter table ${sql.table(of)} detach partition ${sql.table(name)}`.execute(trx)
  await sql`alter table ${sql.table(name)} rename to ${sql.table(`${RETIRED}${name}`)}`.execute(trx)
  return true
}

/**
 * Retires a partition of results if all of it is before an instant. Looks again, because by now another partition might have this
 * name.
 */
export async function retireBefore(trx: Transaction<Tables>, name: string, edge: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
  return (await listPartitionsBefore(trx, edge)).includes(name) && retirePartition(trx, name)
}

/** Drops retired partitions, including those that another process left behind, and returns their names. Locks nothing else. */
export async function dropRetired(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname = current_schema() and starts_with(c.relname, ${RETIRED})
    order by c.relname`.execute(db)
  for (const { name } of rows) await sql`drop table if exists ${sql.table(name)}`.execute(db)
  return rows.map(({ name }) => name.slice(RETIRED.length))
}

const LOCK = sql`hashtext('dogwatch partitions')`
const RETIRED = 'retired_'

/** Limits the wait for all locks that the transaction requests from now on, on nodes as well. */
async function boundWaits(trx: Transaction<Tables>): Promise<void> {
  // Citus then sends further settings of the transaction to the nodes. Without Citus, this changes nothing.
  await sql`set local citus.propagate_set_commands = 'local'`.execute(trx)
  await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(trx)
}

async function tableExists(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${name}) is not null as found`.execute(db)
  return rows[0]?.found ?? false
}
