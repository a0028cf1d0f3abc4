// Reads the state of the large tables, what is in them, and how long a write to one of them waits.
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { connect } from './session.ts'

/**
 * State of a table. `local` is known to Citus and still in one piece on the coordinator, as an interrupted conversion leaves it.
 */
export type Standing = 'plain' | 'local' | 'sharded'

const STANDING = `
  select case
    when p.logicalrelid is null then 'plain'
    when p.partmethod = 'h' and column_to_column_name(p.logicalrelid, p.partkey) = 'org_id' then 'sharded'
    when p.partmethod = 'n' and p.colocationid = 0 then 'local'
    else 'other' end as standing
  from (select to_regclass($1) as oid) t left join pg_dist_partition p on p.logicalrelid = t.oid`

/** Reads the state of a table, only in a database with Citus. Throws if the table is distributed differently. */
export async function standingOf(client: pg.Client, table: string): Promise<Standing> {
  const { rows } = await client.query<{ standing: Standing | 'other' }>(STANDING, [table])
  const standing = rows[0]?.standing ?? 'plain'
  if (standing === 'other') throw new Error(`${table} is distributed differently; undistribute the table first`)
  return standing
}

/** Counts the rows of each organisation in a table. */
export async function countByOrg(client: pg.Client, table: string): Promise<Map<number, number>> {
  const { rows } = await client.query<{ org_id: string; count: string }>(
    `select org_id, count(*) as count from ${table} group by org_id`,
  )
  return new Map(rows.map(({ org_id, count }) => [Number(org_id), Number(count)]))
}

export function sum(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}

/** Returns the size of the partitions of a table, in bytes. */
export async function bytesOf(client: pg.Client, table: string): Promise<number> {
  const size = (await standingOf(client, table)) === 'sharded' ? 'citus_table_size' : 'pg_table_size'
  const { rows } = await client.query<{ bytes: number }>(
    `select coalesce(sum(${size}(relid)), 0)::float8 as bytes from pg_partition_tree($1::regclass) where isleaf`,
    [table],
  )
  return rows[0]?.bytes ?? 0
}

const BETWEEN_MS = 5

/**
 * Writes to a table without changing anything, again and again, until the returned function is called. That returns the duration
 * of the longest write, in milliseconds.
 */
export async function watchWrites(
  url: string,
  table: string,
  monotonicMs: () => number,
): Promise<() => Promise<number>> {
  const client = await connect(url)
  const write = () => client.query(`delete from ${table} where org_id = 0 and check_id = 0`)
  // The first write does not count, because it is planned and opens connections to nodes.
  await write()
  let [longest_ms, isOver] = [0, false]
  const watching = (async () => {
    while (!isOver) {
      const begun = monotonicMs()
      await write()
      longest_ms = Math.max(longest_ms, monotonicMs() - begun)
      await pause(BETWEEN_MS)
    }
  })()
  // The function below reports a failure.
  watching.catch(() => {})
  return async () => {
    isOver = true
    try {
      await watching
    } finally {
      await client.end()
    }
    return Math.round(longest_ms)
  }
}
