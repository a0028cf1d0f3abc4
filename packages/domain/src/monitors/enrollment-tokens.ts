// Creates and revokes enrollment tokens.

import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, newToken } from '@dogwatch/runtime/tokens'
import { findOrganisation, isMember, lockOrganisation } from '@dogwatch/store/accounts/organisations'
import type { Db } from '@dogwatch/store/database'
import {
  insertEnrollmentToken,
  listOpenEnrollmentTokens,
  type OpenEnrollmentToken,
  updateOwnRevoked,
  updateRevoked,
} from '@dogwatch/store/monitors/enrollment-tokens'
import { ALL, type Slice } from '@dogwatch/store/slice'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { makerOf } from '../organisations/makers.ts'
import { requireNotImpersonated } from '../people/sessions.ts'

const ORG_TTL_SEC = 24 * 3600
const PLATFORM_TTL_SEC = 3600
const HASH = /^[0-9a-f]{64}$/

export type { OpenEnrollmentToken }

/**
 * Creates a token for an organisation (24 hours by default) or, with null, for the shared fleet (at most one hour). This is the
 * only time that its text can be read.
 */
export async function createEnrollmentToken(
  deps: Deps,
  org_id: number | null,
  ttl_sec: number = org_id === null ? PLATFORM_TTL_SEC : ORG_TTL_SEC,
  by?: Actor,
): Promise<{ token: string; expires_at: string }> {
  requireNotImpersonated(by)
  const most = org_id === null ? PLATFORM_TTL_SEC : 365 * ORG_TTL_SEC
  if (!Number.isInteger(ttl_sec) || ttl_sec < 1 || ttl_sec > most) {
    throw new FieldError('invalid', 'ttl_sec', `must be a whole number from 1 to ${most}`)
  }
  if (org_id !== null && !(await findOrganisation(deps.database.people, org_id))) {
    throw new DomainError('missing', 'no organisation with that id')
  }
  const token = newToken('enroll', deps.random)
  const now = deps.clock.now()
  const expires_at = fromDate(new Date(now.getTime() + ttl_sec * 1000))
  const row = { token_hash: hashToken(token), org_id, created_at: fromDate(now), expires_at, created_by: makerOf(by) }
  await deps.database.people.transaction().execute(async (trx) => {
    if (org_id !== null && by) await requireMember(trx, org_id, by)
    await insertEnrollmentToken(trx, row)
    if (org_id === null) return
    const detail = { expires_at }
    await recordAuditEntry(trx, deps, by, {
      org_id,
      action: 'enrollment_token.create',
      subject: 'enrollment token',
      detail,
    })
  })
  return { token, expires_at }
}

/**
 * Refuses a person who is no longer a member. Locks the organisation, so that a removal revokes this token, or this request sees
 * the removal.
 */
async function requireMember(trx: Db, org_id: number, { person_id }: Actor): Promise<void> {
  await lockOrganisation(trx, org_id)
  if (!(await isMember(trx, org_id, person_id))) {
    throw new DomainError('forbidden', 'you are no longer a member of this organisation')
  }
}

/** Reads an organisation's valid tokens (with null, those for the shared fleet), newest first. Their texts are not stored. */
export async function readEnrollmentTokens(
  deps: Deps,
  org_id: number | null,
  slice: Slice = ALL,
): Promise<OpenEnrollmentToken[]> {
  return listOpenEnrollmentTokens(deps.database.people, org_id, fromDate(deps.clock.now()), slice)
}

/** Revokes one of an organisation's tokens at once, by its hash in hex. */
export async function revokeOwnEnrollmentToken(
  deps: Deps,
  org_id: number | null,
  hex: string,
  by: Actor,
): Promise<void> {
  const token_hash = Buffer.from(HASH.test(hex) ? hex : '', 'hex')
  await deps.database.people.transaction().execute(async (trx) => {
    const found = await updateOwnRevoked(trx, { org_id, token_hash }, fromDate(deps.clock.now()))
    if (!found) throw new DomainError('missing', 'no such enrollment token')
    if (org_id === null) return
    await recordAuditEntry(trx, deps, by, { org_id, action: 'enrollment_token.revoke', subject: 'enrollment token' })
  })
}

/** Revokes a token at once. Revoking it again changes nothing. */
export async function revokeEnrollmentToken(deps: Deps, token: string): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const found = await updateRevoked(trx, hashToken(token), fromDate(deps.clock.now()))
    if (!found) throw new DomainError('missing', 'no such enrollment token')
    const { org_id, is_new } = found
    // The shared fleet belongs to no org.
    if (org_id === null || !is_new) return
    await recordAuditEntry(trx, deps, undefined, {
      org_id,
      action: 'enrollment_token.revoke',
      subject: 'enrollment token',
    })
  })
}
