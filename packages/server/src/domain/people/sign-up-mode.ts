// Who may make an account on this server.
import { DomainError } from '../errors.ts'

/** `open`: everybody. `invited`: whoever has the link of an invitation. `closed`: nobody. */
export const SIGN_UP_MODES = ['open', 'invited', 'closed'] as const
export type SignUpMode = (typeof SIGN_UP_MODES)[number]

/** Refuses whoever has no invitation, unless signing up is open. */
export function requireOpenSignUp(mode: SignUpMode): void {
  if (mode === 'open') return
  const how = mode === 'invited' ? 'ask the owner of an organisation for an invitation' : 'ask whoever runs this server'
  throw new DomainError('forbidden', `nobody can sign up here by themselves: ${how}`)
}

/** Refuses a new account even by an invitation, where sign-up is closed. Who has an account may still join. */
export function requireInvitedSignUp(mode: SignUpMode): void {
  if (mode !== 'closed') return
  throw new DomainError('forbidden', 'new accounts are closed on this server: ask whoever runs it')
}
