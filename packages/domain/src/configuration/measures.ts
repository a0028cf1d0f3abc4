// Reads the current metrics of an organisation's checks, heartbeats and monitors, for monitoring systems that request numbers.
import { Pace } from '@dogwatch/runtime/pace'
import { type CheckFilter, countChecks, listKeysAndTags } from '@dogwatch/store/checks/checks'
import { countSomeHeartbeats } from '@dogwatch/store/heartbeats/heartbeats'
import { listCertificatesAt } from '@dogwatch/store/results/newest'
import { readCheckStates } from '../checks/overview.ts'
import { readRecentRuns } from '../checks/recent-runs.ts'
import { type CheckState, stateWithResult } from '../checks/state.ts'
import type { Deps } from '../deps.ts'
import { readHeartbeats } from '../heartbeats/read.ts'
import { readVisibleMonitors } from '../monitors/read.ts'
import { isStorable } from '../text.ts'

export interface MeasuredCheck {
  guid: string
  name: string
  key: string | undefined
  tags: readonly string[]
  state: CheckState
  is_down: boolean
  is_degraded: boolean
  /** Time of the check's newest result. `latency_ms` and `cert_expires_at` come from the same result. */
  ran_at: string | undefined
  latency_ms: number | undefined
  cert_expires_at: string | undefined
  /** Share of the runs of the last 24 hours that succeeded, from 0 to 1. `coverage`: share of the due runs that arrived. */
  uptime: number | undefined
  coverage: number | undefined
}

export interface MeasuredHeartbeat {
  guid: string
  name: string
  key: string | undefined
  tags: readonly string[]
  is_paused: boolean
  /** Whether the heartbeat is up. Undefined before its first ping. */
  is_up: boolean | undefined
  pinged_at: string | undefined
}

export interface MeasuredMonitor {
  id: string
  name: string
  class: 'shared' | 'private'
  is_online: boolean
}

/** Filter for checks and heartbeats. Absent fields match all of them. */
export type Some = Pick<CheckFilter, 'tag' | 'guid' | 'part'>

/** Returns how many checks or heartbeats {@link readMeasuredChecks} or {@link readMeasuredHeartbeats} would read. */
export async function countMeasured(
  { database: { people } }: Deps,
  org_id: number,
  what: 'checks' | 'heartbeats',
  some: Some,
): Promise<number> {
  if (namesNothing(some)) return 0
  return what === 'checks' ? countChecks(people, org_id, some) : countSomeHeartbeats(people, org_id, some)
}

function namesNothing({ tag = '', guid = '' }: Some): boolean {
  return !isStorable(tag) || !isStorable(guid)
}

/** Cost of one check, in steps of {@link Pace}. */
const STEPS_EACH = 200

/** Reads the metrics of the selected checks, and nothing of the others. */
export async function readMeasuredChecks(deps: Deps, org_id: number, some: Some = {}): Promise<MeasuredCheck[]> {
  const { database, clock } = deps
  const now = clock.now()
  const named = namesNothing(some) ? [] : await listKeysAndTags(database.people, org_id, some)
  if (named.length === 0) return []
  const isAll = Object.values(some).every((one) => one === undefined)
  const check_ids = isAll ? undefined : named.map(({ check_id }) => check_id)
  const rows = await readCheckStates(database, org_id, now, check_ids)
  const recentOf = await readRecentRuns(database, org_id, now, rows)
  const namesOf = new Map(named.map((one) => [one.check_id, one]))
  const newest = rows.flatMap(({ check_id, latest }) => (latest ? [{ check_id, ran_at: latest.ran_at }] : []))
  const certificates = await listCertificatesAt(database, org_id, newest)
  const measure = (row: (typeof rows)[number]): MeasuredCheck => {
    const { check_id, guid, name, latest, down_since, degraded_since } = row
    const { runs = 0, failures = 0, due = 0, arrived = 0 } = recentOf.get(check_id)?.day ?? {}
    return {
      ...{ guid, name, key: namesOf.get(check_id)?.key ?? undefined, tags: namesOf.get(check_id)?.tags ?? [] },
      state: stateWithResult(row).state,
      is_down: down_since !== null,
      is_degraded: degraded_since !== null,
      ran_at: latest?.ran_at,
      latency_ms: latest?.latency_ms,
      cert_expires_at: certificates.get(check_id),
      uptime: runs === 0 ? undefined : (runs - failures) / runs,
      coverage: due === 0 ? undefined : Math.min(1, arrived / due),
    }
  }
  return new Pace().map(rows, measure, () => STEPS_EACH)
}

export async function readMeasuredHeartbeats(
  deps: Deps,
  org_id: number,
  some: Omit<Some, 'guid'> = {},
): Promise<MeasuredHeartbeat[]> {
  const rows = namesNothing(some) ? [] : await readHeartbeats(deps, org_id, some)
  return rows.map(({ guid, name, key, tags, enabled, platform_enabled, state, last_heartbeat_at }) => ({
    ...{ guid, name, key: key ?? undefined, tags },
    is_paused: !enabled || !platform_enabled,
    is_up: state === 'up' || state === 'down' ? state === 'up' : undefined,
    pinged_at: last_heartbeat_at ?? undefined,
  }))
}

export async function readMeasuredMonitors(deps: Deps, org_id: number): Promise<MeasuredMonitor[]> {
  const rows = await readVisibleMonitors(deps, org_id)
  return rows.map(({ id, name, org_id: owner, online }) => ({
    id,
    name,
    class: owner === null ? 'shared' : 'private',
    is_online: online,
  }))
}
