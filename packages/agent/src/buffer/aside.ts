// Results that the server refused. They wait in the buffer's database, behind all others, to be offered again.
import type { Kept, Operation, Store } from './buffer-store.ts'

/** A result that was set aside. */
export interface Aside extends Kept {
  /** When it was first set aside, in milliseconds since the Unix epoch. */
  since: number
  why: string
}

/** Sorts after the keys of all results that wait for their first upload, which are numbers. */
export const ASIDE_PREFIX = 'r'

const BYTES_MAX = 16 * 1024 * 1024

/** Knows the refused results and the order in which they are offered. Its methods return what must be written. */
export class AsideIndex {
  /** Bytes by key, in the order of the keys. */
  readonly #sizes = new Map<string, number>()
  /** Not on disk yet. */
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

  /** Records one that is on disk. */
  found(key: string, stored: string): void {
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(stored)
    this.#sizes.set(key, bytes)
    this.#bytes += bytes
  }

  /** Puts one at the end. */
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

  /** These are on disk. */
  written(operations: readonly Operation[]): void {
    for (const { key } of operations) this.#unwritten.delete(key)
  }

  /** The first in line. */
  async first(store: Pick<Store, 'iterator'>): Promise<Aside | undefined> {
    const [key] = this.#sizes.keys()
    if (key === undefined) return undefined
    const unwritten = this.#unwritten.get(key)
    if (unwritten !== undefined) return read(key, unwritten)
    for await (const [found, stored] of store.iterator({ gte: key, lte: key })) return read(found, stored)
    return undefined
  }
}

/** As it is stored. */
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
