// Chance, as everything outside this folder sees it.
import { randomBytes } from 'node:crypto'

/** Gives that many random bytes, fit for secrets. Tests pass one that they know. */
export type Random = (bytes: number) => Uint8Array

export const systemRandom: Random = (bytes) => randomBytes(bytes)
