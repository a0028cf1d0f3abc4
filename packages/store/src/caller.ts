// Checks whether an agent may still do what it requested: the body of a request can take a minute to arrive, and in the meantime
// its monitor can be reset, disabled or suspended.
import { sql } from 'kysely'
import { PREPARED } from './asking.ts'
import type { Db } from './database.ts'

export interface CallerKey {
  id: string
  key_hash: Buffer
}

/**
 * Returns the SQL condition that the organisation of a monitor is suspended; false for the shared fleet. `monitor` is the alias of
 * the monitors' table. Looks the organisation up by key, because with `exists`, Postgres would read all of them.
 */
export const ofSuspended = (monitor: string): string =>
  `coalesce((select o.suspended_at is not null from organisations o where o.org_id = ${monitor}.org_id), false)`

/** SQL condition that a monitor `m` is enabled, without a suspension of its organisation. */
export const IS_ALLOWED = `m.enabled and m.platform_enabled and not ${ofSuspended('m')}`

/**
 * Returns the SQL condition that a monitor is allowed and still has a key, for statements that write. `id` and `key` are
 * placeholders.
 */
export function stillCallerSql(id: string, key: string): string {
  return `exists (select from monitors m where m.id = ${id} and m.key_hash = ${key} and ${IS_ALLOWED})`
}

/**
 * Finds whether the monitor of a request is enabled or suspended. Returns undefined if the key no longer belongs to the monitor.
 */
export async function findCaller(
  db: Db,
  { id, key_hash }: CallerKey,
): Promise<{ enabled: boolean; suspended: boolean } | undefined> {
  const { rows } = await sql<{ enabled: boolean; suspended: boolean }>`${sql.raw(PREPARED)}
    select m.enabled and m.platform_enabled as enabled, ${sql.raw(ofSuspended('m'))} as suspended
    from monitors m where m.id = ${id} and m.key_hash = ${key_hash}`.execute(db)
  return rows[0]
}
