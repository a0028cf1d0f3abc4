// Stores checks, and the guids that identify them across all organisations.
import { needsOf } from '@dogwatch/check-rules/abilities'
import { type CheckFields, FIELD_NAMES } from '@dogwatch/check-rules/fields'
import { type Selectable, sql, type Transaction } from 'kysely'
import { prepared } from '../builder-pool.ts'
import { type CheckKey, keyRows } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { inPartSql, type RowPart } from '../part.ts'
import type { Tables } from '../tables.ts'

export type CheckRow = CheckFields & { guid: string; check_id: number }

export const CONTENT = ['check_id', 'guid', ...FIELD_NAMES] as const

/** NOTIFY channel that announces, on commit, each change that agents must learn of. */
export const SYNC_CHANNEL = 'dogwatch_sync'

/**
 * Advances the sync clock, whose time all changes of this transaction get. Callers do this first, because locking the row of the
 * clock keeps transactions that change several tables in one order.
 */
export async function tick(db: Db): Promise<void> {
  await sql`select sync_tick()`.execute(db)
}

/** Reads the sync clock without waiting for a transaction that has locked it. */
export async function readSyncClock(db: Db): Promise<string> {
  const { rows } = await sql<{ t: string }>`select wire_time(t) as t from sync_clock`.execute(db)
  return rows[0]?.t ?? ''
}

/**
 * Advances the sync clock, and returns whether a check of the organisation or its monitors changed since the clock showed `since`.
 * Every change of a check stores the clock's time, and later commits store later times.
 */
export async function tickAfter(db: Db, org_id: number, since: string): Promise<boolean> {
  const { rows } = await sql<{ has_changed: boolean }>`
    with held as materialized (select changed_at from sync_clock for update)
    select changed_at > ${since}::timestamptz as has_changed, sync_tick() from held`.execute(db)
  if (rows[0]?.has_changed === false) return false
  const found = await sql`
    select from checks where org_id = ${org_id} and updated_at > ${since}::timestamptz limit 1`.execute(db)
  return found.rows.length > 0
}

const CONTENT_COLUMNS = sql.raw(CONTENT.join())

export async function listChecks(db: Db, org_id: number): Promise<CheckRow[]> {
  const { rows } = await prepared<CheckRow>`
    select ${CONTENT_COLUMNS} from checks where org_id = ${org_id} and not deleted order by check_id`.execute(db)
  return rows
}

/** Filter for the checks of an organisation. Absent fields match all checks. */
export interface CheckFilter {
  guid?: string | undefined
  guids?: readonly string[] | undefined
  tag?: string | undefined
  /** Guid of the check after which the list begins, in the order of creation. */
  after?: string | undefined
  part?: RowPart | undefined
}

/** Builds the query of an organisation's checks that pass a filter, without deleted ones. */
export function liveChecks(db: Db, org_id: number, { guid, guids, tag, after, part }: CheckFilter = {}) {
  return (
    db
      .selectFrom('checks')
      .where('org_id', '=', org_id)
      .where('deleted', '=', false)
      .$if(guid !== undefined, (query) => query.where('guid', '=', guid ?? ''))
      .$if(guids !== undefined, (query) => query.where('guid', '=', sql<string>`any(${[...(guids ?? [])]}::text[])`))
      .$if(tag !== undefined, (query) => query.where(sql<boolean>`${tag}::text = any(tags)`))
      .$if(part !== undefined, (query) => (part ? query.where(inPartSql(part)) : query))
      // The guid of a check that was deleted in the meantime still marks a position in the list.
      .$if(after !== undefined, (query) =>
        query.where(
          sql<boolean>`check_id > (select check_id from checks before where before.org_id = ${org_id} and before.guid = ${after})`,
        ),
      )
  )
}

/** Lists the checks of an organisation with these guids. */
export async function listChecksNamed(db: Db, org_id: number, guids: readonly string[]): Promise<CheckRow[]> {
  return liveChecks(db, org_id, { guids }).select(CONTENT).execute()
}

export async function findCheck(db: Db, org_id: number, guid: string): Promise<CheckRow | undefined> {
  return liveChecks(db, org_id, { guid }).select(CONTENT).executeTakeFirst()
}

/** Lists the keys and tags of an organisation's checks that pass a filter. */
export async function listKeysAndTags(
  db: Db,
  org_id: number,
  filter: CheckFilter,
): Promise<{ check_id: number; key: string | null; tags: string[] }[]> {
  return liveChecks(db, org_id, filter).select(['check_id', 'key', 'tags']).execute()
}

/** Fields of a definition that can contain secrets. */
export type SecretFields = Partial<Pick<CheckFields, 'url' | 'headers' | 'post_data' | 'proxy'>>

export interface SecretFieldsRow extends Required<SecretFields>, CheckKey {
  /** Earlier values of the fields that can contain secrets. */
  former: SecretFields[]
  /** Time before which results can quote definitions that are no longer stored. */
  withheld_before: string | null
  /**
   * Smallest limit, in characters, that the check has or had for details of responses in its results. Null if its results never
   * contained any.
   */
  cut_chars: number | null
}

