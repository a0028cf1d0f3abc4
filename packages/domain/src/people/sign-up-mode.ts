// Decides who may create an account on this server.
import { DomainError } from '../errors.ts'

/** Modes of signing up: `open` for anyone, `invited` for anyone with the link of an invitation, `closed` for no one. */
export const SIGN_UP_MODES = ['open', 'invited', 'closed'] as const
export type SignUpMode = (typeof SIGN_UP_MODES)[number]

/** Refuses a person without an invitation, unless signing up is open. */
export function requireOpenSignUp(mode: SignUpMode): void {
  if (mode === 'open') return
  requireInvitedSignUp(mode)
  throw new DomainError(
    'forbidden',
    'sign-up is by invitation only on this server; ask the owner of an organisation for an invitation',
  )
}

/** Refuses a new account even by an invitation, if sign-up is closed. A person who has an account may still join. */
export function requireInvitedSignUp(mode: SignUpMode): void {
  if (mode !== 'closed') return
  throw new DomainError('forbidden', 'new accounts are disabled on this server; contact the operator of this server')
}
