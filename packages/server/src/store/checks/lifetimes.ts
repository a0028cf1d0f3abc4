// Stores the lifetimes of the certificates that monitors see.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Stores for checks of a monitor, by guid, the lifetime of their certificate in days. */
export async function updateLifetimes(db: Db, monitor_id: string, days: ReadonlyMap<string, number>): Promise<void> {
  const guids = [...days.keys()].filter((guid) => guid.isWellFormed() && !guid.includes('\0'))
  await sql`
    update assignments a set cert_lifetime_days = g.days
    from unnest(${guids}::text[], ${guids.map((guid) => days.get(guid))}::integer[]) as g(guid, days)
    where a.monitor_id = ${monitor_id} and a.guid = g.guid and a.cert_lifetime_days is distinct from g.days`.execute(db)
}