/** Lists those fields of some checks that contain or contained secrets. */
export async function listSecretFields(db: Db, keys: readonly CheckKey[]): Promise<SecretFieldsRow[]> {
  const { rows } = await sql<SecretFieldsRow>`
    select c.org_id, c.check_id, c.url, c.headers, c.post_data, c.proxy,
      least(nullif(c.result_detail_max_chars, 0), c.least_detail_chars) as cut_chars,
      coalesce(f.former, '[]') as former, wire_time(f.withheld_before) as withheld_before
    from (select distinct * from ${keyRows(keys)}) k
    join checks c using (org_id, check_id)
    cross join lateral (
      select json_agg(json_strip_nulls(json_build_object('url', url, 'headers', headers, 'post_data', post_data, 'proxy', proxy)))
          filter (where num_nonnulls(url, headers, post_data, proxy) > 0) as former,
        -- Monitors learn of a change late, and clocks differ.
        max(replaced_at) filter (where num_nonnulls(url, headers, post_data, proxy) = 0) + interval '1 day' as withheld_before
      from former_secrets where org_id = c.org_id and check_id = c.check_id
    ) f`.execute(db)
  return rows
}

/** Returns whether a check is meant for all monitors. */
export async function findForAll(db: Db, org_id: number, check_id: number): Promise<boolean> {
  const row = await db
    .selectFrom('checks')
    .select('all_monitors')
    .where('org_id', '=', org_id)
    .where('check_id', '=', check_id)
    .executeTakeFirst()
  return row?.all_monitors === true
}

/** Counts an organisation's checks that pass a filter. */
export async function countChecks(db: Db, org_id: number, filter?: CheckFilter): Promise<number> {
  const { count } = await liveChecks(db, org_id, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Whether an organisation created more than `count` checks within a day, including checks that were deleted since. */
export async function hasMadeMoreThan(db: Db, org_id: number, count: number): Promise<boolean> {
  const row = await db
    .selectFrom('checks')
    .select((eb) => eb('created_at', '>', sql<string>`now() - interval '1 day'`).as('is_recent'))
    .where('org_id', '=', org_id)
    .orderBy('check_id', 'desc')
    .offset(count)
    .limit(1)
    .executeTakeFirst()
  return row?.is_recent === true
}

/**
 * Returns the total size in bytes of an organisation's definitions, as the JSON that agents receive. Reads only definitions
 * without a stored size.
 */
export async function sumDefinitionBytes(db: Db, org_id: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (
      (select coalesce(sum(definition_bytes), 0) from checks where org_id = ${org_id} and not deleted)
      + (select coalesce(sum(definition_bytes_of(url, match_string, post_data, headers, assertions)), 0) from checks
        where org_id = ${org_id} and not deleted and definition_bytes is null)
    )::float8 as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

/**
 * Measures and stores the size of some definitions without one, and returns their number. Does not count as a change for agents.
 */
export async function updateDefinitionBytes(trx: Transaction<Tables>, limit: number): Promise<number> {
  await sql`select set_config('dogwatch.is_measuring', 'yes', true)`.execute(trx)
  const { numAffectedRows } = await sql`
    update checks set definition_bytes = definition_bytes_of(url, match_string, post_data, headers, assertions)
    where (org_id, check_id) in (
      select org_id, check_id from checks where definition_bytes is null limit ${limit} for update skip locked)`.execute(
    trx,
  )
  return Number(numAffectedRows ?? 0)
}

/** Columns of a {@link CheckPlace}. */
export const PLACE = [
  'org_id',
  'check_id',
  'guid',
  'name',
  'deleted',
  'restricted',
  'all_monitors',
  'result_detail_max_chars',
] as const

export type CheckPlace = Pick<Selectable<Tables['checks']>, (typeof PLACE)[number]>

/** Lists the checks with these guids, of any organisation, including deleted ones. */
export async function listCheckPlaces(db: Db, guids: readonly string[]): Promise<CheckPlace[]> {
  return db
    .selectFrom('check_guids')
    .innerJoin('checks', (join) =>
      join.onRef('checks.org_id', '=', 'check_guids.org_id').onRef('checks.check_id', '=', 'check_guids.check_id'),
    )
    .select(PLACE.map((column) => `checks.${column}` as const))
    .where('check_guids.guid', '=', sql<string>`any(${[...guids]}::text[])`)
    .execute()
}

type CheckChange = Partial<CheckFields> & { deleted?: boolean; all_monitors?: boolean; key?: null }

/** Changes checks of an organisation in the same way. A change with a `url` must contain the whole definition. */
export async function updateChecksAlike(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  change: CheckChange,
): Promise<void> {
  if (check_ids.length === 0) return
  const { headers, assertions, ...rest } = change
  await db
    .updateTable('checks')
    .set({
      ...rest,
      ...(headers && { headers: JSON.stringify(headers) }),
      // Converts the list to JSON, because the driver would write it as an array of Postgres.
      ...(assertions && { assertions: JSON.stringify(assertions) }),
      ...(change.url !== undefined && { needs: needsOf(change) }),
    })
    .where('org_id', '=', org_id)
    .where('check_id', '=', sql<number>`any(${[...check_ids]}::bigint[])`)
    .execute()
}

/**
 * Lists the checks that a new monitor must run: those for all monitors of its organisation, or the unrestricted ones of every
 * organisation if it is shared.
 */
export async function listChecksForAll(db: Db, org_id: number | null): Promise<CheckPlace[]> {
  return db
    .selectFrom('checks')
    .select(PLACE)
    .where('all_monitors', '=', true)
    .where('deleted', '=', false)
    .$if(org_id !== null, (query) => query.where('org_id', '=', org_id as number))
    .$if(org_id === null, (query) => query.where('restricted', '=', false))
    .execute()
}
