// How many tokens an organisation may have, and how many are listed: the same for every kind of them.
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { DEFAULT_BOUNDS } from '../limits/bounds.ts'

/** Of revoked tokens, only this many of the newest are listed. */
const MOST_REVOKED = 50

/** Of an organisation: those that work, and some that are revoked. */
export function mostTokensListed({ bounds = DEFAULT_BOUNDS }: Pick<Deps, 'bounds'>): number {
  return bounds.tokens_per_org + MOST_REVOKED
}

/** Refuses another token where there is no room. `of_person`: how many its maker has in all organisations, where that is limited. */
export function requireRoomForToken(
  { bounds = DEFAULT_BOUNDS }: Pick<Deps, 'bounds'>,
  kind: string,
  { of_org, of_person = 0 }: { of_org: number; of_person?: number },
): void {
  const { tokens_per_org, tokens_per_person } = bounds
  if (of_org >= tokens_per_org) throw isFull(`an organisation can have up to ${tokens_per_org} ${kind}`)
  if (of_person >= tokens_per_person) {
    throw isFull(`you can have up to ${tokens_per_person} ${kind} across all organisations`)
  }
}

function isFull(line: string): DomainError {
  return new DomainError('invalid', `${line}; revoke a token to create another`)
}
