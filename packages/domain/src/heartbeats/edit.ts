// Creates, edits, enables, disables and deletes heartbeats.
import { faultOfTags, tidyTags } from '@dogwatch/check-rules/tags'
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { newToken } from '@dogwatch/runtime/tokens'
import { lockOrganisation, type OrganisationRow } from '@dogwatch/store/accounts/organisations'
import { endIncidents } from '@dogwatch/store/checks/incidents'
import type { Trx } from '@dogwatch/store/database'
import {
  countHeartbeats,
  deleteHeartbeat,
  findHeartbeatColumns,
  findHeartbeatPlace,
  findOwnHeartbeatPlace,
  type HeartbeatCase,
  type HeartbeatPlace,
  insertHeartbeat,
  lockHeartbeatCase,
  updateHeartbeatColumns,
  updateHeartbeatSwitch,
  updateHeartbeatToken,
} from '@dogwatch/store/heartbeats/heartbeats'
import { deleteRefusedPing } from '@dogwatch/store/heartbeats/refused-pings'
import { deleteMute } from '@dogwatch/store/routing/mutes'
import { changedFields, plainValues } from '../audit/changed-fields.ts'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { AuditAction } from '../audit/sentences.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { closingKept } from '../events/close-kept.ts'
import { makerOf } from '../organisations/makers.ts'
import { planOf } from '../organisations/plans.ts'
import { requireNotImpersonated } from '../people/sessions.ts'
import { isStorable, requireName } from '../text.ts'
import { heartbeatSubject } from './event-data.ts'
import { dueAt } from './heartbeat.ts'
import { readCron } from './schedule.ts'

export interface NewHeartbeat {
  name: string
  interval_sec: number
  grace_sec: number
  resend_interval_sec: number
  show_on_status_page: boolean
  /** Tags of the heartbeat. Absent if they stay as they are. */
  tags?: readonly string[]
  /** Cron expression that determines `interval_sec`. Present if and only if `cron_zone` is present. */
  cron?: string | null
  cron_zone?: string | null
}

/** Organisation and guid of a heartbeat. */
export interface HeartbeatKey {
  org_id: number
  guid: string
}

const MAX_SEC = 365 * 86_400

/** Creates a heartbeat. Returns its guid, and the token for its ping URL. */
export async function createHeartbeat(
  deps: Deps,
  org_id: number,
  given: NewHeartbeat,
  by?: Actor,
): Promise<{ guid: string; token: string }> {
  const wanted = withSchedule(given, deps.clock.now())
  requireHeartbeat(wanted)
  return deps.database.people.transaction().execute(async (trx) => {
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    requireRoomForHeartbeat(organisation, await countHeartbeats(trx, org_id))
    const [guid, token] = [newGuid(deps.random), newToken('beat', deps.random)]
    await insertHeartbeat(trx, { ...tidy(wanted), org_id, guid }, token, makerOf(by))
    await recordAuditEntry(trx, deps, by, { org_id, action: 'heartbeat.create', subject: wanted.name })
    return { guid, token }
  })
}

/** Refuses another heartbeat if the organisation already has as many as its plan allows. */
export function requireRoomForHeartbeat(organisation: OrganisationRow, there: number): void {
  const { max_heartbeats } = planOf(organisation)
  if (there < max_heartbeats) return
  const some = max_heartbeats === 1 ? '1 heartbeat' : `${max_heartbeats} heartbeats`
  throw new DomainError(
    'invalid',
    `the ${organisation.plan} plan allows ${some}; delete a heartbeat or change the plan`,
  )
}

/**
 * Replaces a heartbeat's settings. If it is up and its schedule or grace period changes, its deadline is computed again. `also`
 * names further changes, for the audit log.
 */
