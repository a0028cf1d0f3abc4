// How often a form may be tried.
import { DomainError } from '../domain/errors.ts'
import type { Limit } from '../domain/limits/spend.ts'
import type { AnyoneContext } from './route.ts'

/** Passwords of one who is signed in: a person mistypes, a guesser does not stop. */
export const PASSWORDS: Limit = { name: 'password', per_sec: 1 / 60, burst: 10 }
/** Links that set a password: one is used once, so whoever comes often tries them out. */
export const LINKS: Limit = { name: 'link-address', per_sec: 1 / 10, burst: 30 }
/** Each makes us send a mail. */
export const RESETS_BY_ADDRESS: Limit = { name: 'reset-address', per_sec: 1 / 60, burst: 20 }
export const RESETS_BY_EMAIL: Limit = { name: 'reset-email', per_sec: 1 / 600, burst: 3 }
export const INVITATIONS: Limit = { name: 'invitations', per_sec: 1 / 60, burst: 30 }

/** Each sends a message to somebody. */
export const CHANNEL_TESTS: Limit = { name: 'channel-tests', per_sec: 1 / 30, burst: 10 }

/** Takes one try out of a subject's; refuses when none is left. */
export async function requireRoom({ limiter }: AnyoneContext, limit: Limit, subject: string): Promise<void> {
  const verdict = await limiter.spend(limit, subject)
  if (verdict.kind === 'wait') {
    throw new DomainError('limited', 'too many tries: wait a while and try again', Math.ceil(verdict.seconds))
  }
}
