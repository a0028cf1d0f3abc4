// Sends owners of email addresses a link to confirm, because an address receives alerts only if its owner agrees.
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import { listProvedEmails } from '@dogwatch/store/accounts/people'
import type { ChannelKey, ChannelRow } from '@dogwatch/store/alerting/channels'
import { findChannel } from '@dogwatch/store/alerting/channels'
import {
  failUnconfirmed,
  findConfirmation,
  insertConfirmation,
  isBeingAsked,
  listUnasked,
  updateAsked,
  updateConfirmed,
} from '@dogwatch/store/alerting/confirmations'
import { insertDelivery } from '@dogwatch/store/alerting/deliveries'
import { insertEvents } from '@dogwatch/store/alerting/events'
import { listConfirmedAddresses } from '@dogwatch/store/alerting/many-channels'
import type { Database, Db } from '@dogwatch/store/database'
import { spend } from '@dogwatch/store/processes/rate-limits'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { mailboxOf } from '../people/mailbox.ts'
import { openGate } from '../retention/gate.ts'

export const OPEN_MS = 7 * 86_400_000
/** Maximum time that alerts wait for the owner's confirmation. */
const HELD_MS = 3 * 86_400_000
/** Rate of confirmation emails to one mailbox: three at first, then one a day. */
const TO_MAILBOX = { burst: 3, interval_sec: 86_400 }
/** Rate of confirmation emails of one organisation: 20 at first, then one every five minutes. */
const OF_ORG = { burst: 20, interval_sec: 300 }
const ASKED_AT_ONCE = 20
const FAILED_AT_ONCE = 1000

export type ConfirmationState = 'confirmed' | 'until' | 'waiting'

/**
 * Returns whether alerts may be sent: `confirmed`, `until` (for some days without a confirmation) or `waiting` (not until the
 * owner of the address confirms it).
 */
export function confirmationStateOf(
  channel: Pick<ChannelRow, 'email' | 'confirmed_at' | 'confirm_by'>,
  now: Date,
): ConfirmationState {
  if (channel.email === '' || channel.confirmed_at !== null) return 'confirmed'
  return channel.confirm_by !== null && Date.parse(channel.confirm_by) > now.getTime() ? 'until' : 'waiting'
}

/**
 * Whether an address counts as confirmed from the start: it is the verified address of the person who enters it, or the
 * organisation has a confirmed channel with it.
 */
export async function isKnownAddress(db: Db, org_id: number, email: string, by: Actor | undefined): Promise<boolean> {
  if (by !== undefined && (await listProvedEmails(db, by.person_id, [email])).length > 0) return true
  return (await listConfirmedAddresses(db, org_id, [email])).length > 0
}

/**
 * Queues a confirmation email to the owner of a channel's address, unless one is still being sent. Returns false if the mailbox
 * or the organisation has reached its limit of emails.
 */
export async function askOwner(deps: Deps, trx: Db, key: ChannelKey, email: string): Promise<boolean> {
  // A larger transaction can still be undone, and a refused change must not use up the limit of a mailbox: the chore sends the
  // email.
  if (deps.database.joined) return true
  return queueRequest(deps, trx, key, email)
}

async function queueRequest(deps: Deps, trx: Db, key: ChannelKey, email: string): Promise<boolean> {
  if (await isBeingAsked(trx, key)) return true
  if (!(await hasRoom(deps.database, key.org_id, email))) return false
  const created_at = fromDate(deps.clock.now())
  const event_id = newGuid(deps.random)
  const { org_id, id } = key
  // The email contains only our own words, nothing that the requester could choose.
  await insertEvents(trx, [
    { org_id, event_id, type: 'channel.confirm', created_at, subject: `confirm:${id}`, data: {} },
  ])
  await insertDelivery(trx, { org_id, event_id, channel_id: id })
  await updateAsked(trx, key, created_at)
  return true
}

