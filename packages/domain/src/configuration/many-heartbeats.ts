// Stores or deletes many heartbeats at once.
import { newGuid } from '@dogwatch/runtime/ids'
import { newToken } from '@dogwatch/runtime/tokens'
import { findOrganisation } from '@dogwatch/store/accounts/organisations'
import { countHeartbeats, type HeartbeatColumns, listHeartbeatsOf } from '@dogwatch/store/heartbeats/heartbeats'
import type { Deps } from '../deps.ts'
import { changedSettings, requireRoomForHeartbeat, soundHeartbeat } from '../heartbeats/edit.ts'
import { createHeartbeats, editHeartbeats, removeHeartbeats } from '../heartbeats/edit-many.ts'
import { switchIn } from './body-fields.ts'
import type { Faults } from './faults.ts'
import { type ConfiguredHeartbeat, HEARTBEAT, wantedOf } from './heartbeats.ts'
import { changedKey, type KeyOfMany, readKey, requireKeysFree, setKeys } from './keys.ts'
import type { Input, Inside, ManyOf, PutOfMany } from './kind.ts'

interface ReadHeartbeat {
  wanted: Required<HeartbeatColumns>
  enabled: boolean
  key: string | null | undefined
}

type HeartbeatPut = KeyOfMany & ReadHeartbeat & { before: ConfiguredHeartbeat | undefined; after: ConfiguredHeartbeat }

function read({ clock }: Pick<Deps, 'clock'>, input: Input): ReadHeartbeat {
  const [key, wanted] = [readKey(input), soundHeartbeat(wantedOf(input), clock.now())]
  return { key, wanted, enabled: switchIn(input, 'enabled') ?? true }
}

function list({ trx, by: { org_id } }: Inside, guids: readonly string[]): Promise<ConfiguredHeartbeat[]> {
  return listHeartbeatsOf(trx, org_id, guids)
}

async function put(inside: Inside, puts: readonly PutOfMany<ConfiguredHeartbeat>[], faults: Faults) {
  const { deps, trx, by } = inside
  const placed = puts.map((one) => place(deps, one))
  const created = placed.filter(({ before }) => !before)
  await requireKeysFree(trx, by.org_id, 'heartbeat', placed, faults)
  await requireRoom(inside, created, faults)
  if (!faults.isEmpty) return []
  const held = placed.filter(({ before }) => before)
  await setKeys(trx, by.org_id, 'heartbeat', held)
  await editHeartbeats(trx, deps, by, held.flatMap(changeOf))
  const rows = created.map(({ id: guid, key = null, enabled, wanted }) => {
    return { guid, token: newToken('beat', deps.random), key, enabled, wanted }
  })
  await createHeartbeats(trx, deps, by, rows)
  return placed.map(({ after }) => after)
}

function place(
  { random }: Pick<Deps, 'random'>,
  { index, before, read: made }: PutOfMany<ConfiguredHeartbeat>,
): HeartbeatPut {
  const { wanted: given, enabled, key } = made as ReadHeartbeat
  const wanted = { ...given, show_on_status_page: before?.show_on_status_page ?? false }
  const id = before?.guid ?? newGuid(random)
  const after = { ...(before ?? NEW), ...wanted, guid: id, enabled, ...(key !== undefined && { key }) }
  return { index, id, held: before?.key ?? null, key, wanted, enabled, before, after }
}

const NEW = {
  key: null,
  platform_enabled: true,
  state: 'new',
  down_since: null,
  last_heartbeat_at: null,
}

/** Returns the change of a heartbeat, or nothing if the heartbeat stays the same. */
function changeOf({ id: guid, before, after, wanted, enabled, key }: HeartbeatPut) {
  if (!before || HEARTBEAT.versionOf(before) === HEARTBEAT.versionOf(after)) return []
  const changed = [...changedSettings(wanted, before), ...changedKey(before.key, key)]
  const held = { ...before, paused: !(before.enabled && before.platform_enabled) }
  return [{ guid, held, enabled, wanted, changed }]
}

async function requireRoom(
  { trx, by: { org_id } }: Inside,
  created: readonly HeartbeatPut[],
  faults: Faults,
): Promise<void> {
  if (created.length === 0) return
  const organisation = await findOrganisation(trx, org_id)
  const there = await countHeartbeats(trx, org_id)
  for (const [n, { index }] of created.entries()) {
    await faults.during(index, () => organisation && requireRoomForHeartbeat(organisation, there + n))
  }
}

async function remove({ deps, trx, by }: Inside, things: readonly ConfiguredHeartbeat[]): Promise<void> {
  await removeHeartbeats(trx, deps, by, things)
}

export const MANY_HEARTBEATS = { read, list, put, remove } satisfies ManyOf<ConfiguredHeartbeat>
