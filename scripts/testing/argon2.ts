// Replaces argon2 in tests, and hashes passwords at the lowest cost, because tests sign in hundreds of times, and a hash at full
// cost takes a tenth of a second of all processors. The operator's commands run as built, at full cost.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as Argon2 from 'argon2'

const PROGRAM = fileURLToPath(new URL('../../node_modules/argon2/argon2.cjs', import.meta.url))
const argon2 = createRequire(import.meta.url)(PROGRAM) as typeof Argon2

export const verify = argon2.verify
export const hash = (password: string): Promise<string> =>
  argon2.hash(password, { memoryCost: 1024, timeCost: 2, parallelism: 1 })
