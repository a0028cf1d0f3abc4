// Keeps results that the server refused. They wait in the buffer's database, after all other results, until the agent sends them
// again.
import type { Operation, Store, StoredResult } from './buffer-store.ts'

/** A result that the server refused, and that waits until the agent sends it again. */
export interface Aside extends StoredResult {
  /** Time at which the server first refused the result, in milliseconds since the Unix epoch. */
  since: number
  why: string
}

/** Key prefix of refused results. It sorts after the keys of results that wait for their first upload, which are numbers. */
export const ASIDE_PREFIX = 'r'

const BYTES_MAX = 16 * 1024 * 1024

/**
 * Index of the refused results, in the order of their next upload. Its methods return database operations that the caller must
 * write.
 */
export class AsideIndex {
  /** Size of each refused result in bytes, by its key, in the order of the keys. */
  readonly #sizes = new Map<string, number>()
  /** Texts of refused results that are not on disk yet, by key. */
  readonly #unwritten = new Map<string, string>()
  readonly #bytes_max: number
  #bytes = 0

  constructor(bytes_max = BYTES_MAX) {
    this.#bytes_max = bytes_max
  }

  get size(): number {
    return this.#sizes.size
  }

  get isOverfull(): boolean {
    return this.#bytes > this.#bytes_max
  }

  /** Adds a refused result that is already on disk to the index. */
  found(key: string, stored: string): void {
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(stored)
    this.#sizes.set(key, bytes)
    this.#bytes += bytes
  }

  /** Adds a refused result at the end of the queue. */
  put(key: string, { value, since, why }: Omit<Aside, 'key'>): Operation {
    const stored = asideText({ value, since, why })
    this.found(key, stored)
    this.#unwritten.set(key, stored)
    return { type: 'put', key, value: stored }
  }

  remove(key: string): Operation {
    this.#bytes -= this.#sizes.get(key) ?? 0
    this.#sizes.delete(key)
    this.#unwritten.delete(key)
    return { type: 'del', key }
  }

  /** Records that these operations, which the index returned earlier, are on disk now. */
  written(operations: readonly Operation[]): void {
    for (const { key } of operations) this.#unwritten.delete(key)
  }

  /** Returns the refused result at the head of the queue, or undefined if there is none. */
  async first(store: Pick<Store, 'iterator'>): Promise<Aside | undefined> {
    const [key] = this.#sizes.keys()
    if (key === undefined) return undefined
    const unwritten = this.#unwritten.get(key)
    if (unwritten !== undefined) return read(key, unwritten)
    for await (const [found, stored] of store.iterator({ gte: key, lte: key })) return read(found, stored)
    return undefined
  }
}

/** Returns the text that the database stores for a refused result. */
export function asideText({ value, since, why }: Omit<Aside, 'key'>): string {
  return `${JSON.stringify({ since, why })}\n${value}`
}

function read(key: string, stored: string): Aside {
  const end = stored.indexOf('\n')
  const value = stored.slice(end + 1)
  try {
    return { key, value, ...(JSON.parse(stored.slice(0, end)) as Pick<Aside, 'since' | 'why'>) }
  } catch {
    return { key, value, since: 0, why: 'unknown' }
  }
}
