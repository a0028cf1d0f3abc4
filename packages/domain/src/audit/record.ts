// Records who changed what, in the transaction that changed it.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type AuditRoom, insertAuditEntries, type NewAuditEntry } from '@dogwatch/store/accounts/audit'
import type { Db } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import type { AuditAction } from './sentences.ts'

/** Person who makes a change. */
export interface Actor {
  person_id: number
  email: string
  /** Email address of the admin who impersonates this person, or null. */
  impersonator_email: string | null
  /** Name of the token, if a script acts for this person. */
  token?: string
}

/** Author and organisation of changes. Without an actor, an operator makes them. */
export interface Origin {
  org_id: number
  actor?: Actor | undefined
}

/** Anyone who acts through a link that was sent to a channel. */
export interface ChannelActor {
  channel_name: string
  /** Name that the person typed. Empty if they typed none. */
  typed_name: string
}

/** Returns the name of an actor for people. The name for a channel never looks like an email address. */
function nameOfActor(actor: Actor | ChannelActor): string {
  if ('email' in actor) return actor.email
  const { channel_name, typed_name } = actor
  return typed_name === '' ? `the channel ${channel_name}` : `${typed_name} (channel ${channel_name})`
}

/**
 * Returns the actor's name, with the token of a script. It begins with the email address, so that deleting the person can find
 * and blank it.
 */
export function nameWithToken(actor: Actor | ChannelActor): string {
  const name = nameOfActor(actor)
  return 'token' in actor ? `${name} (token ${actor.token})` : name
}

export interface AuditRecord {
  org_id: number
  action: AuditAction
  /** Name of the changed thing, as people know it. */
  subject: string
  check_id?: number
  /** Further details, but never a secret. */
  detail?: Record<string, unknown>
}

const MEBIBYTE = 1024 * 1024
/** Maximum number and size of the entries stored in full per day. Further changes are only counted, by hour, actor and action. */
export const AUDIT_ROOM: AuditRoom = {
  of_org: { entries: 5_000, bytes: 4 * MEBIBYTE },
  of_actor: { entries: 100, bytes: MEBIBYTE / 4 },
}

/** Actor of entries that an operator makes at the command line. It never looks like an email address. */
const OPERATOR = 'operator'

/** Actor of entries that the service itself makes. It never looks like an email address. */
export const SERVICE = 'dogwatch'

/** Records one change in the audit log. Without an actor, an operator made it. */
export async function recordAuditEntry(
  db: Db,
  deps: Pick<Deps, 'clock'>,
  actor: Actor | ChannelActor | typeof SERVICE | undefined,
  deed: AuditRecord,
): Promise<void> {
  await insertAuditEntries(db, [entryOf(deps, actor, deed)], AUDIT_ROOM)
}

/** Records several changes that one person made in one request. */
export async function recordAuditEntries(
  db: Db,
  deps: Pick<Deps, 'clock'>,
  actor: Actor | undefined,
  deeds: readonly AuditRecord[],
): Promise<void> {
  await insertAuditEntries(
    db,
    deeds.map((deed) => entryOf(deps, actor, deed)),
    AUDIT_ROOM,
  )
}

function entryOf(
  { clock }: Pick<Deps, 'clock'>,
  actor: Actor | ChannelActor | typeof SERVICE | undefined,
  deed: AuditRecord,
): NewAuditEntry {
  return {
    ...deed,
    detail: { ...deed.detail, ...tokenOf(actor) },
    created_at: fromDate(clock.now()),
    ...namesOf(actor),
  }
}

function tokenOf(actor: Actor | ChannelActor | typeof SERVICE | undefined): { token?: string } {
  return typeof actor === 'object' && 'token' in actor ? { token: actor.token } : {}
}

function namesOf(actor: Actor | ChannelActor | typeof SERVICE | undefined): {
  actor: string
  impersonator: string | null
} {
  if (actor === undefined || actor === SERVICE) return { actor: actor ?? OPERATOR, impersonator: null }
  return { actor: nameOfActor(actor), impersonator: 'email' in actor ? actor.impersonator_email : null }
}
