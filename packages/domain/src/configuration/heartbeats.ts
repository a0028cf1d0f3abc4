// Reads and changes heartbeats for the configuration API.
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import {
  findHeartbeat,
  findPingToken,
  type HeartbeatRow,
  listHeartbeats,
  lockHeartbeat,
} from '@dogwatch/store/heartbeats/heartbeats'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import {
  createHeartbeat,
  editHeartbeat,
  type NewHeartbeat,
  removeOneHeartbeat,
  rotateHeartbeatToken,
  switchOneHeartbeat,
} from '../heartbeats/edit.ts'
import { isStorable } from '../text.ts'
import { numberIn, requireGiven, switchIn, textIn } from './body-fields.ts'
import { changedKey, readKey, resolveReference, setKey } from './keys.ts'
import { type Input, type Kind, type Page, pageOf, unknownCursor, versionFrom } from './kind.ts'
import { type ChangedItem, editsBy, lockedChanges } from './locked-change.ts'
import { together } from './together.ts'

export type ConfiguredHeartbeat = HeartbeatRow

const DEFAULT_GRACE_SEC = 3600
const DEFAULT_ZONE = 'UTC'

async function list(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  { limit, after, tag }: Page,
): Promise<{ things: ConfiguredHeartbeat[]; next: string | undefined }> {
  if (after !== undefined && !isStorable(after)) throw unknownCursor()
  // No heartbeat has a tag that the database cannot store.
  if (tag !== undefined && !isStorable(tag)) return { things: [], next: undefined }
  const rows = await listHeartbeats(database.people, org_id, { limit: limit + 1, after, tag })
  if (after !== undefined && rows.length === 0 && !(await findHeartbeat(database.people, org_id, after))) {
    throw unknownCursor()
  }
  return pageOf(rows, limit, ({ guid }) => guid)
}

async function read(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  reference: string,
): Promise<ConfiguredHeartbeat> {
  const guid = await resolveReference(database.people, org_id, 'heartbeat', reference)
  const found = isStorable(guid) ? await findHeartbeat(database.people, org_id, guid) : undefined
  if (!found) throw noSuchHeartbeat()
  return found
}

async function create(deps: Deps, { org_id, actor }: Editor, input: Input): Promise<ConfiguredHeartbeat> {
  const [key, wanted] = [readKey(input), wantedOf(input)]
  const enabled = switchIn(input, 'enabled') ?? true
  return together(deps, async (inner, trx) => {
    const { guid } = await createHeartbeat(inner, org_id, wanted, actor)
    await setKey(trx, org_id, 'heartbeat', { id: guid, key })
    if (!enabled) await switchOneHeartbeat(inner, { org_id, guid }, 'enabled', false, actor)
    return read(inner, org_id, guid)
  })
}

/** Returns all fields of a heartbeat after a change that sets some of them. */
function merge(before: ConfiguredHeartbeat, input: Input): Input {
  const { cron, interval_sec } = before
  const given = numberIn(input, 'interval_sec')
  if (cron !== null && !('cron' in input) && given !== undefined && given !== interval_sec) {
    throw new FieldError(
      'invalid',
      'interval_sec',
      'cannot be changed while the heartbeat has a cron expression; also send cron as null',
    )
  }
  // A time zone means nothing without a cron expression.
  const dropped = 'cron' in input && (input.cron ?? null) === null ? { cron_zone: null } : {}
  return { ...before, key: undefined, ...dropped, ...input }
}

function edit(
  deps: Deps,
  by: Editor,
  changed: ChangedItem,
  wholeOf: (before: ConfiguredHeartbeat) => Input,
): Promise<ConfiguredHeartbeat> {
  const { org_id, actor } = by
  return CHANGES.changeBy(deps, by, changed, async (inner, before) => {
    const { guid, show_on_status_page } = before
    const input = wholeOf(before)
    const key = readKey(input)
    await setKey(inner.database.people, org_id, 'heartbeat', { id: guid, key })
    const wanted = { ...wantedOf(input), show_on_status_page }
    await editHeartbeat(inner, { org_id, guid }, wanted, actor, changedKey(before.key, key))
    await setEnabled(inner, by, before, switchIn(input, 'enabled') ?? true)
  })
}

/** Pauses or resumes a heartbeat. */
function switchOne(deps: Deps, by: Editor, reference: string, enabled: boolean): Promise<ConfiguredHeartbeat> {
  return CHANGES.changeBy(deps, by, { reference }, (inner, before) => setEnabled(inner, by, before, enabled))
}

