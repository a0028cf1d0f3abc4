// Spreads the large tables over the nodes of a Citus cluster while servers use them, and brings them back. Both can be
// interrupted at any time and run again: every table is converted by itself, and one that is done is left as it is.
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { whileOthersWait } from '../../migrate.ts'
import { holdSealingUp } from '../sealing/known.ts'
import type { DISTRIBUTED } from '../tables.ts'
import { distributeFunctions } from './functions.ts'
import { connect, whileLocked } from './session.ts'
import { bytesOf, countByOrg, type Standing, standingOf, sum, watchWrites } from './tables.ts'

export type Table = (typeof DISTRIBUTED)[number]

export interface TableConversion {
  table: Table
  was: Standing
  is: Standing
  /** Number of rows. Null if there was nothing to do, because counting takes a while. */
  rows: number | null
  seconds: number
  /** Longest wait of a write, in milliseconds. Null if there was nothing to do. */
  writes_waited_ms: number | null
}

export interface ConversionOptions {
  url: string
  monotonicMs: () => number
  /** Called with a line about each step. */
  tell: (line: string) => void
}

/**
 * Order of the tables, both ways. `results` is first: it takes longest, and servers read the layout from it. Queries on it and
 * another table fail until both are done, so frequent partners are next.
 */
export const IN_ORDER: readonly Table[] = [
  'results',
  'sealed_hours',
  'reopened_results',
  'shifted_results',
  'rollup_marks',
  'rollups_daily',
  'rollups',
]
/** Interval between tries while another attempt still runs in the database after its command was killed, in milliseconds. */
const LOOK_MS = 1000
const LOOKS = 3600

export function shardTables(options: ConversionOptions & { shards: number }): Promise<TableConversion[]> {
  return converting(options, async (client) => {
    await distributeFunctions(client)
    const done: TableConversion[] = []
    for (const table of await byWork(client)) done.push(await shardTable(client, table, options))
    await requireColocated(client)
    return done
  })
}

export function unshardTables(options: ConversionOptions): Promise<TableConversion[]> {
  return converting(options, async (client) => {
    const done: TableConversion[] = []
    for (const table of await byWork(client)) done.push(await unshardTable(client, table, options))
    return done
  })
}

/** Returns the tables in the order of the work. If most results are in sealed hours, that larger table comes first. */
async function byWork(client: pg.Client): Promise<readonly Table[]> {
  const [results, sealed] = [await bytesOf(client, 'results'), await bytesOf(client, 'sealed_hours')]
  return sealed > results ? ['sealed_hours', ...IN_ORDER.filter((table) => table !== 'sealed_hours')] : IN_ORDER
}

/** Runs one conversion at a time. During it, no migration runs, and no result moves from one table to another. */
async function converting<Answer>({ url }: ConversionOptions, work: (client: pg.Client) => Promise<Answer>) {
  return whileOthersWait(url, async () => {
    const [client, holder] = [await connect(url), await connect(url)]
    try {
      await holdSealingUp(holder)
      return await work(client)
    } finally {
      await Promise.all([client.end(), holder.end()])
    }
  })
}

/** Converts a table unless that is done, and reports what that took. `work` returns the number of rows afterwards. */
async function convertTable(
  client: pg.Client,
  table: Table,
  { url, monotonicMs, tell }: ConversionOptions,
  { to, work }: { to: Standing; work: (was: Standing) => Promise<number> },
): Promise<TableConversion> {
  const was = await standingOf(client, table)
  if (was === to) return { table, was, is: was, rows: null, seconds: 0, writes_waited_ms: null }
  const begun = monotonicMs()
  const writes = await watchWrites(url, table, monotonicMs)
  let [rows, writes_waited_ms] = [0, 0]
  try {
    rows = await work(was)
  } finally {
    writes_waited_ms = await writes()
  }
  const is = await standingOf(client, table)
  const seconds = Math.round((monotonicMs() - begun) / 100) / 10
  tell(`${table}: ${is}, ${rows} rows in ${seconds} s; the longest wait of a write was ${writes_waited_ms} ms`)
  return { table, was, is, rows, seconds, writes_waited_ms }
}

