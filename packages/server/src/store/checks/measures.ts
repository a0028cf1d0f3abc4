// What metrics say of checks besides their states.
import type { Database, Db } from '../database.ts'

const NEWEST = {
  name: 'certificates-of-results',
  text: `
    select r.check_id, wire_time(min(r.cert_expires_at)) as cert_expires_at
    from unnest($2::bigint[], $3::timestamptz[]) as seen(check_id, ran_at)
    join results r on r.org_id = $1 and r.check_id = seen.check_id and r.ran_at = seen.ran_at
    where r.cert_expires_at is not null group by r.check_id`,
}

/** When the certificate expires that a result of each check saw, by check; checks whose result saw none are left out. */
export async function listCertificates(
  { pools }: Database,
  org_id: number,
  seen: readonly { check_id: number; ran_at: string }[],
): Promise<Map<number, string>> {
  const values = [org_id, seen.map(({ check_id }) => check_id), seen.map(({ ran_at }) => ran_at)]
  const { rows } = await pools.machines.query<{ check_id: number; cert_expires_at: string }>({ ...NEWEST, values })
  return new Map(rows.map(({ check_id, cert_expires_at }) => [check_id, cert_expires_at]))
}

export interface NamedCheck {
  check_id: number
  key: string | null
  tags: string[]
}

/** What clients call an org's checks. */
export async function listKeysAndTags(db: Db, org_id: number): Promise<NamedCheck[]> {
  return db
    .selectFrom('checks')
    .select(['check_id', 'key', 'tags'])
    .where('org_id', '=', org_id)
    .where('deleted', '=', false)
    .execute()
}
