// Creates, edits and deletes many heartbeats of an organisation with statements for all of them, by the rules that apply to a
// single heartbeat. The callers have validated the settings with `soundHeartbeat`, and hold the locks of the organisation and of
// the heartbeats.
import { setImmediate as pause } from 'node:timers/promises'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { endIncidents } from '@dogwatch/store/checks/incidents'
import type { Trx } from '@dogwatch/store/database'
import type { HeartbeatColumns } from '@dogwatch/store/heartbeats/heartbeats'
import {
  deleteHeartbeats,
  type EditedHeartbeatRow,
  insertHeartbeats,
  listHeartbeatIds,
  lockHeartbeatTags,
  updateHeartbeats,
  updateHeartbeatsEnabled,
  updateHeartbeatTags,
} from '@dogwatch/store/heartbeats/many-heartbeats'
import { deleteMutes } from '@dogwatch/store/routing/mutes'
import { plainValues } from '../audit/changed-fields.ts'
import { type AuditRecord, type Origin, recordAuditEntries } from '../audit/record.ts'
import { recordsOfCreated, recordsOfEdited, type SwitchActions } from '../audit/switchable.ts'
import type { Deps } from '../deps.ts'
import { closingKept } from '../events/close-kept.ts'
import { makerOf } from '../organisations/makers.ts'
import { heartbeatSubject } from './event-data.ts'
import { dueAfterEdit, type HeldHeartbeat } from './heartbeat.ts'

/**
 * Number of deadlines to compute before other requests have their turn. Each heartbeat can be the first in its time zone, which
 * takes milliseconds to read.
 */
const DUE_AT_ONCE = 10

const ACTIONS: SwitchActions = {
  create: 'heartbeat.create',
  edit: 'heartbeat.edit',
  on: 'heartbeat.resume',
  off: 'heartbeat.pause',
}

export interface CreatedHeartbeat {
  guid: string
  /** Token of the ping URL. */
  token: string
  key: string | null
  enabled: boolean
  wanted: Required<HeartbeatColumns>
}

export async function createHeartbeats(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  created: readonly CreatedHeartbeat[],
): Promise<void> {
  const rows = created.map(({ wanted, ...rest }) => ({ ...wanted, ...rest }))
  await insertHeartbeats(trx, org_id, rows, makerOf(actor))
  const items = created.map(({ enabled, wanted: { name } }) => ({ name, enabled }))
  await recordAuditEntries(trx, deps, actor, recordsOfCreated(org_id, ACTIONS, items))
}

export interface ChangedHeartbeat {
  guid: string
  held: HeldHeartbeat & { name: string; enabled: boolean }
  enabled: boolean
  wanted: Required<HeartbeatColumns>
  /** Names of the fields that change, for the audit log. `enabled` is never one of them. */
  changed: readonly string[]
}

export async function editHeartbeats(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  changed: readonly ChangedHeartbeat[],
): Promise<void> {
  const edited = changed.filter((one) => one.changed.length > 0)
  const rows: EditedHeartbeatRow[] = []
  for (const { guid, held, wanted } of edited) {
    if (rows.length % DUE_AT_ONCE === DUE_AT_ONCE - 1) await pause()
    rows.push({ ...wanted, guid, due_at: dueAfterEdit(held, wanted) })
  }
  await updateHeartbeats(trx, org_id, rows)
  for (const on of [true, false]) {
    const moved = changed.filter(({ enabled, held }) => enabled === on && held.enabled !== on)
    const guids = moved.map(({ guid }) => guid)
    const ids = await updateHeartbeatsEnabled(trx, org_id, guids, on)
    if (!on) await endQuietly(trx, deps, org_id, ids, 'paused')
  }
  const items = changed.map(({ wanted, ...one }) => {
    return { ...one, name: wanted.name, more: plainValues(one.changed, one.held, wanted) }
  })
  await recordAuditEntries(trx, deps, actor, recordsOfEdited(org_id, ACTIONS, items))
}

/** Locks heartbeats and replaces their tags. */
export async function retagHeartbeats(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  guids: readonly string[],
  after: (tags: readonly string[]) => string[],
): Promise<void> {
  if (guids.length === 0) return
  const held = await lockHeartbeatTags(trx, org_id, guids)
  const changed = held.map(({ guid, name, tags }) => ({ guid, name, tags: after(tags) }))
  await updateHeartbeatTags(trx, org_id, changed)
  const deeds = changed.map(({ name }): AuditRecord => {
    return { org_id, action: 'heartbeat.edit' as const, subject: name, detail: { changed: ['tags'] } }
  })
  await recordAuditEntries(trx, deps, actor, deeds)
}

/** Deletes heartbeats and their pings, without an alert. */
export async function removeHeartbeats(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  removed: readonly { guid: string; name: string }[],
): Promise<void> {
  const guids = removed.map(({ guid }) => guid)
  const ids = await listHeartbeatIds(trx, org_id, guids)
  await endQuietly(trx, deps, org_id, ids, 'deleted')
  await deleteHeartbeats(trx, org_id, ids)
  await deleteMutes(
    trx,
    org_id,
    ids.map((heartbeat_id) => heartbeatSubject({ heartbeat_id })),
  )
  const deeds = removed.map(({ name }): AuditRecord => ({ org_id, action: 'heartbeat.delete', subject: name }))
  await recordAuditEntries(trx, deps, actor, deeds)
}

/** Ends the open incidents of heartbeats without an alert. */
export async function endQuietly(
  trx: Trx,
  deps: Deps,
  org_id: number,
  heartbeat_ids: readonly number[],
  reason: 'paused' | 'deleted',
): Promise<void> {
  if (heartbeat_ids.length === 0) return
  const now = fromDate(deps.clock.now())
  await closingKept(trx, deps, { org_id, heartbeat_ids, reason }, () =>
    endIncidents(trx, org_id, 'heartbeat', heartbeat_ids, {
      ended_at: now,
      end_reason: reason === 'paused' ? 'disabled' : 'deleted',
    }),
  )
}
