// Reads what metrics say about checks in addition to their states.
import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import { inPartSql, type Part } from '../part.ts'
import { inBothForms, resultsText } from '../stored/results-of.ts'

const NEWEST = inBothForms(
  'certificates-of-results',
  (isSealed) => `
    select seen.check_id, wire_time(min(r.cert_expires_at)) as cert_expires_at
    from unnest($2::bigint[], $3::timestamptz[]) as seen(check_id, ran_at)
    cross join lateral (${resultsText(
      {
        columns: ['ran_at', 'cert_expires_at'],
        ...{ org: '$1', check: 'seen.check_id', from: 'seen.ran_at', until: 'seen.ran_at' },
        ...(isSealed && { known_from: '$4::timestamptz' }),
        where: 'r.ran_at = seen.ran_at',
      },
      isSealed,
    )}) r
    where r.cert_expires_at is not null group by seen.check_id`,
)

/** Lists the certificate expiry that a result of each check contains, by check. Omits checks whose result has none. */
export async function listCertificates(
  database: Database,
  org_id: number,
  seen: readonly { check_id: number; ran_at: string }[],
): Promise<Map<number, string>> {
  if (seen.length === 0) return new Map()
  const times = seen.map(({ ran_at }) => ran_at)
  const { isSealed, ...statement } = await NEWEST(database)
  const values = [org_id, seen.map(({ check_id }) => check_id), times, ...(isSealed ? [times.toSorted()[0]] : [])]
  const { rows } = await database.pools.machines.query<{ check_id: number; cert_expires_at: string }>({
    ...statement,
    values,
  })
  return new Map(rows.map(({ check_id, cert_expires_at }) => [check_id, cert_expires_at]))
}

export interface NamedCheck {
  check_id: number
  key: string | null
  tags: string[]
}

/** Filter for an organisation's checks. Without fields, it accepts all. */
export interface Some {
  tag?: string | undefined
  guid?: string | undefined
  part?: Part | undefined
}

/** Lists the keys and tags of an organisation's checks that pass a filter. */
export async function listKeysAndTags(db: Db, org_id: number, some: Some): Promise<NamedCheck[]> {
  return liveChecks(db, org_id, some).select(['check_id', 'key', 'tags']).execute()
}

/** Counts an organisation's checks that pass a filter. */
export async function countSome(db: Db, org_id: number, some: Some): Promise<number> {
  const { count } = await liveChecks(db, org_id, some)
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function liveChecks(db: Db, org_id: number, { tag, guid, part }: Some) {
  return db
    .selectFrom('checks')
    .where('org_id', '=', org_id)
    .where('deleted', '=', false)
    .$if(tag !== undefined, (query) => query.where(sql<boolean>`${tag}::text = any(tags)`))
    .$if(guid !== undefined, (query) => query.where('guid', '=', guid ?? ''))
    .$if(part !== undefined, (query) => (part ? query.where(inPartSql(part)) : query))
}
