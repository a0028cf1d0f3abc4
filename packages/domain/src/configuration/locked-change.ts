// Changes one item of the configuration API under the locks of its organisation.

import type { Trx } from '@dogwatch/store/database'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { type Kind, requireVersion } from './kind.ts'
import { together } from './together.ts'

/** An item to change, and the version that the caller knows. */
export interface ChangedItem {
  reference: string
  /** Version of the item that the caller knows. Undefined accepts any version. */
  expected?: string | undefined
}

export interface LockableKind<Thing> extends Pick<Kind<Thing>, 'versionOf'> {
  /** Locks everything that a change of an item needs, and reads the item. Throws DomainError if there is no such item. */
  lock(inner: Deps, trx: Trx, org_id: number, reference: string): Promise<Thing>
}

/** Locks an item and runs work on it. Refuses a version other than the expected one. */
export function underLocks<Thing, Result>(
  { lock, versionOf }: LockableKind<Thing>,
  deps: Deps,
  { org_id }: Editor,
  { reference, expected }: ChangedItem,
  work: (inner: Deps, before: Thing) => Promise<Result>,
): Promise<Result> {
  return together(deps, async (inner, trx) => {
    const before = await lock(inner, trx, org_id, reference)
    requireVersion(versionOf(before), expected)
    return work(inner, before)
  })
}
