// Keeps results that the server cannot store for now, while it stores those of other checks. They wait in the buffer's database
// after all results that wait for their first upload. A previous version of the agent reads them as refused results, and sends
// them.
import { ASIDE_PREFIX, asideText } from './aside.ts'
import type { Operation, Store, StoredResult } from './buffer-store.ts'
import { readable } from './rejected.ts'

/**
 * Key prefix of held-back results. It sorts after the numeric keys of results that wait for their first upload. A previous
 * version reads it as the prefix of a refused result.
 */
export const HELD_PREFIX = `${ASIDE_PREFIX}h`
const END = `${ASIDE_PREFIX}i`

type Readable = Pick<Store, 'iterator'>

/** Returns the guid of the check of a stored result, or undefined if disk damage made the result unreadable. */
export function checkOf(value: string): string | undefined {
  return (readable(value) as { check_guid?: string } | undefined)?.check_guid
}

/** Returns the text to store, in the form of a refused result. Its `since` is the time of arrival, from the key. */
function storedOf({ key, value }: StoredResult): string {
  const since = Math.floor(Number(key.slice(HELD_PREFIX.length)) / 1000)
  return asideText({ value, since: Number.isFinite(since) ? since : 0, why: 'the server could not store the result' })
}

function valueIn(stored: string): string {
  return stored.slice(stored.indexOf('\n') + 1)
}

/** Index of the checks that have held-back results. Its methods return the operations that the caller must write. */
export class HeldBack {
  /** Number of held-back results of each check. */
  readonly #checks = new Map<string, number>()
  /** Keys of removed results that are not deleted on disk yet. */
  readonly #removed = new Set<string>()
  #size = 0
  #bytes = 0
  /** Key of the last result that `next` returned. */
  #last = HELD_PREFIX

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether the check of a result has held-back results, so that this result must follow them. */
  isBehind(value: string): boolean {
    if (this.#checks.size === 0) return false
    return this.#checks.has(checkOf(value) ?? '')
  }

  /** Adds a held-back result that is already on disk to the index. `stored` is its text there. */
  found(key: string, stored: string): void {
    this.#size += 1
    this.#bytes += Buffer.byteLength(key) + Buffer.byteLength(stored)
    const value = valueIn(stored)
    const check = checkOf(value) ?? ''
    this.#checks.set(check, (this.#checks.get(check) ?? 0) + 1)
  }

  put({ key, value }: StoredResult): Operation {
    const held = { key: `${HELD_PREFIX}${key}`, value }
    const stored = storedOf(held)
    this.found(held.key, stored)
    return { type: 'put', key: held.key, value: stored }
  }

  /** Removes a held-back result. Returns undefined if it was already removed. */
  remove({ key, value }: StoredResult): Operation | undefined {
    if (this.#removed.has(key)) return undefined
    this.#removed.add(key)
    this.#size -= 1
    this.#bytes -= Buffer.byteLength(key) + Buffer.byteLength(storedOf({ key, value }))
    const check = checkOf(value) ?? ''
    const left = (this.#checks.get(check) ?? 0) - 1
    if (left > 0) this.#checks.set(check, left)
    else this.#checks.delete(check)
    return { type: 'del', key }
  }

  /** Records that these operations, which the index returned earlier, are on disk now. */
  written(operations: readonly Operation[]): void {
    for (const { type, key } of operations) if (type === 'del') this.#removed.delete(key)
  }

  /** Returns the held-back results that follow those of the previous call. After the newest one, begins with the oldest again. */
  async next(store: Readable, results_max: number, bytes_max: number): Promise<StoredResult[]> {
    let found = await this.#read(store, this.#last, { results_max, bytes_max })
    if (found.length === 0) found = await this.oldest(store, results_max, bytes_max)
    this.#last = found.at(-1)?.key ?? HELD_PREFIX
    return found
  }

  oldest(store: Readable, results_max: number, bytes_max: number): Promise<StoredResult[]> {
    return this.#read(store, HELD_PREFIX, { results_max, bytes_max })
  }

  async #read(
    store: Readable,
    gt: string,
    { results_max, bytes_max }: { results_max: number; bytes_max: number },
  ): Promise<StoredResult[]> {
    const found: StoredResult[] = []
    if (this.#size === 0) return found
    let bytes = 0
    for await (const [key, stored] of store.iterator({ gt, lt: END, limit: results_max + this.#removed.size })) {
      if (this.#removed.has(key)) continue
      const value = valueIn(stored)
      bytes += Buffer.byteLength(value) + 1
      if (found.length > 0 && (bytes > bytes_max || found.length >= results_max)) break
      found.push({ key, value })
    }
    return found
  }
}

/** Splits results into those that meet a condition, and the others. */
export function partition(
  all: readonly StoredResult[],
  holds: (one: StoredResult, index: number) => boolean,
): [StoredResult[], StoredResult[]] {
  return [all.filter(holds), all.filter((one, index) => !holds(one, index))]
}
