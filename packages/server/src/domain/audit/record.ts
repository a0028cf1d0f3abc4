// Records who changed what, in the transaction that changed it.
import { fromDate } from '../../runtime/timestamps.ts'
import { type AuditRoom, insertAuditEntries, type NewAuditEntry } from '../../store/accounts/audit.ts'
import type { Db } from '../../store/database.ts'
import type { Deps } from '../deps.ts'
import type { AuditAction } from './sentences.ts'

/** A person who does something in a browser. */
export interface Actor {
  person_id: number
  email: string
  /** The admin who impersonates them. */
  impersonator_email: string | null
  /** The name of the token that a script of theirs used. */
  token?: string
}

/** Whoever has a link that was sent to a channel. */
export interface ChannelActor {
  channel_name: string
  /** The name that they typed; empty when they typed none. */
  typed_name: string
}

/** How people read who did something. No email address looks like what stands for a channel. */
function nameOfActor(actor: Actor | ChannelActor): string {
  if ('email' in actor) return actor.email
  const { channel_name, typed_name } = actor
  return typed_name === '' ? `the channel ${channel_name}` : `${typed_name} (channel ${channel_name})`
}

/** The same, with the token where a script of theirs did it. Deleting the person blanks it by the address that it begins with. */
export function nameWithToken(actor: Actor | ChannelActor): string {
  const name = nameOfActor(actor)
  return 'token' in actor ? `${name} (token ${actor.token})` : name
}

export interface Deed {
  org_id: number
  action: AuditAction
  /** The name of what was changed, as people know it. */
  subject: string
  check_id?: number
  /** Further details; never a secret. */
  detail?: Record<string, unknown>
}

const MEBIBYTE = 1024 * 1024
/** Maximum number and size of the entries that are written in full in a day. Deeds beyond it are counted by hour, actor and action. */
export const AUDIT_ROOM: AuditRoom = {
  of_org: { entries: 5_000, bytes: 4 * MEBIBYTE },
  of_actor: { entries: 100, bytes: MEBIBYTE / 4 },
}

/** How entries name somebody at the command line. No email address looks like it. */
const OPERATOR = 'operator'

/** How entries name the service itself. No email address looks like it, either. */
export const SERVICE = 'dogwatch'

/** Without an actor, an operator did it. */
export async function recordDeed(
  db: Db,
  deps: Pick<Deps, 'clock'>,
  actor: Actor | ChannelActor | typeof SERVICE | undefined,
  deed: Deed,
): Promise<void> {
  await insertAuditEntries(db, [entryOf(deps, actor, deed)], AUDIT_ROOM)
}

/** Records several things that one person did at once. */
export async function recordDeeds(
  db: Db,
  deps: Pick<Deps, 'clock'>,
  actor: Actor | undefined,
  deeds: readonly Deed[],
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
  deed: Deed,
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
