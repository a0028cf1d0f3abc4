// Stores whether this server has an owner, and the links that make a person the owner.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Maximum number of set-up links that work at the same time: one for each web process, and for its restarts. */
const MOST_LINKS = 20

export interface SetUpState {
  is_done: boolean
  /** Organisation that the built-in monitor joins. */
  first_org_id: number | null
}

export async function findSetUpState(db: Db): Promise<SetUpState> {
  const row = await db.selectFrom('server_set_up').select(['done_at', 'first_org_id']).executeTakeFirstOrThrow()
  return { is_done: row.done_at !== null, first_org_id: row.first_org_id }
}

export interface SetUpLink {
  token_hash: Buffer
  created_at: string
  expires_at: string
  /** Host and port of the process that prints the link. */
  printed_by: string
}

/**
 * Stores a set-up link, and deletes earlier links of the same process and the oldest links beyond the limit. Returns false and
 * stores nothing if the set-up is done.
 */
export async function insertSetUpLink(
  db: Db,
  { token_hash, created_at, expires_at, printed_by }: SetUpLink,
): Promise<boolean> {
  const { rows } = await sql<{ is_stored: boolean }>`
    with stored as (
      insert into set_up_links (token_hash, created_at, expires_at, printed_by)
      select ${token_hash}, ${created_at}::timestamptz, ${expires_at}::timestamptz, ${printed_by}
      from server_set_up where done_at is null
      returning token_hash
    ), dropped as (
      delete from set_up_links where printed_by = ${printed_by} or token_hash in (
        select token_hash from set_up_links order by created_at desc, token_hash offset ${MOST_LINKS - 1}
      )
    )
    select exists (select from stored) as is_stored`.execute(db)
  return rows[0]?.is_stored === true
}

export async function hasSetUpLink(db: Db, token_hash: Buffer, now: string): Promise<boolean> {
  const { rows } = await sql<{ is_open: boolean }>`
    select exists (
      select from set_up_links l, server_set_up s
      where l.token_hash = ${token_hash} and l.expires_at > ${now}::timestamptz and s.done_at is null
    ) as is_open`.execute(db)
  return rows[0]?.is_open === true
}

/**
 * Ends the set-up if the link is valid. If several processes try at once, one succeeds: the others wait for its transaction, and
 * then find the set-up done.
 */
export async function updateSetUpByLink(db: Db, token_hash: Buffer, now: string): Promise<boolean> {
  const { rows } = await sql<{ is_the_one: boolean }>`
    update server_set_up set done_at = ${now}::timestamptz
    where done_at is null
      and exists (
        select from set_up_links where token_hash = ${token_hash} and expires_at > ${now}::timestamptz
      )
    returning is_the_one`.execute(db)
  return rows.length === 1
}

export async function updateFirstOrganisation(db: Db, first_org_id: number): Promise<void> {
  await db.updateTable('server_set_up').set({ first_org_id }).execute()
}

/** Ends the set-up because an operator creates the first organisation. Returns false if the set-up is already done. */
export async function updateSetUpByOperator(db: Db, done_at: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('server_set_up')
    .set({ done_at })
    .where('done_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteSetUpLinks(db: Db): Promise<void> {
  await db.deleteFrom('set_up_links').execute()
}
