// Implements the operations on kinds of which an organisation has few items: routes and maintenance windows.
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import type { Db } from '@dogwatch/store/database'
import type { Actor } from '../audit/record.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { changedKey, listKeysOf, readKey, requireKeyFree, resolveReference, setKey } from './keys.ts'
import { type Input, type Kind, type Page, unknownCursor, type VersionedInput } from './kind.ts'
import { type ChangedItem, type LockableKind, underLocks } from './locked-change.ts'
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

/** Operations on a kind, and further ones for its handlers. */
export class ListedKind<Item extends { guid: string }, Edited, Wire extends object>
  implements Kind<KeyedItem<Item>, Wire>
{
  readonly name: 'route' | 'window'
  readonly derived: readonly string[]
  readonly toWire: (thing: KeyedItem<Item>) => Wire
  readonly versionOf: (thing: KeyedItem<Item>) => string
  readonly #kind: ListedItems<Item, Edited, Wire>
  readonly #lockable: LockableKind<KeyedItem<Item>>

  constructor(kind: ListedItems<Item, Edited, Wire>) {
    const { name, derived, toWire, versionOf } = kind
    this.name = name
    this.derived = derived
    this.toWire = toWire
    this.versionOf = versionOf
    this.#kind = kind
    this.#lockable = {
      versionOf,
      lock: async (inner, trx, org_id, reference) => {
        await lockOrganisation(trx, org_id)
        return this.#readStored(inner, org_id, reference)
      },
    }
  }

  idOf({ item }: KeyedItem<Item>): string {
    return item.guid
  }

  async withKeys(db: Db, org_id: number, items: readonly Item[]): Promise<KeyedItem<Item>[]> {
    const guids = items.map(({ guid }) => guid)
    const keys = await listKeysOf(db, org_id, this.name, guids)
    return items.map((item) => ({ item, key: keys.get(item.guid) ?? null }))
  }

  async list(deps: Deps, org_id: number, { limit, after }: Page) {
    const items = await this.#kind.readAll(deps, org_id)
    const at = after === undefined ? 0 : items.findIndex(({ guid }) => guid === after) + 1
    if (after !== undefined && at === 0) throw unknownCursor()
    const page = items.slice(at, at + limit)
    const things = await this.withKeys(deps.database.people, org_id, page)
    return { things, next: at + limit < items.length ? page.at(-1)?.guid : undefined }
  }

  async read(deps: Deps, org_id: number, reference: string): Promise<KeyedItem<Item>> {
    const guid = await resolveReference(deps.database.people, org_id, this.name, reference)
    const item = (await this.#kind.readAll(deps, org_id)).find((one) => one.guid === guid)
    return this.#withKey(deps, org_id, item ?? (await this.#kind.readOne(deps, org_id, guid)))
  }

  create(deps: Deps, by: Editor, input: Input): Promise<KeyedItem<Item>> {
    const { org_id, actor } = by
    const key = readKey(input) ?? null
    return together(deps, async (inner, trx) => {
      await lockOrganisation(trx, org_id)
      await requireKeyFree(trx, org_id, this.name, { key })
      const { guid } = await this.#kind.createOne(inner, org_id, await this.#contentOf(trx, org_id, input), actor)
      await setKey(trx, org_id, this.name, { id: guid, key })
      return this.#readStored(inner, org_id, guid)
    })
  }

  replace(deps: Deps, by: Editor, reference: string, { input, expected }: VersionedInput) {
    return this.#change(deps, by, { reference, expected }, (inner, before) =>
      this.#edit(inner, by, before, input, input),
    )
  }

  change(deps: Deps, by: Editor, reference: string, { input, expected }: VersionedInput) {
    return this.#change(deps, by, { reference, expected }, (inner, before) =>
      this.#edit(inner, by, before, input, { ...this.toWire(before), ...input }),
    )
  }

  /** Changes an item by `apply`, and returns the item as it is then. */
  changeBy(
    deps: Deps,
    by: Editor,
    reference: string,
    apply: (inner: Deps, key: ItemKey) => Promise<void>,
  ): Promise<KeyedItem<Item>> {
    return this.#change(deps, by, { reference }, (inner, { item: { guid } }) =>
      apply(inner, { org_id: by.org_id, guid }),
    )
  }

  remove(deps: Deps, by: Editor, reference: string, expected: string | undefined): Promise<string> {
    return underLocks(this.#lockable, deps, by, { reference, expected }, async (inner, { item: { guid } }) => {
      await this.#kind.removeOne(inner, { org_id: by.org_id, guid }, by.actor)
      return guid
    })
  }

  async #withKey({ database }: Deps, org_id: number, item: Item): Promise<KeyedItem<Item>> {
    const [found] = await this.withKeys(database.people, org_id, [item])
    return found as KeyedItem<Item>
  }

  async #readStored(deps: Deps, org_id: number, reference: string): Promise<KeyedItem<Item>> {
    const guid = await resolveReference(deps.database.people, org_id, this.name, reference)
    return this.#withKey(deps, org_id, await this.#kind.readOne(deps, org_id, guid))
  }

  async #contentOf(db: Db, org_id: number, input: Input, before?: Item): Promise<Edited> {
    return this.#kind.contentOf(await lookUp(db, org_id, this.#kind.namedIn(input)), input, before)
  }

  #change(
    deps: Deps,
    by: Editor,
    changed: ChangedItem,
    apply: (inner: Deps, before: KeyedItem<Item>) => Promise<void>,
  ): Promise<KeyedItem<Item>> {
    return underLocks(this.#lockable, deps, by, changed, async (inner, before) => {
      await apply(inner, before)
      return this.#readStored(inner, by.org_id, before.item.guid)
    })
  }

  /** Edits an item. `content`: all fields that it will have. */
  async #edit(
    inner: Deps,
    { org_id, actor }: Editor,
    { item, key: held }: KeyedItem<Item>,
    input: Input,
    content: Input,
  ): Promise<void> {
    const { people } = inner.database
    const key = readKey(input)
    await setKey(people, org_id, this.name, { id: item.guid, key })
    const wanted = await this.#contentOf(people, org_id, content, item)
    await this.#kind.editOne(inner, { org_id, guid: item.guid }, wanted, actor, changedKey(held, key))
  }
}
