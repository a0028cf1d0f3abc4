// What all parts of the bench share.
import type { Database } from '../../../packages/server/dist/store/database.js'
import type { Meter } from '../../lab/cpu.ts'

export interface Ground {
  database: Database
  meter: Meter
  checks: number
  /** Bytes of the log since it began. */
  log(): Promise<number>
}

export async function logOf({ pools }: Database): Promise<number> {
  const { rows } = await pools.machines.query<{ bytes: number }>(
    `select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`,
  )
  return rows[0]?.bytes ?? 0
}
