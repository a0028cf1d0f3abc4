// The tags of checks and heartbeats, by which routes find them.
import type { Transaction } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import type { Named } from './about.ts'

/** The tags of each subject, by its guid. Those without any may be left out. */
export function tagsOf(
  _trx: Transaction<Tables>,
  _org_id: number,
  _subjects: readonly Named[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  return Promise.resolve(new Map())
}