function shardTable(
  client: pg.Client,
  table: Table,
  options: ConversionOptions & { shards: number },
): Promise<TableConversion> {
  const { tell, shards } = options
  const work = async (was: Standing): Promise<number> => {
    const before = await countByOrg(client, table)
    tell(`${table}: distributing ${sum(before)} rows`)
    const isDone = was === 'plain' && sum(before) === 0 && (await distributeEmpty(client, table, shards))
    // The table is locked for a moment, which is worth several attempts. What follows locks it only at its end.
    if (!isDone && was === 'plain')
      await whileLocked(client, table, () =>
        client.query('select citus_add_local_table_to_metadata($1::regclass)', [table]),
      )
    if (!isDone) await distribute(client, table, shards)
    const after = await countByOrg(client, table)
    refuseLosses(table, before, after)
    return sum(after)
  }
  return convertTable(client, table, options, { to: 'sharded', work })
}

/** Distributes an empty table in one short step. Returns false if the table has rows by now. */
function distributeEmpty(client: pg.Client, table: Table, shards: number): Promise<boolean> {
  return whileLocked(client, table, async () => {
    if ((await client.query(`select from ${table} limit 1`)).rows.length > 0) return false
    await client.query(`select create_distributed_table('${table}', 'org_id', ${await placing(client, table, shards)})`)
    return true
  })
}

/**
 * Returns the placement of a table, because all tables are colocated. A command that was interrupted might have distributed any
 * of them already.
 */
async function placing(client: pg.Client, table: Table, shards: number): Promise<string> {
  for (const other of IN_ORDER) {
    if (other !== table && (await standingOf(client, other)) === 'sharded') return `colocate_with => '${other}'`
  }
  return `colocate_with => 'none', shard_count => ${shards}`
}

async function distribute(client: pg.Client, table: Table, shards: number): Promise<void> {
  for (let looks = 1; ; looks++) {
    // An earlier attempt that still ran when we looked can have distributed another table since then.
    const place = await placing(client, table, shards)
    try {
      await client.query(`select create_distributed_table_concurrently('${table}', 'org_id', ${place})`)
      return
    } catch (error) {
      // An earlier attempt can have ended since we looked.
      if ((await standingOf(client, table)) === 'sharded') return
      if (!isUnderWay(error) || looks === LOOKS) throw error
      await pause(LOOK_MS)
    }
  }
}

/** Throws if tables are not colocated, because nodes cannot join them. */
async function requireColocated(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ places: number }>(
    `select count(distinct colocationid)::integer as places from pg_dist_partition
    where partmethod = 'h' and logicalrelid = any($1::regclass[])`,
    [IN_ORDER],
  )
  if (rows[0]?.places !== 1)
    throw new Error('the tables of results are not colocated; run dogwatch shard --undo, then dogwatch shard')
}

/** Whether an earlier attempt, whose command was killed, still runs in the database. */
function isUnderWay(error: unknown): boolean {
  return error instanceof Error && /another create_distributed_table_concurrently operation/.test(error.message)
}

/** Throws if an organisation has fewer rows than before. Other differences are normal, because servers go on writing. */
function refuseLosses(table: Table, before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): void {
  const fewer = [...before].filter(([org_id, count]) => (after.get(org_id) ?? 0) < count)
  if (fewer.length === 0) return
  const each = fewer
    .slice(0, 5)
    .map(([org_id, count]) => `organisation ${org_id}: ${count} to ${after.get(org_id) ?? 0}`)
  throw new Error(
    `${table} is distributed but has fewer rows than before (${each.join(', ')}); unless retention deleted these rows in the meantime, restore the backup`,
  )
}

/**
 * Moves the rows of a table back, while writes and reads of the table wait. Counts the rows before and after in one transaction,
 * and changes nothing if they differ.
 */
function unshardTable(client: pg.Client, table: Table, options: ConversionOptions): Promise<TableConversion> {
  const moveBack = async (): Promise<number> => {
    const before = sum(await countByOrg(client, table))
    await client.query('select undistribute_table($1::regclass)', [table])
    const after = sum(await countByOrg(client, table))
    if (after !== before)
      throw new Error(
        `${table} had ${before} rows before the change and ${after} rows after it, so nothing was changed`,
      )
    return after
  }
  const work = (): Promise<number> => {
    options.tell(`${table}: moving all rows back`)
    return whileLocked(client, table, moveBack)
  }
  return convertTable(client, table, options, { to: 'plain', work })
}
