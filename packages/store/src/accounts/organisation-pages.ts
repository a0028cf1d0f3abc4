// Finds organisations for the Admin pages.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface FoundOrganisation {
  org_id: number
  name: string
  plan: string
  owner_email: string | null
  checks: number
  heartbeats: number
  channels: number
  members: number
  monitors: number
}

/**
 * Finds organisations whose name or owner's address contains the text, or whose id equals it. Newest first. With `before`, finds
 * only older ones.
 */
export async function searchOrganisations(
  db: Db,
  text: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<FoundOrganisation[]> {
  const { rows } = await sql<FoundOrganisation>`
    select o.org_id, o.name, o.plan, p.email as owner_email,
      (select count(*) from checks c where c.org_id = o.org_id and not c.deleted) as checks,
      (select count(*) from heartbeats h where h.org_id = o.org_id) as heartbeats,
      (select count(*) from notification_channels n where n.org_id = o.org_id) as channels,
      (select count(*) from memberships m where m.org_id = o.org_id) as members,
      (select count(*) from monitors m where m.org_id = o.org_id and m.retired_at is null) as monitors
    from organisations o
    left join memberships w on w.org_id = o.org_id and w.is_owner
    left join people p on p.person_id = w.person_id
    where (strpos(lower(o.name), ${text.toLowerCase()}) > 0 or strpos(lower(p.email), ${text.toLowerCase()}) > 0
      or o.org_id::text = ${text}) and (${before ?? null}::bigint is null or o.org_id < ${before ?? null}::bigint)
    order by o.org_id desc limit ${limit}`.execute(db)
  return rows
}

/** Finds the oldest organisation that an admin of this server owns. */
export async function findOrganisationOfAdmin(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('memberships')
    .innerJoin('people', 'people.person_id', 'memberships.person_id')
    .select('memberships.org_id')
    .where('memberships.is_owner', '=', true)
    .where('people.is_admin', '=', true)
    .orderBy('memberships.org_id')
    .limit(1)
    .executeTakeFirst()
  return row?.org_id
}
