// Locks the monitors of an organisation.
import type { Db } from '../database.ts'

/** Locks a monitor against changes until the transaction ends. */
export async function lockMonitor(db: Db, org_id: number, id: string): Promise<void> {
  await db
    .selectFrom('monitors')
    .select('id')
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute()
}
