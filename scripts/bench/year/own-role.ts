// Work of this process on a year's database whose log can be told from that of others.
import { type Database, openDatabase } from '../../../packages/server/dist/store/database.js'
import type { Stage } from '../../lab/stage.ts'

export interface OwnRole {
  database: Database
  /** How much log its connections have written, in bytes. */
  readWal(): Promise<number>
}

/**
 * Connections of a role of their own, for which Postgres counts the log they write. One of each pool, which stays busy.
 */
export async function openOwnRole(stage: Stage, name: string): Promise<OwnRole> {
  const url = new URL(stage.url)
  await stage.database.pools.machines.query(`create role ${name} superuser login password '${url.password}'`)
  url.username = name
  const database = openDatabase({ url: url.href, poolSize: 1 })
  stage.undo(() => database.close())
  const readWal = async (): Promise<number> => {
    const { rows } = await stage.database.pools.machines.query<{ bytes: number }>(
      `select coalesce(sum(w.wal_bytes), 0)::float8 as bytes
       from pg_stat_activity a cross join lateral pg_stat_get_backend_wal(a.pid) w where a.usename = $1`,
      [name],
    )
    return rows[0]?.bytes ?? 0
  }
  return { database, readWal }
}
