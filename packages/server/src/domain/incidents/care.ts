// Which checks and heartbeats somebody takes care of, and which are muted, as lists show it.
import { fromDate } from '../../runtime/timestamps.ts'
import { type CareRow, listCare } from '../../store/routing/care.ts'
import type { Deps } from '../deps.ts'

export type Care = CareRow

/** By guid, of an organisation; nothing for the others. */
export async function readCare(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
): Promise<ReadonlyMap<string, Care>> {
  const rows = await listCare(database.people, org_id, fromDate(clock.now()))
  return new Map(rows.map((row) => [row.guid, row]))
}
