// Builds the data of events about a check.

import { isKindOfFailure } from '@dogwatch/channels/failure-words'
import { hideInUrl } from '@dogwatch/check-rules/secrets'
import type { Acknowledgement } from '@dogwatch/store/checks/acknowledgements'
import type { ActiveMonitor, CheckCase } from '@dogwatch/store/checks/check-health'
import type { LatestResult } from '@dogwatch/store/results/to-judge'
import type { CheckData, CheckSubject, MonitorView } from '../events/event.ts'
import type { HealthChange } from './health.ts'

/** Returns the subject of all events about a check. They share it so that they reach a channel in order. */
export function subjectOf({ check_id }: { check_id: number }): string {
  return `check:${check_id}`
}

/** Returns a check as messages name it: without secrets, and without a target if its definition is private. */
export function checkSubject({ guid, name, url }: { guid: string; name: string; url: string }): CheckSubject {
  return { guid, name, ...(url !== '' && { url: hideInUrl(withoutCredentials(url)) }) }
}

/** Returns the data of check.down or check.up. `latest` is newest first and not empty. */
export function checkData(
  check: CheckCase & { incident_id: string },
  latest: readonly LatestResult[],
  monitors: readonly ActiveMonitor[],
  change: Exclude<HealthChange, { kind: 'none' }>,
): CheckData {
  return {
    org: { name: check.org_name },
    check: checkSubject(check),
    state: change.kind,
    previous_state: change.kind === 'down' ? 'up' : 'down',
    incident_id: check.incident_id,
    ...(change.kind === 'down'
      ? { since: change.since }
      : { ...endOf(check.down_since ?? change.ended_at, change.ended_at), reason: change.reason }),
    ...newest(check, latest),
    ...(change.kind === 'down' && { failures: change.failures, ...(change.places && { places: change.places }) }),
    monitors: viewOf(check, latest, monitors),
    ...(change.kind === 'up' && acknowledgementOf(check)),
  }
}

/** Returns who acknowledged an incident and when, for events. Returns an empty object if no one did. */
export function acknowledgementOf({
  acknowledged_at,
  acknowledged_by,
}: Acknowledgement): Pick<CheckData, 'acknowledged_at' | 'acknowledged_by'> {
  return acknowledged_at === null || acknowledged_by === null ? {} : { acknowledged_at, acknowledged_by }
}

/** Returns the latest result of each active monitor that ran the check recently. */
export function viewOf(
  check: { url: string },
  latest: readonly LatestResult[],
  monitors: readonly ActiveMonitor[],
): MonitorView[] {
  return monitors.flatMap(({ id, name }) => {
    const last = latest.find(({ monitor_id }) => monitor_id === id)
    if (!last) return []
    return [{ id, name, failing: !last.success, ran_at: last.ran_at, ...errorOf(check, last) }]
  })
}

/** Returns the fields of the newest result, and the number of failures in a row. */
export function newest(
  check: { url: string },
  latest: readonly LatestResult[],
): Pick<CheckData, 'failures' | 'monitor' | 'ran_at' | 'error' | 'http_status' | 'latency_ms'> {
  const [last] = latest
  if (!last) throw new Error('the check has no results')
  const success = latest.findIndex((result) => result.success)
  return {
    failures: success === -1 ? latest.length : success,
    monitor: { id: last.monitor_id, name: last.monitor_name },
    ran_at: last.ran_at,
    ...errorOf(check, last),
    http_status: last.http_status,
    latency_ms: last.latency_ms,
  }
}

/** Returns the checks that have no result among `results`. */
export function without<Key extends { check_id: number }>(
  checks: readonly Key[],
  results: readonly LatestResult[],
): Key[] {
  const seen = new Set(results.map(({ check_id }) => check_id))
  return checks.filter(({ check_id }) => !seen.has(check_id))
}

/** Returns the start, end and duration of a span that has ended. */
export function endOf(since: string, ended_at: string): { since: string; ended_at: string; duration_sec: number } {
  const duration_sec = Math.max(0, Math.round((Date.parse(ended_at) - Date.parse(since)) / 1000))
  return { since, ended_at, duration_sec }
}

/**
 * Returns the error of a result. For a private definition, returns only the kind of failure, because the rest can quote the
 * target.
 */
function errorOf({ url }: { url: string }, { error }: LatestResult): { error?: string } {
  if (error === null) return {}
  if (url !== '') return { error }
  const kind = NUMBERED_RULE.test(error) ? error : kindOfError(error)
  return kind === undefined ? {} : { error: kind }
}

/** Pattern of the error for a failed assertion of a private definition, which contains only the number of the assertion. */
const NUMBERED_RULE = /^assertion: rule \d{1,2}$/

/** Returns the kind of failure at the start of an error. Returns undefined if the start may be part of a definition. */
export function kindOfError(error: string | null): string | undefined {
  const [kind = ''] = (error ?? '').split(':')
  return isKindOfFailure(kind) ? kind : undefined
}

function withoutCredentials(url: string): string {
  // Accepts any number of slashes and backslashes, as the programs that fetch the URL do.
  return url.replace(/^([a-z][a-z0-9+.-]*:[/\\]*)[^/\\?#]*@/i, '$1')
}
