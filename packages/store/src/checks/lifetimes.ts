// Stores the lifetimes of the certificates that monitors see.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Stores for checks of a monitor, by guid, the lifetime of their certificate in seconds. */
export async function updateLifetimes(db: Db, monitor_id: string, secs: ReadonlyMap<string, number>): Promise<void> {
  const guids = [...secs.keys()].filter((guid) => guid.isWellFormed() && !guid.includes('\0'))
  // The copies of the rules in assignments follow the number of days.
  await sql`
    update assignments a set cert_lifetime_sec = g.sec, cert_lifetime_days = ceil(g.sec / 86400.0)
    from unnest(${guids}::text[], ${guids.map((guid) => secs.get(guid))}::bigint[]) as g(guid, sec)
    where a.monitor_id = ${monitor_id} and a.guid = g.guid and a.cert_lifetime_sec is distinct from g.sec`.execute(db)
}
