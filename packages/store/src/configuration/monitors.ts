// Locks the monitors of an organisation.
import type { Db } from '../database.ts'

/** Locks the row of a monitor until the transaction ends, so that no one else changes it. */
export async function lockMonitor(db: Db, org_id: number, id: string): Promise<void> {
  await db
    .selectFrom('monitors')
    .select('id')
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute()
}
