// Email addresses get alerts only when their owner agrees: a mail asks, and a link in it confirms.
import { newGuid } from '../../runtime/ids.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import { hashToken, looksLikeToken, newToken } from '../../runtime/tokens.ts'
import type { ChannelKey, ChannelRow } from '../../store/alerting/channels.ts'
import { findChannel } from '../../store/alerting/channels.ts'
import {
  deleteConfirmationsOf,
  failUnconfirmed,
  findConfirmation,
  insertConfirmation,
  isBeingAsked,
  isConfirmedAddress,
  listUnasked,
  updateAsked,
  updateConfirmed,
} from '../../store/alerting/confirmations.ts'
import type { Database, Db } from '../../store/database.ts'
import { insertDelivery } from '../../store/alerting/deliveries.ts'
import { insertEvents } from '../../store/alerting/events.ts'
import { hasProvedEmail } from '../../store/accounts/people.ts'
import { spend } from '../../store/processes/rate-limits.ts'
import { type Actor, recordDeed } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { openGate } from '../retention/gate.ts'
import { DomainError } from '../errors.ts'
import { mailboxOf } from '../people/mailbox.ts'

export const OPEN_MS = 7 * 86_400_000
/** How long alerts wait for the owner to confirm. */
const HELD_MS = 3 * 86_400_000
/** Confirmation mails to one mailbox: this many at first, then one a day. */
const TO_MAILBOX = { burst: 3, interval_sec: 86_400 }
/** Confirmation mails of one organisation: this many at first, then one every five minutes. */
const OF_ORG = { burst: 20, interval_sec: 300 }
const ASKED_AT_ONCE = 20
const FAILED_AT_ONCE = 1000

export type ConfirmationState = 'confirmed' | 'until' | 'waiting'

/**
 * `confirmed`: alerts may be sent. `until`: they may for some days without a confirmation. `waiting`: not before the
 * owner of the address confirms it.
 */
export function confirmationStateOf(
  channel: Pick<ChannelRow, 'email' | 'confirmed_at' | 'confirm_by'>,
  now: Date,
): ConfirmationState {
  if (channel.email === '' || channel.confirmed_at !== null) return 'confirmed'
  return channel.confirm_by !== null && Date.parse(channel.confirm_by) > now.getTime() ? 'until' : 'waiting'
}

/**
 * Whether an address counts as confirmed from the start: it is the proved address of the person who enters it, or the
 * organisation has a confirmed channel with it.
 */
export async function isKnownAddress(db: Db, org_id: number, email: string, by: Actor | undefined): Promise<boolean> {
  if (by !== undefined && (await hasProvedEmail(db, by.person_id, email))) return true
  return isConfirmedAddress(db, org_id, email)
}

/**
 * Has a confirmation mail sent to the owner of a channel's address. False when this mailbox or this organisation has
 * reached its limit of mails: nothing is sent then. A mail that is still being sent is not sent twice. Within a transaction
 * that may yet be undone, the mail is left to the chore: what is refused must not use up what a mailbox may get.
 */
export async function askOwner(deps: Deps, trx: Db, key: ChannelKey, email: string): Promise<boolean> {
  if (deps.is_joined) return true
  if (await isBeingAsked(trx, key)) return true
  if (!(await hasRoom(deps.database, key.org_id, email))) return false
  const created_at = fromDate(deps.clock.now())
  const event_id = newGuid(deps.random)
  const { org_id, id } = key
  // The mail contains only our own words, nothing that whoever asks could choose.
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

/** A person asks for another confirmation mail. */
export async function askAgain(deps: Deps, key: ChannelKey, by: Actor): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const channel = await findChannel(trx, key)
    if (!channel) throw new DomainError('missing', 'no channel with that id')
    if (confirmationStateOf(channel, deps.clock.now()) === 'confirmed') {
      throw new DomainError('conflict', 'this address is already confirmed')
    }
    if (!(await askOwner(deps, trx, key, channel.email))) {
      throw new DomainError('limited', 'too many confirmation emails sent to this address; try again tomorrow', 86_400)
    }
    await recordDeed(trx, deps, by, { org_id: key.org_id, action: 'channel.ask', subject: channel.name })
  })
}

/** Creates a link for the owner of an address, valid for a week. The database stores its hash. */
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

/** Refuses a link that is unknown, expired, or for an address that the channel no longer has. All three look alike. */
export async function requireConfirmation(deps: Deps, token: string) {
  const now = fromDate(deps.clock.now())
  const found = looksLikeToken('confirm', token)
    ? await findConfirmation(deps.database.people, hashToken(token), now)
    : undefined
  if (!found)
    throw new DomainError('missing', 'this confirmation link is invalid or has expired; send a new confirmation email')
  return found
}

/** The owner of the address agrees to get alerts. Confirming again changes nothing. */
export async function confirmByLink(deps: Deps, token: string): Promise<void> {
  const { org_id, email, name, is_confirmed } = await requireConfirmation(deps, token)
  if (is_confirmed) return
  await deps.database.people.transaction().execute(async (trx) => {
    await updateConfirmed(trx, { org_id, email }, fromDate(deps.clock.now()))
    await recordDeed(
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

/** Deletes the links of a channel that was deleted or has a new address. */
export async function forgetLinks(trx: Db, key: ChannelKey): Promise<void> {
  await deleteConfirmationsOf(trx, key)
}

/** Where the last run of the chore stopped in its round over channels that were not asked yet, for each database. */
const ROUNDS = new WeakMap<Database, number>()

/**
 * One run of the chore: mails owners who were not asked yet, a few at a time, and fails deliveries that waited too
 * long.
 */
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
