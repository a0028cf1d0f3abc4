// Whether an agent may still do what it asked for: the body of a request may take a minute to arrive, and its monitor may
// be reset, disabled or suspended meanwhile.
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { PREPARED } from './asking.ts'

export interface CallerKey {
  id: string
  key_hash: Buffer
}

/**
 * Whether the organisation of a monitor is suspended; `monitor`: what the statement calls it. A lookup by key: with `exists`, Postgres plans to
 * read all organisations. A monitor of the shared fleet has none.
 */
export const ofSuspended = (monitor: string): string =>
  `coalesce((select o.suspended_at is not null from organisations o where o.org_id = ${monitor}.org_id), false)`

/** Of a monitor `m`, whether its agent may do anything. */
export const IS_ALLOWED = `m.enabled and m.platform_enabled and not ${ofSuspended('m')}`

/** The condition for the statement that writes; `id` and `key`: its placeholders. */
export function isStillCaller(id: string, key: string): string {
  return `exists (select from monitors m where m.id = ${id} and m.key_hash = ${key} and ${IS_ALLOWED})`
}

/** Undefined when the key is no longer the monitor's. */
export async function findCaller(
  db: Db,
  { id, key_hash }: CallerKey,
): Promise<{ enabled: boolean; suspended: boolean } | undefined> {
  const { rows } = await sql<{ enabled: boolean; suspended: boolean }>`${sql.raw(PREPARED)}
    select m.enabled and m.platform_enabled as enabled, ${sql.raw(ofSuspended('m'))} as suspended
    from monitors m where m.id = ${id} and m.key_hash = ${key_hash}`.execute(db)
  return rows[0]
}
