// Randomness that is the same in every run, so that no test fails by chance. With SEED=..., other values are used.
import { createCipheriv, createHash } from 'node:crypto'
import type { Random } from '../../src/random.ts'
import { seedFromEnvironment } from './dice.ts'

/** Returns random bytes that depend only on the name and the seed. */
export function seededRandom(name: string): Random {
  const key = createHash('sha256').update(`${seedFromEnvironment()} ${name}`).digest()
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  return (bytes) => stream.update(Buffer.alloc(bytes))
}
