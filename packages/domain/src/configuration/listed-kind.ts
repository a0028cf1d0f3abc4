// Implements the operations on kinds of which an organisation has few items: routes and maintenance windows.
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import type { Db } from '@dogwatch/store/database'
import type { Actor } from '../audit/record.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { changedKey, listKeysOf, readKey, requireKeyFree, resolveReference, setKey } from './keys.ts'
import { type Input, type Kind, type Page, unknownCursor } from './kind.ts'
import { editsBy, lockedChanges } from './locked-change.ts'
import { lookUp, type ReferencesByKind, type ResolvedReferences } from './references.ts'
import { together } from './together.ts'

/** An item with its key. */
export interface KeyedItem<Item> {
  item: Item
  key: string | null
}

interface ItemKey {
  org_id: number
  guid: string
}

/** Functions that differ between the kinds. `Edited` has the fields that people set. */
interface ListedItems<Item, Edited, Wire extends object>
  extends Pick<Kind<KeyedItem<Item>, Wire>, 'derived' | 'toWire' | 'versionOf'> {
  name: 'route' | 'window'
  /** Reads all items, in the order of their pages. */
  readAll(deps: Deps, org_id: number): Promise<Item[]>
  /** Reads one item as it is stored. Throws DomainError of kind `missing` if the organisation does not have it. */
  readOne(deps: Deps, org_id: number, guid: string): Promise<Item>
  createOne(deps: Deps, org_id: number, wanted: Edited, by?: Actor): Promise<{ guid: string }>
  /** Edits an item. `also`: names of other changes, for the audit log. */
  editOne(deps: Deps, key: ItemKey, wanted: Edited, by: Actor | undefined, also: readonly string[]): Promise<void>
  removeOne(deps: Deps, key: ItemKey, by?: Actor): Promise<void>
  /** Returns the references in a body. */
  namedIn(input: Input): ReferencesByKind
  /** Returns all fields of the item that a body describes. `known`: items that the body names. */
  contentOf(known: ResolvedReferences, input: Input, before?: Item): Edited
}

/** Returns the operations on a kind, and further ones for its handlers. */
export function listedKind<Item extends { guid: string }, Edited, Wire extends object>(
  kind: ListedItems<Item, Edited, Wire>,
) {
  const { name, derived, toWire, versionOf } = kind
  const reads = readsOf(kind)
  const contentOf = async (db: Db, org_id: number, input: Input, before?: Item): Promise<Edited> =>
    kind.contentOf(await lookUp(db, org_id, kind.namedIn(input)), input, before)
  const changes = lockedChanges<KeyedItem<Item>>({
    idOf: ({ item }) => item.guid,
    versionOf,
    async lock(inner, trx, org_id, reference) {
      await lockOrganisation(trx, org_id)
      return reads.readStored(inner, org_id, reference)
    },
    readChanged: reads.readStored,
    removeOne: (inner, { org_id, actor }, { item: { guid } }) => kind.removeOne(inner, { org_id, guid }, actor),
  })
  const edits = editsBy<KeyedItem<Item>>(
    (deps, by, changed, wholeOf) =>
      changes.changeBy(deps, by, changed, async (inner, before) => {
        const { people } = inner.database
        const key = { org_id: by.org_id, guid: before.item.guid }
        const input = wholeOf(before)
        const given = readKey(input)
        await setKey(people, by.org_id, name, { id: key.guid, key: given })
        const wanted = await contentOf(people, by.org_id, input, before.item)
        await kind.editOne(inner, key, wanted, by.actor, changedKey(before.key, given))
      }),
    (before, input) => ({ ...toWire(before), key: undefined, ...input }),
  )
  const create = (deps: Deps, { org_id, actor }: Editor, input: Input): Promise<KeyedItem<Item>> => {
    const key = readKey(input) ?? null
    return together(deps, async (inner, trx) => {
      await lockOrganisation(trx, org_id)
      await requireKeyFree(trx, org_id, name, { key })
      const { guid } = await kind.createOne(inner, org_id, await contentOf(trx, org_id, input), actor)
      await setKey(trx, org_id, name, { id: guid, key })
      return reads.readStored(inner, org_id, guid)
    })
  }
  return { name, derived, toWire, ...reads, create, ...changes, ...edits }
}

/** Returns the operations that read items with their keys. */
function readsOf<Item extends { guid: string }>({
  name,
  readAll,
  readOne,
}: Pick<ListedItems<Item, unknown, object>, 'name' | 'readAll' | 'readOne'>) {
  const withKeys = async (db: Db, org_id: number, items: readonly Item[]): Promise<KeyedItem<Item>[]> => {
    const guids = items.map(({ guid }) => guid)
    const keys = await listKeysOf(db, org_id, name, guids)
    return items.map((item) => ({ item, key: keys.get(item.guid) ?? null }))
  }
  const withKey = async ({ database }: Deps, org_id: number, item: Item): Promise<KeyedItem<Item>> => {
    const [found] = await withKeys(database.people, org_id, [item])
    return found as KeyedItem<Item>
  }
  return {
    withKeys,
    async list(deps: Deps, org_id: number, { limit, after }: Page) {
      const items = await readAll(deps, org_id)
      const at = after === undefined ? 0 : items.findIndex(({ guid }) => guid === after) + 1
      if (after !== undefined && at === 0) throw unknownCursor()
      const page = items.slice(at, at + limit)
      const things = await withKeys(deps.database.people, org_id, page)
      return { things, next: at + limit < items.length ? page.at(-1)?.guid : undefined }
    },
    async read(deps: Deps, org_id: number, reference: string): Promise<KeyedItem<Item>> {
      const guid = await resolveReference(deps.database.people, org_id, name, reference)
      const item = (await readAll(deps, org_id)).find((one) => one.guid === guid)
      return withKey(deps, org_id, item ?? (await readOne(deps, org_id, guid)))
    },
    /** Reads an item as it is stored. */
    async readStored(deps: Deps, org_id: number, reference: string): Promise<KeyedItem<Item>> {
      const guid = await resolveReference(deps.database.people, org_id, name, reference)
      return withKey(deps, org_id, await readOne(deps, org_id, guid))
    },
  }
}
