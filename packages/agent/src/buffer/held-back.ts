// Results that the server cannot store for now, while it stores those of other checks. They wait in the buffer's database, after all that
// wait for their first upload. An agent of an older build takes them for such results, and sends them.
import { ASIDE_PREFIX, asideText } from './aside.ts'
import type { Kept, Operation, Store } from './buffer-store.ts'
import { readable } from './rejected.ts'

/** Sorts after the keys of all results that wait for their first upload, which are numbers. An older build sees a refused one. */
export const HELD_PREFIX = `${ASIDE_PREFIX}h`
const END = `${ASIDE_PREFIX}i`

type Readable = Pick<Store, 'iterator'>

/** The check that a stored result is about; undefined for one that disk damage made unreadable. */
export function checkOf(value: string): string | undefined {
  return (readable(value) as { check_guid?: string } | undefined)?.check_guid
}

/** Since when: the key says in microseconds when the result came. */
function storedOf({ key, value }: Kept): string {
  const since = Math.floor(Number(key.slice(HELD_PREFIX.length)) / 1000)
  return asideText({ value, since: Number.isFinite(since) ? since : 0, why: 'the server could not store the result' })
}

function valueIn(stored: string): string {
  return stored.slice(stored.indexOf('\n') + 1)
}

/** Knows which checks have such results, and hands the results out. Its methods return what must be written. */
export class HeldBack {
  /** How many results each check has here. */
  readonly #checks = new Map<string, number>()
  /** Not deleted on disk yet. */
  readonly #removed = new Set<string>()
  #size = 0
  #bytes = 0
  /** The last one that was handed out. */
  #last = HELD_PREFIX

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether a result is of a check that has some here: it goes after them. */
  isBehind(value: string): boolean {
    if (this.#checks.size === 0) return false
    return this.#checks.has(checkOf(value) ?? '')
  }

  /** Records one that is on disk, as it is there. */
  found(key: string, stored: string): void {
    this.#size += 1
    this.#bytes += Buffer.byteLength(key) + Buffer.byteLength(stored)
    const value = valueIn(stored)
    const check = checkOf(value) ?? ''
    this.#checks.set(check, (this.#checks.get(check) ?? 0) + 1)
  }

  put({ key, value }: Kept): Operation {
    const held = { key: `${HELD_PREFIX}${key}`, value }
    const stored = storedOf(held)
    this.found(held.key, stored)
    return { type: 'put', key: held.key, value: stored }
  }

  /** Undefined for one that was removed before. */
  remove({ key, value }: Kept): Operation | undefined {
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

  /** These are on disk. */
  written(operations: readonly Operation[]): void {
    for (const { type, key } of operations) if (type === 'del') this.#removed.delete(key)
  }

  /** The next ones: after those that were handed out last, and after the newest the oldest again. */
  async next(store: Readable, results_max: number, bytes_max: number): Promise<Kept[]> {
    let found = await this.#read(store, this.#last, { results_max, bytes_max })
    if (found.length === 0) found = await this.oldest(store, results_max, bytes_max)
    this.#last = found.at(-1)?.key ?? HELD_PREFIX
    return found
  }

  oldest(store: Readable, results_max: number, bytes_max: number): Promise<Kept[]> {
    return this.#read(store, HELD_PREFIX, { results_max, bytes_max })
  }

  async #read(
    store: Readable,
    gt: string,
    { results_max, bytes_max }: { results_max: number; bytes_max: number },
  ): Promise<Kept[]> {
    const found: Kept[] = []
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

/** Those for which something holds, and the others. */
export function parted(all: readonly Kept[], holds: (one: Kept, index: number) => boolean): [Kept[], Kept[]] {
  return [all.filter(holds), all.filter((one, index) => !holds(one, index))]
}
