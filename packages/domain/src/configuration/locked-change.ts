// Changes single items of the configuration API, each under the locks of its organisation.

import type { Trx } from '@dogwatch/store/database'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { type Input, type Kind, requireVersion } from './kind.ts'
import { together } from './together.ts'

/** An item to change. */
export interface ChangedItem {
  reference: string
  /** Version of the item that the caller knows. Undefined accepts any version. */
  expected?: string | undefined
}

/** Functions that differ between kinds. `Locked`: type of items that can be changed. */
interface LockableKind<Thing, Locked extends Thing> extends Pick<Kind<Thing>, 'idOf' | 'versionOf'> {
  /** Locks everything that a change of an item needs, and reads the item. Throws DomainError if there is no such item. */
  lock(inner: Deps, trx: Trx, org_id: number, reference: string): Promise<Locked>
  /** Reads an item that was changed in the same transaction. */
  readChanged(inner: Deps, org_id: number, id: string): Promise<Thing>
  removeOne(inner: Deps, by: Editor, before: Locked): Promise<void>
}

/** Returns operations that lock an item, and refuse a version other than the expected one. */
export function lockedChanges<Thing, Locked extends Thing = Thing>(kind: LockableKind<Thing, Locked>) {
  const { lock, idOf, versionOf } = kind
  const underLocks = <Result>(
    deps: Deps,
    { org_id }: Editor,
    { reference, expected }: ChangedItem,
    work: (inner: Deps, before: Locked) => Promise<Result>,
  ): Promise<Result> =>
    together(deps, async (inner, trx) => {
      const before = await lock(inner, trx, org_id, reference)
      requireVersion(versionOf(before), expected)
      return work(inner, before)
    })
  return {
    idOf,
    versionOf,
    /** Changes an item by `apply`, and returns the item as it is then. */
    changeBy: (
      deps: Deps,
      by: Editor,
      changed: ChangedItem,
      apply: (inner: Deps, before: Locked) => Promise<void>,
    ): Promise<Thing> =>
      underLocks(deps, by, changed, async (inner, before) => {
        await apply(inner, before)
        return kind.readChanged(inner, by.org_id, idOf(before))
      }),
    remove: (deps: Deps, by: Editor, reference: string, expected: string | undefined): Promise<string> =>
      underLocks(deps, by, { reference, expected }, async (inner, before) => {
        await kind.removeOne(inner, by, before)
        return idOf(before)
      }),
  }
}

/** Returns `replace` and `change` of a kind. `edit` sets all fields, and `merge` returns them for a change of some fields. */
export function editsBy<Thing>(
  edit: (deps: Deps, by: Editor, changed: ChangedItem, wholeOf: (before: Thing) => Input) => Promise<Thing>,
  merge: (before: Thing, input: Input) => Input,
): Required<Pick<Kind<Thing>, 'replace' | 'change'>> {
  return {
    replace: (deps, by, reference, { input, expected }) => edit(deps, by, { reference, expected }, () => input),
    change: (deps, by, reference, { input, expected }) =>
      edit(deps, by, { reference, expected }, (before) => merge(before, input)),
  }
}
