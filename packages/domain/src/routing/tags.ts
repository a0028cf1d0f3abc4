// Reads the tags of checks and heartbeats, which routes can name.

import type { Trx } from '@dogwatch/store/database'
import { listTagsOf } from '@dogwatch/store/routing/subjects'
import type { EventSubject } from './about.ts'

/** Returns the tags of each subject, by guid. Subjects without tags can be absent. */
export async function tagsOf(
  trx: Trx,
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
