// Authenticates monitor API keys and enrollment tokens.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken } from '@dogwatch/runtime/tokens'
import { findCaller } from '@dogwatch/store/caller'
import type { Db } from '@dogwatch/store/database'
import { findEnrollmentToken } from '@dogwatch/store/monitors/enrollment-tokens'
import { updateSeen } from '@dogwatch/store/monitors/monitors'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import type { Caller, Enrollment } from './monitor.ts'

/** A monitor with a valid key that is disabled or suspended. */
export type RefusedMonitor = Pick<Caller, 'id' | 'org_id'>

/**
 * Returns the monitor of an API key, and updates its `last_seen_at` even if it is disabled. `wait`: function that waits until a
 * refused monitor may be allowed, and returns whether to call it again if the monitor is still refused.
 */
export async function authenticateMonitor(
  deps: Deps,
  key: string,
  wait?: (monitor: RefusedMonitor) => Promise<boolean>,
): Promise<Caller> {
  const key_hash = looksLikeToken('key', key) ? hashToken(key) : undefined
  if (!key_hash) throw unknownKey()
  let seen = await see(deps, key_hash)
  while (wait && !isAllowed(seen.monitor)) {
    const mayWaitAgain = await wait(seen.monitor)
    seen = await see(deps, key_hash)
    if (!mayWaitAgain) break
  }
  return callerOf(seen)
}

async function see(deps: Deps, key_hash: Buffer) {
  const [seen_at, held_ms] = [deps.clock.now(), deps.clock.heldMs()]
  // Stores the database's time, because the silence of monitors is judged by that time.
  const monitor = await updateSeen(deps.database, key_hash, fromDate(deps.clock.asTold()))
  if (!monitor) throw unknownKey()
  return { key_hash, seen_at, held_ms, monitor }
}

function callerOf({ key_hash, seen_at, held_ms, monitor }: Awaited<ReturnType<typeof see>>): Caller {
  requireAllowed(monitor)
  const { id, org_id, clock_offset_ms, clock_far_ms, clock_behind_since, catching_up } = monitor
  return { id, key_hash, org_id, clock_offset_ms, clock_far_ms, clock_behind_since, catching_up, seen_at, held_ms }
}

/** Verifies a caller again, and refuses the caller as if the request came now. */
export async function requireCaller(db: Db, caller: Pick<Caller, 'id' | 'key_hash'>): Promise<void> {
  requireAllowed(await findCaller(db, caller))
}

function isAllowed({ enabled, suspended }: { enabled: boolean; suspended: boolean }): boolean {
  return enabled && !suspended
}

function requireAllowed(monitor: { enabled: boolean; suspended: boolean } | undefined): void {
  if (!monitor) throw unknownKey()
  if (!monitor.enabled) throw new DomainError('forbidden', 'this monitor is disabled')
  if (monitor.suspended) throw new DomainError('forbidden', 'the organisation of this monitor is suspended')
}

function unknownKey(): DomainError {
  return new DomainError('unauthenticated', 'missing, malformed or unknown monitor api key')
}

/**
 * Returns the organisation of an enrollment token. Unknown, revoked and expired tokens get the same refusal and cost the same
 * query.
 */
export async function authenticateEnrollment(deps: Deps, token: string): Promise<Enrollment> {
  return findEnrollment(deps, deps.database.people, hashToken(token))
}

/** Verifies the token again, and refuses it as if it were sent now. */
export async function requireEnrollment(deps: Deps, db: Db, { token_hash }: Enrollment): Promise<void> {
  if (token_hash) await findEnrollment(deps, db, token_hash)
}

async function findEnrollment({ clock }: Deps, db: Db, token_hash: Buffer): Promise<Enrollment> {
  const found = await findEnrollmentToken(db, token_hash, clock.now().toISOString())
  if (!found?.is_valid) throw new DomainError('unauthenticated', 'missing, malformed or unknown enrollment token')
  return { org_id: found.org_id, created_by: found.created_by, token_hash }
}
