// Stores the keys by which clients of the configuration API name an organisation's checks, heartbeats, channels, routes
// and windows.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type KeyedKind = 'check' | 'heartbeat' | 'channel' | 'route' | 'window'

interface KeyedTable {
  table: string
  /** Column with the guid or id that the API shows. */
  id: string
  /** SQL condition for rows that people can see. Excludes deleted checks, whose rows remain for a while. */
  is_there: ReturnType<typeof sql<boolean>>
}

const ALWAYS = sql<boolean>`true`

const PLACES: Readonly<Record<KeyedKind, KeyedTable>> = {
  check: { table: 'checks', id: 'guid', is_there: sql<boolean>`not deleted` },
  heartbeat: { table: 'heartbeats', id: 'guid', is_there: ALWAYS },
  channel: { table: 'notification_channels', id: 'id', is_there: ALWAYS },
  route: { table: 'alert_routes', id: 'guid', is_there: ALWAYS },
  window: { table: 'maintenance_windows', id: 'guid', is_there: ALWAYS },
}

/** Finds the guids or ids of items of one kind by their keys. */
export async function listByKeys(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const { table, id, is_there } = PLACES[kind]
  const { rows } = await sql<{ key: string; id: string }>`
    select key, ${sql.ref(id)}::text as id from ${sql.table(table)}
    where org_id = ${org_id} and key = any(${[...keys]}::text[]) and key is not null and ${is_there}`.execute(db)
  return new Map(rows.map((row) => [row.key, row.id]))
}

/** Finds the keys of items by guid or id. Items without a key are absent. */
export async function listKeysOf(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { table, id, is_there } = PLACES[kind]
  const { rows } = await sql<{ key: string; id: string }>`
    select key, ${sql.ref(id)}::text as id from ${sql.table(table)}
    where org_id = ${org_id} and ${sql.ref(id)}::text = any(${[...ids]}::text[]) and key is not null and ${is_there}`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.id, row.key]))
}

/**
 * Stores the key of an item, or deletes it if the key is null. The caller must hold the lock of the organisation, and must know
 * that no other item has the key.
 */
export async function updateKey(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  { id, key }: { id: string; key: string | null },
): Promise<void> {
  const { table, id: column, is_there } = PLACES[kind]
  await sql`
    update ${sql.table(table)} set key = ${key}
    where org_id = ${org_id} and ${sql.ref(column)}::text = ${id} and ${is_there}`.execute(db)
}

/** Stores the keys of many items. Deletes all of their old keys first, because an item can get the old key of another. */
export async function updateKeys(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  given: readonly { id: string; key: string | null }[],
): Promise<void> {
  if (given.length === 0) return
  const { table, id: column, is_there } = PLACES[kind]
  const ids = given.map(({ id }) => id)
  await sql`
    update ${sql.table(table)} set key = null
    where org_id = ${org_id} and ${sql.ref(column)}::text = any(${ids}::text[]) and key is not null and ${is_there}`.execute(
    db,
  )
  await sql`
    update ${sql.table(table)} t set key = given.new_key
    from unnest(${ids}::text[], ${given.map(({ key }) => key)}::text[]) as given(its_id, new_key)
    where t.org_id = ${org_id} and t.${sql.ref(column)}::text = given.its_id and given.new_key is not null and ${is_there}`.execute(
    db,
  )
}

/** Locks items in the order of their ids. With `areDeleted`, the lock also prevents new references to them. */
export async function lockThings(
  db: Db,
  org_id: number,
  kind: 'heartbeat' | 'channel',
  { ids, areDeleted }: { ids: readonly string[]; areDeleted: boolean },
): Promise<void> {
  const { table, id } = PLACES[kind]
  const order = kind === 'heartbeat' ? 'heartbeat_id' : 'id'
  const lock = areDeleted ? sql`for update` : sql`for no key update`
  await sql`
    select from ${sql.table(table)} where org_id = ${org_id} and ${sql.ref(id)}::text = any(${[...ids]}::text[])
    order by ${sql.ref(order)} ${lock}`.execute(db)
}
