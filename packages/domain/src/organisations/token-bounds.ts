// Limits how many tokens of each kind an organisation may have, and how many of them are listed.
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { DEFAULT_BOUNDS } from '../limits/bounds.ts'

/** Maximum number of revoked tokens to list, newest first. */
const MOST_REVOKED = 50

/** Returns how many tokens of an organisation to list: all valid ones, and some revoked ones. */
export function mostTokensListed({ bounds = DEFAULT_BOUNDS }: Pick<Deps, 'bounds'>): number {
  return bounds.tokens_per_org + MOST_REVOKED
}

/**
 * Refuses another token if the organisation or its maker has the maximum number. `of_person`: number of the maker's tokens in all
 * organisations, if that number is limited.
 */
export function requireRoomForToken(
  { bounds = DEFAULT_BOUNDS }: Pick<Deps, 'bounds'>,
  kind: string,
  { of_org, of_person = 0 }: { of_org: number; of_person?: number },
): void {
  const { tokens_per_org, tokens_per_person } = bounds
  if (of_org >= tokens_per_org) throw tooManyTokens(`an organisation can have up to ${tokens_per_org} ${kind}`)
  if (of_person >= tokens_per_person) {
    throw tooManyTokens(`you can have up to ${tokens_per_person} ${kind} across all organisations`)
  }
}

function tooManyTokens(line: string): DomainError {
  return new DomainError('invalid', `${line}; revoke a token to create another`)
}