async function hasRoom(database: Database, org_id: number, email: string): Promise<boolean> {
  for (const [name, { burst, interval_sec }] of [
    [`confirm-org:${org_id}`, OF_ORG],
    [`confirm-mailbox:${mailboxOf(email)}`, TO_MAILBOX],
  ] as const) {
    if (!(await spend(database, name, interval_sec, burst)).allowed) return false
  }
  return true
}

/**
 * Queues another confirmation email, also within a larger transaction, because nothing that follows can be refused. Throws
 * DomainError if the address is confirmed already, or has reached its limit.
 */
export async function askAgain(deps: Deps, key: ChannelKey, by: Actor): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const channel = await findChannel(trx, key)
    if (!channel) throw new DomainError('missing', 'no channel with that id')
    if (confirmationStateOf(channel, deps.clock.now()) === 'confirmed') {
      throw new DomainError('conflict', 'this address is already confirmed')
    }
    if (!(await queueRequest(deps, trx, key, channel.email))) {
      throw new DomainError(
        'limited',
        'too many confirmation emails were sent to this address; try again tomorrow',
        86_400,
      )
    }
    await recordAuditEntry(trx, deps, by, { org_id: key.org_id, action: 'channel.ask', subject: channel.name })
  })
}

/** Creates a link for the owner of an address, valid for a week. The database stores only its hash. */
export async function createConfirmation(deps: Deps, key: ChannelKey, email: string): Promise<string> {
  const token = newToken('confirm', deps.random)
  await insertConfirmation(deps.database.machines, {
    token_hash: hashToken(token),
    org_id: key.org_id,
    channel_id: key.id,
    email,
    expires_at: fromDate(new Date(deps.clock.now().getTime() + OPEN_MS)),
  })
  return token
}

/**
 * Returns the confirmation that a link belongs to. Throws the same DomainError if the link is unknown, expired, or for an address
 * that the channel no longer has.
 */
export async function requireConfirmation(deps: Deps, token: string) {
  const now = fromDate(deps.clock.now())
  const found = looksLikeToken('confirm', token)
    ? await findConfirmation(deps.database.people, hashToken(token), now)
    : undefined
  if (!found)
    throw new DomainError('missing', 'this confirmation link is invalid or has expired; send a new confirmation email')
  return found
}

/** Confirms an address by its link. Confirming again changes nothing. */
export async function confirmByLink(deps: Deps, token: string): Promise<void> {
  const { org_id, email, name, is_confirmed } = await requireConfirmation(deps, token)
  if (is_confirmed) return
  await deps.database.people.transaction().execute(async (trx) => {
    await updateConfirmed(trx, { org_id, email }, fromDate(deps.clock.now()))
    await recordAuditEntry(
      trx,
      deps,
      { person_id: 0, email, impersonator_email: null },
      {
        org_id,
        action: 'channel.confirm',
        subject: name,
      },
    )
  })
}

/** Id of the channel at which the last run of the chore stopped, by database. 0 begins a new round. */
const ROUNDS = new WeakMap<Database, number>()

/** Runs the chore once: emails a few owners who have received no request yet, and fails deliveries that waited too long. */
export async function askOwners(deps: Deps): Promise<{ asked: number; failed: number }> {
  const { database, clock } = deps
  const unasked = await listUnasked(database.machines, ROUNDS.get(database) ?? 0, ASKED_AT_ONCE)
  ROUNDS.set(database, unasked.length === ASKED_AT_ONCE ? (unasked.at(-1)?.id ?? 0) : 0)
  let asked = 0
  for (const { email, ...key } of unasked) {
    const isAsked = await database.machines.transaction().execute((trx) => askOwner(deps, trx, key, email))
    if (isAsked) asked++
  }
  const gate = await openGate(deps)
  if (gate.held) return { asked, failed: 0 }
  const failed = await failUnconfirmed(database.machines, {
    now: fromDate(clock.now()),
    before: gate.ago(HELD_MS),
    reason: 'the owner of the address did not confirm it within 3 days',
    limit: FAILED_AT_ONCE,
  })
  return { asked, failed }
}
