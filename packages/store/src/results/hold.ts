// Keeps results where they are while they are changed or deleted.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { awaitSteps, readSealedBoundary } from './nodes/layout.ts'

/**
 * Keeps all results of an organisation in their tables until the transaction ends, so that a change or deletion finds each row
 * before or after its move. Costs nothing before sealing begins.
 */
export async function holdResultsInPlace(trx: Db, org_id: number): Promise<void> {
  if (!(await readSealedBoundary(trx))) return
  const { rows } = await sql`select 1 from seal_progress where is_on or isfinite(sealed_until) for share`.execute(trx)
  if (rows.length > 0) await awaitSteps(trx, [org_id])
}
