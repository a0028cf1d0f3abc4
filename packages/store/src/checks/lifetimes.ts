// Stores the lifetimes of the certificates that monitors see.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Stores how long the certificate of each check is valid in total, in seconds by guid, as a monitor sees it. */
export async function updateLifetimes(db: Db, monitor_id: string, secs: ReadonlyMap<string, number>): Promise<void> {
  const guids = [...secs.keys()].filter((guid) => guid.isWellFormed() && !guid.includes('\0'))
  // Also stores the lifetime in days. A trigger then copies the rules of the check to the assignment.
  await sql`
    update assignments a set cert_lifetime_sec = g.sec, cert_lifetime_days = ceil(g.sec / 86400.0)
    from unnest(${guids}::text[], ${guids.map((guid) => secs.get(guid))}::bigint[]) as g(guid, sec)
    where a.monitor_id = ${monitor_id} and a.guid = g.guid and a.cert_lifetime_sec is distinct from g.sec`.execute(db)
}