export async function editHeartbeat(
  deps: Deps,
  key: HeartbeatKey,
  given: NewHeartbeat,
  by?: Actor,
  also: readonly string[] = [],
): Promise<void> {
  const wanted = withSchedule(given, deps.clock.now())
  requireHeartbeat(wanted)
  const apply = (trx: Trx, held: HeartbeatCase) =>
    updateHeartbeatColumns(trx, held, tidy(wanted), dueAfterEdit(held, wanted))
  await change(deps, key, by, 'heartbeat.edit', apply, async (trx, held) => {
    const before = await findHeartbeatColumns(trx, held)
    if (!before) return { changed: also }
    const changed = changedOf(tidy(wanted), before)
    return { changed: [...changed, ...also], ...plainValues(changed, before, wanted) }
  })
}

/**
 * Returns the fields that an edit changes. With a cron expression, the interval is none of them, because it follows from the
 * expression.
 */
function changedOf(wanted: NewHeartbeat, before: Required<NewHeartbeat>): string[] {
  const { tags = before.tags, cron = null, cron_zone = null } = wanted
  const interval_sec = cron === null ? wanted.interval_sec : before.interval_sec
  return changedFields({ ...wanted, tags, cron, cron_zone, interval_sec }, before)
}

/** Gives a heartbeat a new ping URL; the old one stops working at once. */
export async function rotateHeartbeatToken(deps: Deps, key: HeartbeatKey, by?: Actor): Promise<{ token: string }> {
  requireNotImpersonated(by)
  const token = newToken('beat', deps.random)
  await change(deps, key, by, 'heartbeat.rotate', (trx, held) => updateHeartbeatToken(trx, held, token, makerOf(by)))
  return { token }
}

/**
 * Pauses or resumes a heartbeat by the switch of its organisation or of the operator (`which`). A pause keeps the state and ends
 * an open incident without an alert. A resumed heartbeat is new again.
 */
export async function switchOneHeartbeat(
  deps: Deps,
  key: HeartbeatKey,
  which: 'enabled' | 'platform_enabled',
  on: boolean,
  by?: Actor,
): Promise<void> {
  await change(deps, key, by, on ? 'heartbeat.resume' : 'heartbeat.pause', async (trx, held) => {
    await updateHeartbeatSwitch(trx, held, which, on)
    if (!on) await endQuietly(trx, deps, held, 'paused')
  })
}

/** Deletes a heartbeat and its pings, without an alert. */
export async function removeOneHeartbeat(deps: Deps, key: HeartbeatKey, by?: Actor): Promise<void> {
  await change(deps, key, by, 'heartbeat.delete', async (trx, held) => {
    await endQuietly(trx, deps, held, 'deleted')
    await deleteHeartbeat(trx, held)
    await deleteMute(trx, held.org_id, heartbeatSubject(held))
    await deleteRefusedPing(trx, held)
  })
}

/** Ends an open incident of a heartbeat without an alert. */
async function endQuietly(trx: Trx, deps: Deps, held: HeartbeatPlace, reason: 'paused' | 'deleted'): Promise<void> {
  const { org_id, heartbeat_id } = held
  const now = fromDate(deps.clock.now())
  await closingKept(trx, deps, { org_id, heartbeat_ids: [heartbeat_id], reason }, () =>
    endIncidents(trx, org_id, 'heartbeat', [heartbeat_id], {
      ended_at: now,
      end_reason: reason === 'paused' ? 'disabled' : 'deleted',
    }),
  )
}

/** Pauses or resumes a heartbeat of any organisation, for operators. */
export async function switchHeartbeat(
  deps: Deps,
  guid: string,
  which: 'enabled' | 'platform_enabled',
  on: boolean,
): Promise<void> {
  await switchOneHeartbeat(deps, await findKey(deps, guid), which, on)
}

/** Gives a heartbeat of any organisation a new ping URL, for operators. Returns its token. */
export async function rotateHeartbeat(deps: Deps, guid: string): Promise<{ token: string }> {
  return rotateHeartbeatToken(deps, await findKey(deps, guid))
}

/** Deletes a heartbeat of any organisation, for operators. */
export async function removeHeartbeat(deps: Deps, guid: string): Promise<void> {
  await removeOneHeartbeat(deps, await findKey(deps, guid))
}

