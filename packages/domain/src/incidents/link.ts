// Creates and carries out the links in alerts that let a reader acknowledge or mute the incident without signing in. Nothing is
// stored for a link: it says what it is for, and it is signed.

import { findLinkedIncident, type LinkedIncident } from '@dogwatch/store/alerting/linked-incident'
import type { Actor, ChannelActor } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import type { EventType } from '../events/event.ts'
import { mute, readMute } from '../mutes/mute.ts'
import { requireName } from '../text.ts'
import { acknowledge } from './acknowledge.ts'
import { causeOf } from './cause.ts'
import { NO_CAUSE, readCauses } from './errors.ts'
import { secretToJudge, secretToSign } from './link-secret.ts'
import { canBeLinked, linkToken, readLinkToken } from './link-token.ts'

/** Number of days that a link works after its alert was due, unless its incident ends before. */
const LINK_DAYS = 7
const LINK_MS = LINK_DAYS * 86_400_000
/** Types of events whose alerts contain a link to their open incident. */
const LINKED: readonly EventType[] = ['check.down', 'check.reminder', 'heartbeat.down', 'heartbeat.reminder']
const MAX_NAME = 60
/** Maximum duration of a mute by a link: until the next morning, on a day when clocks go back. */
const MOST_MUTED_MS = 25 * 3_600_000

/** An alert on its way to a channel. */
export interface AlertToLink {
  org_id: number
  channel_id: number
  type: string
  data: unknown
  /** Time at which the alert was due. All attempts to send it have the same link. */
  created_at: string
}

/** Returns the token of the link in an alert, or undefined for alerts that have none. */
export async function createLink(
  deps: Pick<Deps, 'database' | 'clock' | 'random'>,
  { org_id, channel_id, type, data, created_at }: AlertToLink,
): Promise<string | undefined> {
  const { incident_id } = data as { incident_id?: unknown }
  if (!(LINKED as readonly string[]).includes(type)) return undefined
  if (typeof incident_id !== 'string' || !canBeLinked(incident_id)) return undefined
  const expires_at = new Date(Date.parse(created_at) + LINK_MS)
  return linkToken(await secretToSign(deps), { org_id, channel_id, incident_id, expires_at })
}

/** Parts of an incident that anyone with a link to it can see. */
export interface IncidentView {
  org_id: number
  org_name: string
  channel_name: string
  kind: 'check' | 'heartbeat'
  guid: string
  name: string
  incident_id: string
  /** Cause in a few words. */
  cause: string
  began_at: string
  ended_at: string | null
  acknowledged_at: string | null
  acknowledged_by: string | null
  /** End of the mute. Absent if the check or heartbeat is not muted. */
  muted_until: string | undefined
  muted_by: string | undefined
  until_resolved: boolean
}

/** Returns the incident of a link. Throws DomainError with the reason if the link does not work, or no longer works. */
export async function requireLink(deps: Pick<Deps, 'database' | 'clock'>, token: string): Promise<IncidentView> {
  const secret = await secretToJudge(deps)
  const content = secret && readLinkToken(secret, token)
  if (!content) throw new DomainError('missing', 'this link is invalid, or the operator of this server revoked it')
  if (content.expires_at.getTime() <= deps.clock.now().getTime()) {
    throw new DomainError('missing', `this link has expired; links in alerts work for ${LINK_DAYS} days`)
  }
  const { org_id, incident_id } = content
  const found = await findLinkedIncident(deps.database.people, content)
  if (!found) throw new DomainError('missing', 'this link no longer works, because its organisation was deleted')
  const there = requireThere(found)
  const muted = there.ended_at === null ? await readMute(deps, org_id, found.subject ?? '') : undefined
  const { muted_until, muted_by, until_resolved = false } = muted ?? {}
  const { kind, began_at } = there
  const causes = await readCauses(deps, org_id, [{ incident_id, kind, began_at }])
  const recorded = { kind, began_at, verdict: found.verdict, ...(causes.get(incident_id) ?? NO_CAUSE) }
  return { org_id, incident_id, ...there, cause: causeOf(recorded), muted_until, muted_by, until_resolved }
}

function requireThere(found: LinkedIncident) {
  const { org_name, channel_name, kind, guid, name, began_at, end_reason } = found
  if (found.is_suspended)
    throw new DomainError('forbidden', `${org_name} is suspended; contact the operator of this server`)
  if (channel_name === null) {
    throw new DomainError('missing', 'this link no longer works, because its channel was deleted')
  }
  if (kind === null || guid === null || name === null || began_at === null || end_reason === 'deleted') {
    throw new DomainError('missing', 'this link no longer works, because its check or heartbeat was deleted')
  }
  const { ended_at, acknowledged_at, acknowledged_by } = found
  return { org_name, channel_name, kind, guid, name, began_at, ended_at, acknowledged_at, acknowledged_by }
}

/** Use of a link, by a member who is signed in, or by a reader of the channel under the name that they type. */
export interface LinkUse {
  token: string
  /** Name as the reader typed it. It can be empty. */
  name: string
  member?: Actor | undefined
}

/** Acknowledges the incident of a link. Returns false if it was acknowledged before. */
export async function acknowledgeByLink(deps: Deps, use: LinkUse): Promise<boolean> {
  const linked = await requireOpen(deps, use.token)
  const { org_id, kind, guid, incident_id } = linked
  return acknowledge(deps, { org_id, kind, guid, incident_id }, actorOf(use, linked))
}

/** Whether a mute lasts at least until the given time, so that a link must not shorten it. */
export function isMutedBeyond({ muted_until, until_resolved }: IncidentView, until: Date): boolean {
  return until_resolved || (muted_until !== undefined && Date.parse(muted_until) >= until.getTime())
}

/** Mutes the check or heartbeat of an incident, for at most a day. A member can mute it for longer, on its page. */
export async function muteByLink(deps: Deps, use: LinkUse, until: Date): Promise<void> {
  const linked = await requireOpen(deps, use.token)
  const { org_id, kind, guid } = linked
  if (isMutedBeyond(linked, until))
    throw new DomainError('conflict', `this ${kind} is already muted until a later time`)
  if (until.getTime() > deps.clock.now().getTime() + MOST_MUTED_MS) {
    throw new DomainError('invalid', 'a link in an alert can mute only until the next morning')
  }
  await mute(deps, { org_id, kind, guid }, until, actorOf(use, linked))
}

async function requireOpen(deps: Deps, token: string): Promise<IncidentView> {
  const linked = await requireLink(deps, token)
  if (linked.ended_at !== null)
    throw new DomainError('conflict', 'this incident has already ended, so there is nothing to do')
  return linked
}

function actorOf({ name, member }: LinkUse, { channel_name }: IncidentView): Actor | ChannelActor {
  if (member) return member
  const typed = requireName('your name', name.trim(), { mayBeBlank: true, max: MAX_NAME })
  return { channel_name, typed_name: typed }
}
