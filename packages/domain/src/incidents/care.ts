// Reads which checks and heartbeats are acknowledged or muted, for lists.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type CareRow, listCare } from '@dogwatch/store/routing/care'
import type { Deps } from '../deps.ts'

export type Care = CareRow

/** Returns the acknowledgement and mute of each check and heartbeat that has one, by guid. */
export async function readCare(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
): Promise<ReadonlyMap<string, Care>> {
  const rows = await listCare(database.people, org_id, fromDate(clock.now()))
  return new Map(rows.map((row) => [row.guid, row]))
}