async function findKey({ database }: Deps, guid: string): Promise<HeartbeatKey> {
  const place = await findHeartbeatPlace(database.people, guid)
  if (!place) throw noSuchHeartbeat()
  return { org_id: place.org_id, guid }
}

async function change(
  deps: Deps,
  key: HeartbeatKey,
  by: Actor | undefined,
  action: AuditAction,
  apply: (trx: Trx, held: HeartbeatCase) => Promise<void>,
  /** Returns further details for the audit log. Runs before `apply`, so that it can read the previous settings. */
  detailOf?: (trx: Trx, held: HeartbeatCase) => Promise<Record<string, unknown>>,
): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const place = isStorable(key.guid) ? await findOwnHeartbeatPlace(trx, key) : undefined
    const held = place && (await lockHeartbeatCase(trx, place))
    if (!held) throw noSuchHeartbeat()
    const detail = await detailOf?.(trx, held)
    await apply(trx, held)
    await recordAuditEntry(trx, deps, by, {
      org_id: held.org_id,
      action,
      subject: held.name,
      ...(detail && { detail }),
    })
  })
}

/** Fields of a heartbeat that determine its deadline. */
export type HeldHeartbeat = Pick<HeartbeatCase, 'paused' | 'last_heartbeat_at'> & { state: string }

/** Returns the deadline of a heartbeat after an edit, or null if it cannot be overdue. */
export function dueAfterEdit(
  { state, paused, last_heartbeat_at }: HeldHeartbeat,
  wanted: Omit<NewHeartbeat, 'show_on_status_page'>,
): string | null {
  if (state !== 'up' || paused || last_heartbeat_at === null) return null
  return fromDate(new Date(dueAt(wanted, last_heartbeat_at)))
}

/** Sets the interval of a heartbeat with a cron expression to the longest time between two of its times. */
function withSchedule(wanted: NewHeartbeat, now: Date): NewHeartbeat {
  const [cron, zone] = [wanted.cron ?? null, wanted.cron_zone ?? null]
  if (cron === null) {
    if (zone !== null) throw new FieldError('invalid', 'cron_zone', 'needs a cron expression')
    return wanted
  }
  const read = readCron(cron, zone ?? '', now)
  if ('fault' in read) throw new FieldError('invalid', read.fault.field, read.fault.must)
  return { ...wanted, interval_sec: read.interval_sec }
}

/** Refuses settings that no heartbeat may have, before anything is stored. */
export function requireSoundHeartbeat(given: NewHeartbeat, now: Date): void {
  requireHeartbeat(withSchedule(given, now))
}

/** Valid settings of a heartbeat, as the database stores them. */
export type SoundHeartbeat = Required<NewHeartbeat>

/** Returns the given settings as the database stores them. Refuses settings that no heartbeat may have. */
export function soundHeartbeat(given: NewHeartbeat, now: Date): SoundHeartbeat {
  const wanted = withSchedule(given, now)
  requireHeartbeat(wanted)
  const { cron = null, cron_zone = null, tags = [] } = wanted
  return { ...wanted, cron, cron_zone, tags: tidyTags(tags) }
}

function requireHeartbeat(wanted: NewHeartbeat): void {
  requireName('name', wanted.name)
  requireSeconds('interval_sec', wanted.interval_sec, 1)
  requireSeconds('grace_sec', wanted.grace_sec, 0)
  requireSeconds('resend_interval_sec', wanted.resend_interval_sec, 0)
  const must = wanted.tags && faultOfTags(wanted.tags)
  if (must !== undefined) throw new FieldError('invalid', 'tags', must)
}

function tidy(wanted: NewHeartbeat): NewHeartbeat {
  return wanted.tags ? { ...wanted, tags: tidyTags(wanted.tags) } : wanted
}

function requireSeconds(field: string, value: number, min: number): void {
  if (!Number.isInteger(value) || value < min || value > MAX_SEC) {
    throw new FieldError('invalid', field, `must be a whole number from ${min} to ${MAX_SEC}`)
  }
}

function noSuchHeartbeat(): DomainError {
  return new DomainError('missing', 'no heartbeat with that guid')
}
