// Who may make an account on this server.
import { DomainError } from '../errors.ts'

/** `open`: everybody. `invited`: whoever has the link of an invitation. `closed`: nobody. */
export const SIGN_UP_MODES = ['open', 'invited', 'closed'] as const
export type SignUpMode = (typeof SIGN_UP_MODES)[number]

/** Refuses whoever has no invitation, unless signing up is open. */
export function requireOpenSignUp(mode: SignUpMode): void {
  if (mode === 'open') return
  const how =
    mode === 'invited' ? 'ask the owner of an organisation for an invitation' : 'contact the operator of this server'
  throw new DomainError('forbidden', `sign-up is by invitation only on this server; ${how}`)
}

/** Refuses a new account even by an invitation, where sign-up is closed. Who has an account may still join. */
export function requireInvitedSignUp(mode: SignUpMode): void {
  if (mode !== 'closed') return
  throw new DomainError('forbidden', 'new accounts are disabled on this server; contact the operator of this server')
}
