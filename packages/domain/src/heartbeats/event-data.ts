// Builds the data of events about a heartbeat.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { HeartbeatCase } from '@dogwatch/store/heartbeats/heartbeats'
import type { Outage } from '../availability.ts'
import type { HeartbeatData, HeartbeatSubject } from '../events/event.ts'
import type { HeartbeatChange } from './heartbeat.ts'

/** Maximum number of our own outages that an event lists. It lists the newest. */
const MAX_OUTAGES = 5

/** Returns the subject of all events about a heartbeat. They share it so that they reach a channel in order. */
export function heartbeatSubject({ heartbeat_id }: { heartbeat_id: number }): string {
  return `heartbeat:${heartbeat_id}`
}

/** Returns the part of an event that describes the heartbeat itself. */
export function heartbeatAbout(
  heartbeat: Pick<HeartbeatCase, 'guid' | 'name' | 'interval_sec' | 'grace_sec' | 'cron' | 'cron_zone'>,
): HeartbeatSubject {
  const { guid, name, interval_sec, grace_sec, cron, cron_zone } = heartbeat
  return {
    guid,
    name,
    interval_sec,
    grace_sec,
    ...(cron !== null && { cron, cron_zone: cron_zone ?? 'UTC' }),
  }
}

/** Returns the data of heartbeat.down or heartbeat.up. The caller must pass the `last_heartbeat_at` from after the change. */
export function heartbeatData(
  heartbeat: HeartbeatCase & { incident_id: string },
  change: Exclude<HeartbeatChange, { kind: 'none' }>,
): HeartbeatData {
  const { last_heartbeat_at } = heartbeat
  return {
    org: { name: heartbeat.org_name },
    heartbeat: heartbeatAbout(heartbeat),
    state: change.kind,
    previous_state: heartbeat.state,
    incident_id: heartbeat.incident_id,
    since: change.since,
    ...(change.kind === 'up' ? endOf(change) : reasonOf(change)),
    ...(last_heartbeat_at !== null && { last_heartbeat_at }),
  }
}

function endOf({
  since,
  ended_at,
}: Extract<HeartbeatChange, { kind: 'up' }>): Pick<HeartbeatData, 'ended_at' | 'duration_sec' | 'reason'> {
  const duration_sec = Math.max(0, Math.round((Date.parse(ended_at) - Date.parse(since)) / 1000))
  return { ended_at, duration_sec, reason: 'recovered' }
}

function reasonOf({
  reason,
  exit_code,
  outages,
}: Extract<HeartbeatChange, { kind: 'down' }>): Pick<HeartbeatData, 'reason' | 'exit_code' | 'outages'> {
  return {
    reason,
    ...(exit_code !== undefined && { exit_code }),
    ...(outages && { outages: outages.slice(-MAX_OUTAGES).map(toTimes) }),
  }
}

function toTimes({ began, ended }: Outage): { began_at: string; ended_at: string } {
  return { began_at: fromDate(new Date(began)), ended_at: fromDate(new Date(ended)) }
}
