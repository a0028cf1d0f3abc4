// Creates, edits, enables, disables and deletes heartbeats.
import { faultOfTags, tidyTags } from '@dogwatch/check-rules/tags'
import { newGuid } from '@dogwatch/runtime/ids'
import { newToken } from '@dogwatch/runtime/tokens'
import { lockOrganisation, type OrganisationRow } from '@dogwatch/store/accounts/organisations'
import type { Trx } from '@dogwatch/store/database'
import {
  countHeartbeats,
  findHeartbeat,
  findHeartbeatPlace,
  findOwnHeartbeatPlace,
  type HeartbeatCase,
  type HeartbeatColumns,
  lockHeartbeatCase,
  updateHeartbeatToken,
} from '@dogwatch/store/heartbeats/heartbeats'
import { updateHeartbeats, updateHeartbeatsEnabled } from '@dogwatch/store/heartbeats/many-heartbeats'
import { changedFields, plainValues } from '../audit/changed-fields.ts'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { AuditAction } from '../audit/sentences.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { existing } from '../organisations/existing.ts'
import { makerOf } from '../organisations/makers.ts'
import { planOf } from '../organisations/plans.ts'
import { requireNotImpersonated } from '../people/sessions.ts'
import { isStorable, requireName } from '../text.ts'
import { createHeartbeats, endQuietly, removeHeartbeats } from './edit-many.ts'
import { dueAfterEdit } from './heartbeat.ts'
import { readCron } from './schedule.ts'

/** Settings of a heartbeat. On an edit, absent tags stay as they are. */
export type { HeartbeatColumns as NewHeartbeat }

/** Valid settings of a heartbeat, as the database stores them. */
type SoundHeartbeat = Required<HeartbeatColumns>

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
  given: HeartbeatColumns,
  by?: Actor,
): Promise<{ guid: string; token: string }> {
  const wanted = soundHeartbeat(given, deps.clock.now())
  return deps.database.people.transaction().execute(async (trx) => {
    requireRoomForHeartbeat(existing(await lockOrganisation(trx, org_id)), await countHeartbeats(trx, org_id))
    const [guid, token] = [newGuid(deps.random), newToken('beat', deps.random)]
    await createHeartbeats(trx, deps, { org_id, actor: by }, [{ guid, token, key: null, enabled: true, wanted }])
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
  given: HeartbeatColumns,
  by?: Actor,
  also: readonly string[] = [],
): Promise<void> {
  const sound = soundHeartbeat(given, deps.clock.now())
  await change(deps, key, by, 'heartbeat.edit', async (trx, held) => {
    const before = await findHeartbeat(trx, held.org_id, held.guid)
    if (!before) throw noSuchHeartbeat()
    const wanted = given.tags ? sound : { ...sound, tags: before.tags }
    await updateHeartbeats(trx, held.org_id, [{ ...wanted, guid: held.guid, due_at: dueAfterEdit(held, wanted) }])
    const changed = changedSettings(wanted, before)
    return { changed: [...changed, ...also], ...plainValues(changed, before, wanted) }
  })
}

/**
 * Returns the settings that an edit changes. Omits the interval if the heartbeat has a cron expression, because the interval
 * follows from it.
 */
export function changedSettings(wanted: SoundHeartbeat, before: SoundHeartbeat): string[] {
  const interval_sec = wanted.cron === null ? wanted.interval_sec : before.interval_sec
  return changedFields({ ...wanted, interval_sec }, before)
}

/** Gives a heartbeat a new ping URL; the old one stops working at once. */
export async function rotateHeartbeatToken(deps: Deps, key: HeartbeatKey, by?: Actor): Promise<{ token: string }> {
  requireNotImpersonated(by)
  const token = newToken('beat', deps.random)
  await change(deps, key, by, 'heartbeat.rotate', async (trx, held) => {
    await updateHeartbeatToken(trx, held, token, makerOf(by))
    return undefined
  })
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
    const { org_id, guid, heartbeat_id } = held
    await updateHeartbeatsEnabled(trx, org_id, [guid], on, which)
    if (!on) await endQuietly(trx, deps, org_id, [heartbeat_id], 'paused')
    return undefined
  })
}

/** Deletes a heartbeat and its pings, without an alert. */
export async function removeOneHeartbeat(deps: Deps, key: HeartbeatKey, by?: Actor): Promise<void> {
  await underLock(deps, key, (trx, held) => removeHeartbeats(trx, deps, { org_id: key.org_id, actor: by }, [held]))
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

/** Changes a heartbeat, and records it. `apply` returns further details for the audit log. */
async function change(
  deps: Deps,
  key: HeartbeatKey,
  by: Actor | undefined,
  action: AuditAction,
  apply: (trx: Trx, held: HeartbeatCase) => Promise<Record<string, unknown> | undefined>,
): Promise<void> {
  await underLock(deps, key, async (trx, held) => {
    const detail = await apply(trx, held)
    const deed = { org_id: held.org_id, action, subject: held.name, ...(detail && { detail }) }
    await recordAuditEntry(trx, deps, by, deed)
  })
}

async function underLock(
  deps: Deps,
  key: HeartbeatKey,
  work: (trx: Trx, held: HeartbeatCase) => Promise<void>,
): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const place = isStorable(key.guid) ? await findOwnHeartbeatPlace(trx, key) : undefined
    const held = place && (await lockHeartbeatCase(trx, place))
    if (!held) throw noSuchHeartbeat()
    await work(trx, held)
  })
}

/** Sets the interval of a heartbeat with a cron expression to the longest time between two of its times. */
function withSchedule(wanted: HeartbeatColumns, now: Date): HeartbeatColumns {
  const [cron, zone] = [wanted.cron ?? null, wanted.cron_zone ?? null]
  if (cron === null) {
    if (zone !== null) throw new FieldError('invalid', 'cron_zone', 'needs a cron expression')
    return wanted
  }
  const read = readCron(cron, zone ?? '', now)
  if ('fault' in read) throw new FieldError('invalid', read.fault.field, read.fault.must)
  return { ...wanted, interval_sec: read.interval_sec }
}

/** Returns the given settings as the database stores them. Refuses settings that no heartbeat may have. */
export function soundHeartbeat(given: HeartbeatColumns, now: Date): SoundHeartbeat {
  const wanted = withSchedule(given, now)
  requireHeartbeat(wanted)
  const { cron = null, cron_zone = null, tags = [] } = wanted
  return { ...wanted, cron, cron_zone, tags: tidyTags(tags) }
}

function requireHeartbeat(wanted: HeartbeatColumns): void {
  requireName('name', wanted.name)
  requireSeconds('interval_sec', wanted.interval_sec, 1)
  requireSeconds('grace_sec', wanted.grace_sec, 0)
  requireSeconds('resend_interval_sec', wanted.resend_interval_sec, 0)
  const must = wanted.tags && faultOfTags(wanted.tags)
  if (must !== undefined) throw new FieldError('invalid', 'tags', must)
}

function requireSeconds(field: string, value: number, min: number): void {
  if (!Number.isInteger(value) || value < min || value > MAX_SEC) {
    throw new FieldError('invalid', field, `must be a whole number from ${min} to ${MAX_SEC}`)
  }
}

function noSuchHeartbeat(): DomainError {
  return new DomainError('missing', 'no heartbeat with that guid')
}
