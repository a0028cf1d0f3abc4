// Reads and builds keys and values of the buffer's database, and computes their sizes.
import { ASIDE_PREFIX } from './aside.ts'
import type { Operation, StoredResult } from './buffer-store.ts'
import { HELD_PREFIX } from './held-back.ts'

export function isHeld({ key }: { key: string }): boolean {
  return key.startsWith(HELD_PREFIX)
}

/** Returns the time at which a result arrived in the buffer, in microseconds since the Unix epoch, from its key. */
export function tickOf(key: string): number {
  const prefix = [HELD_PREFIX, ASIDE_PREFIX].find((one) => key.startsWith(one)) ?? ''
  return Number(key.slice(prefix.length))
}

export function delOf(key: string): Operation {
  return { type: 'del', key }
}

export function putOf({ key, value }: StoredResult): Operation {
  return { type: 'put', key, value }
}

export function sizeOf(text: string): number {
  return Buffer.byteLength(text)
}

export function sizeOfAll(kept: readonly StoredResult[]): number {
  return kept.reduce((sum, { key, value }) => sum + sizeOf(key) + sizeOf(value), 0)
}
