// Randomness, as everything outside this folder sees it.
import { randomBytes } from 'node:crypto'

/** Returns that many random bytes, fit for secrets. Tests pass a source that they know. */
export type Random = (bytes: number) => Uint8Array

export const systemRandom: Random = (bytes) => randomBytes(bytes)
