// Converts checks to their shapes for monitors. Only this file knows these shapes.
import { type FieldsWith, fieldsWith, senderOf } from '@dogwatch/check-rules/fields'
import type { components } from '@dogwatch/contract/monitor'
import type { PendingRun } from '@dogwatch/domain/checks/asked-runs'
import type { SyncAnswer, SyncRow } from '@dogwatch/domain/checks/sync'
import type { MonitorClass } from '@dogwatch/domain/monitors/monitor'
import { lazyList } from '@dogwatch/runtime/json-pieces'
import { HOLD_SEC } from './holds.ts'

type SyncCheck = components['schemas']['Check']
/** Type that does not compile if the document lacks a field that monitors get. */
type SyncedContent = Pick<SyncCheck, FieldsWith<{ isSynced: true }>>
type ChecksResponse = components['schemas']['ChecksResponse']
type RunRequest = components['schemas']['RunRequest']

const toSent = senderOf(fieldsWith({ isSynced: true }))

/** Converts a delta. If `now` is absent, the agent does not correct its clock. */
export function toChecksResponse(
  { rows, server_time, now, runs }: SyncAnswer,
  monitor_class: MonitorClass,
): ChecksResponse {
  return {
    checks: lazyList(rows, toSyncCheck),
    server_time,
    class: monitor_class,
    ...(now !== undefined && { now }),
    wait_sec: HOLD_SEC,
    ...(runs.length > 0 && { runs: runs.map((run) => toRunRequest(run, server_time)) }),
  }
}

function toRunRequest({ run_id: id, check_guid, definition }: PendingRun, server_time: string): RunRequest {
  if (!definition) return { id, ...(check_guid !== null && { check_guid }) }
  const alone = { active: true, monitor_count: 1, monitor_rank: null }
  return { id, check: toSyncCheck({ ...definition, ...alone, guid: id, updated_at: server_time }) }
}

/**
 * Converts a check. Omits optional fields that are 0, false or empty. A check that the monitor no longer runs is a tombstone
 * without content.
 */
function toSyncCheck(row: SyncRow): SyncCheck {
  const { guid, interval_sec, result_detail_max_chars, updated_at } = row
  if (!row.active) {
    const blank = { name: '', url: '', enabled: false, match_string: '' }
    return { guid, ...blank, deleted: true, interval_sec, result_detail_max_chars, updated_at }
  }
  const { monitor_count, monitor_rank } = row
  const content: SyncedContent = toSent(row)
  return {
    guid,
    ...content,
    deleted: false,
    updated_at,
    ...(monitor_rank !== null && { monitor_count, monitor_rank }),
  }
}
