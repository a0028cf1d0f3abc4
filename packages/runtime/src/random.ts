// Provides randomness to all code outside this folder.
import { randomFillSync } from 'node:crypto'

/** Returns a number of random bytes, fit for secrets. Tests pass a source with known bytes. */
export type Random = (bytes: number) => Uint8Array

/** Number of bytes to get with one call of the system's source, because 4096 cost as much as 8. */
const POOL_BYTES = 4096
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** Returns random bytes of the system. Deletes them from the pool, so that no one can read them later. */
export const systemRandom: Random = (bytes) => {
  if (!Number.isInteger(bytes) || bytes < 0) throw new RangeError(`${bytes} is not a valid number of bytes`)
  if (bytes > POOL_BYTES) return randomFillSync(Buffer.alloc(bytes))
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const given = Buffer.from(pool.subarray(used, used + bytes))
  pool.fill(0, used, used + bytes)
  used += bytes
  return given
}
