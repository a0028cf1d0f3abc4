// Finds which of many scopes cover a check or heartbeat. Reads each scope once, whatever the number of checks and heartbeats.
import type { Pace } from '@dogwatch/runtime/pace'
import type { Scope, Subject } from '../routing/route.ts'

/** Number of an interned list of scopes. Equal lists that were built in the same order have the same number. */
type ListId = number

const EMPTY: ListId = 0

interface Link {
  before: ListId
  scope: number
}

/** Index of scopes that finds those that cover a subject, by its guid and tags. */
export class ScopeIndex {
  readonly #links: Link[] = [{ before: EMPTY, scope: -1 }]
  readonly #next = new Map<string, ListId>()
  #everything: ListId = EMPTY
  readonly #named: Readonly<Record<'tag' | Subject['kind'], Map<string, ListId>>> = {
    tag: new Map(),
    check: new Map(),
    heartbeat: new Map(),
  }

  /** Builds the index in as many steps as the scopes have names. */
  static async of(scopes: readonly Scope[], pace: Pace): Promise<ScopeIndex> {
    const index = new ScopeIndex()
    for (const [n, scope] of scopes.entries()) {
      if ('all' in scope) index.#everything = index.#after(index.#everything, n)
      else if ('tags' in scope) await index.#add('tag', scope.tags, n, pace)
      else {
        await index.#add('check', scope.checks, n, pace)
        await index.#add('heartbeat', scope.heartbeats, n, pace)
      }
      await pace.spend(1)
    }
    return index
  }

  /** Whether any scope covers the subject. */
  covers(subject: Subject): boolean {
    return this.listsOf(subject).length > 0
  }

  /**
   * Returns lists that together contain the scopes that cover the subject. Subjects with the same scopes mostly have the same
   * lists.
   */
  listsOf({ kind, guid, tags }: Subject): ListId[] {
    const lists = new Set([this.#everything, this.#named[kind].get(guid) ?? EMPTY])
    for (const tag of tags) lists.add(this.#named.tag.get(tag) ?? EMPTY)
    lists.delete(EMPTY)
    return [...lists].toSorted((a, b) => a - b)
  }

  /** Returns the positions of the scopes in a list. */
  scopesIn(list: ListId): number[] {
    const scopes: number[] = []
    for (let at = list; at !== EMPTY; at = (this.#links[at] as Link).before)
      scopes.push((this.#links[at] as Link).scope)
    return scopes
  }

  async #add(kind: 'tag' | Subject['kind'], names: readonly string[], scope: number, pace: Pace): Promise<void> {
    const lists = this.#named[kind]
    for (const name of names) {
      lists.set(name, this.#after(lists.get(name) ?? EMPTY, scope))
      await pace.spend(1)
    }
  }

  #after(before: ListId, scope: number): ListId {
    // A scope can contain a name twice, but needs only one link.
    if ((this.#links[before] as Link).scope === scope) return before
    const key = `${before} ${scope}`
    const known = this.#next.get(key)
    if (known !== undefined) return known
    const made = this.#links.push({ before, scope }) - 1
    this.#next.set(key, made)
    return made
  }
}
