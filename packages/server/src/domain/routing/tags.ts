// Reads the tags of checks and heartbeats, which routes can name.
import type { Transaction } from 'kysely'
import { listTagsOf } from '../../store/routing/subjects.ts'
import type { Tables } from '../../store/tables.ts'
import type { EventSubject } from './about.ts'

/** Returns the tags of each subject, by guid. Subjects without tags can be absent. */
export async function tagsOf(
  trx: Transaction<Tables>,
  org_id: number,
  subjects: readonly EventSubject[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await listTagsOf(
    trx,
    org_id,
    subjects.map(({ guid }) => guid),
  )
  return new Map(rows.map(({ guid, tags }) => [guid, tags]))
}