async function setEnabled(
  inner: Deps,
  { org_id, actor }: Editor,
  { guid, enabled: was }: ConfiguredHeartbeat,
  enabled: boolean,
): Promise<void> {
  if (was !== enabled) await switchOneHeartbeat(inner, { org_id, guid }, 'enabled', enabled, actor)
}

/** Returns the token of a heartbeat's ping URL. It is only for callers that may change the heartbeat. */
export async function readPingToken(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  reference: string,
): Promise<{ guid: string; token: string }> {
  const { guid } = await read(deps, org_id, reference)
  const token = await findPingToken(deps.database.people, org_id, guid)
  if (token === undefined) throw noSuchHeartbeat()
  return { guid, token }
}

export async function rotatePingToken(
  deps: Deps,
  { org_id, actor }: Editor,
  reference: string,
): Promise<{ guid: string; token: string }> {
  return together(deps, async (inner) => {
    const { guid } = await read(inner, org_id, reference)
    await rotateHeartbeatToken(inner, { org_id, guid }, actor)
    return readPingToken(inner, org_id, guid)
  })
}

const CHANGES = lockedChanges<ConfiguredHeartbeat>({
  idOf: ({ guid }) => guid,
  versionOf,
  async lock(_, trx, org_id, reference) {
    await lockOrganisation(trx, org_id)
    const guid = await resolveReference(trx, org_id, 'heartbeat', reference)
    const found = isStorable(guid) ? await lockHeartbeat(trx, org_id, guid) : undefined
    if (!found) throw noSuchHeartbeat()
    return found
  },
  readChanged: read,
  removeOne: (inner, { org_id, actor }, { guid }) => removeOneHeartbeat(inner, { org_id, guid }, actor),
})

/** Returns the heartbeat that a body describes. Fields that are null or absent get their defaults. */
export function wantedOf(input: Input): NewHeartbeat {
  const cron = textIn(input, 'cron') ?? null
  const zone = textIn(input, 'cron_zone')
  return {
    name: requireGiven('name', textIn(input, 'name')),
    // A cron expression determines the interval.
    interval_sec: cron === null ? requireGiven('interval_sec', numberIn(input, 'interval_sec')) : 1,
    cron,
    cron_zone: cron === null ? (zone ?? null) : (zone ?? DEFAULT_ZONE),
    grace_sec: numberIn(input, 'grace_sec') ?? DEFAULT_GRACE_SEC,
    resend_interval_sec: numberIn(input, 'resend_interval_sec') ?? 0,
    tags: (input.tags ?? []) as readonly string[],
    show_on_status_page: false,
  }
}

function noSuchHeartbeat(): DomainError {
  return new DomainError('missing', 'no heartbeat with that guid')
}

function decidedOf(heartbeat: ConfiguredHeartbeat) {
  const { key, name, interval_sec, grace_sec, cron, cron_zone, resend_interval_sec, tags, enabled } = heartbeat
  return {
    ...(key !== null && { key }),
    name,
    // A cron expression determines the interval, which changes with time.
    ...(cron === null && { interval_sec }),
    grace_sec,
    ...(cron !== null && { cron }),
    ...(cron_zone !== null && { cron_zone }),
    ...(resend_interval_sec > 0 && { resend_interval_sec }),
    ...(tags.length > 0 && { tags: [...tags] }),
    enabled,
  }
}

function versionOf(heartbeat: ConfiguredHeartbeat): string {
  return versionFrom(decidedOf(heartbeat))
}

function toWire(heartbeat: ConfiguredHeartbeat) {
  const { guid, interval_sec, show_on_status_page, platform_enabled, state, down_since, last_heartbeat_at } = heartbeat
  return {
    guid,
    ...decidedOf(heartbeat),
    interval_sec,
    show_on_status_page,
    ...(!platform_enabled && { disabled_by_platform: true }),
    state,
    ...(down_since !== null && { down_since }),
    ...(last_heartbeat_at !== null && { last_heartbeat_at }),
  }
}

export const HEARTBEAT = {
  name: 'heartbeat',
  derived: ['guid', 'show_on_status_page', 'disabled_by_platform', 'state', 'down_since', 'last_heartbeat_at'],
  list,
  read,
  create,
  ...CHANGES,
  ...editsBy(edit, merge),
  switch: switchOne,
  toWire,
  derivedOf: ({ cron }) => (cron === null ? [] : ['interval_sec']),
} satisfies Kind<ConfiguredHeartbeat>
