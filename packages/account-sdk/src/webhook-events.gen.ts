// Generated from packages/domain/src/events/event.ts by `npm run generate`. Do not edit.
// Defines the events and their data. Messages and webhooks are made of nothing else. `npm run generate` makes the JSON Schemas of
// docs/reference/webhooks and the types of the account SDK from this file, so customers read its comments too. It imports
// nothing.

export const EVENT_TYPES = [
  'check.down',
  'check.reminder',
  'check.acknowledged',
  'check.up',
  'check.degraded',
  'check.undegraded',
  'check.certificate',
  'check.renewed',
  'check.unmonitored',
  'check.monitored',
  'check.flapping',
  'check.settled',
  'check.closed',
  'heartbeat.down',
  'heartbeat.reminder',
  'heartbeat.acknowledged',
  'heartbeat.up',
  'heartbeat.closed',
  'monitor.offline',
  'monitor.online',
  'monitor.failing',
  'monitor.settled',
  'channel.test',
  'alerts.summary',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The `data` of each type of event. */
export interface EventData {
  /** A check went down. */
  'check.down': CheckData & { state: 'down'; previous_state: 'up' }
  /** A check is still down. */
  'check.reminder': CheckData & { state: 'down'; previous_state: 'down'; duration_sec: number; reminder: number }
  /** Someone acknowledged the incident of a check. Reminders and escalation stop. */
  'check.acknowledged': AcknowledgedData & { check: CheckSubject }
  /** A check that was down is up again. */
  'check.up': CheckData & {
    state: 'up'
    previous_state: 'down'
    ended_at: Timestamp
    duration_sec: number
    reason: 'recovered' | 'threshold'
  }
  /** A check is degraded: it is up, but slower than its threshold. */
  'check.degraded': DegradedData & { state: 'degraded'; previous_state: 'up'; results: number }
  /** A degraded check is no longer slow. */
  'check.undegraded': DegradedData & {
    state: 'up'
    previous_state: 'degraded'
    ended_at: Timestamp
    duration_sec: number
    reason: 'recovered' | 'rules'
  }
  /** The certificate of a check's target expires soon. Sent once for each certificate and number of days. */
  'check.certificate': CertificateData & { state: 'degraded' }
  /** The target has a new certificate, or the check now warns fewer days before the expiry. */
  'check.renewed': CertificateData & { state: 'up'; reason: 'renewed' | 'rules' }
  /** Checks have no recent results, so their state is unknown. */
  'check.unmonitored': CoverageData & { state: 'unmonitored' }
  /** Results of checks that were unmonitored arrive again. */
  'check.monitored': CoverageData & { state: 'monitored' }
  /** A check changes state too often. No other alerts about the check are sent until it has settled. */
  'check.flapping': FlappingData & { state: 'flapping' }
  /** A check that was flapping has been up for 30 minutes, or down for seven and a half. If it is down, check.down follows. */
  'check.settled': FlappingData & { state: 'settled' }
  /**
   * A problem of a check ended without a recovery, because the check was paused or deleted, its rules changed, or no monitor runs it. Sent
   * only to PagerDuty, Opsgenie and Alertmanager, which track incidents.
   */
  'check.closed': ClosedData & { check: CheckSubject }
  /** A heartbeat went down: its job is overdue, or reported a failure. */
  'heartbeat.down': HeartbeatData & { state: 'down'; reason: 'overdue' | 'fail' | 'exit_code' }
  /** A heartbeat is still down. */
  'heartbeat.reminder': HeartbeatData & {
    state: 'down'
    previous_state: 'down'
    reason: 'overdue' | 'fail' | 'exit_code'
    duration_sec: number
    reminder: number
  }
  /** Someone acknowledged the incident of a heartbeat. Reminders and escalation stop. */
  'heartbeat.acknowledged': AcknowledgedData & { heartbeat: HeartbeatSubject }
  /** A heartbeat that was down is up again. */
  'heartbeat.up': HeartbeatData & { state: 'up'; ended_at: Timestamp; duration_sec: number; reason: 'recovered' }
  /**
   * Someone paused or deleted a heartbeat while it was down. Sent only to PagerDuty, Opsgenie and Alertmanager, which track
   * incidents.
   */
  'heartbeat.closed': ClosedData & { heartbeat: HeartbeatSubject }
  /** Private monitors have not contacted the server for three minutes. */
  'monitor.offline': MonitorData & { state: 'offline' }
  /** Offline monitors have contacted the server again. */
  'monitor.online': MonitorData & { state: 'online' }
  /** Many checks fail at once from one monitor only. Alerts about these checks wait. */
  'monitor.failing': FailingData & { state: 'failing' }
  /** The problem of a failing monitor has ended. A check.down follows for each check that is still down. */
  'monitor.settled': FailingData & {
    state: 'settled'
    ended_at: Timestamp
    duration_sec: number
    reason: 'recovered' | 'confirmed' | 'silent'
  }
  /** Someone sent a test message. */
  'channel.test': ChannelTestData
  /** One alert in place of many: how many alerts it replaces, and what is down now. */
  'alerts.summary': SummaryData
}

/**
 * UTC with six digits after the second: `2026-11-20T12:00:00.000000Z`.
 * @format date-time
 */
export type Timestamp = string

/** The newest result of one monitor for a check. */
export interface MonitorView {
  /** The monitor's id. */
  id: string
  name: string
  /** The newest result is a failure. */
  failing: boolean
  /** When the newest result ran. */
  ran_at: Timestamp
  /** The error. For a check with a private definition, only the kind of failure, for example `timeout`. */
  error?: string
}

export interface CheckSubject {
  guid: string
  name: string
  /** The target without user and password, and with `***` for tokens in its query. Absent when the check's definition is private. */
  url?: string
}

export interface HeartbeatSubject {
  guid: string
  name: string
  /** How often its job must ping, in seconds. With a cron expression: the longest time between two of its times. */
  interval_sec: number
  grace_sec: number
  /** When its job must ping, in place of an interval: five fields of cron, such as `30 2 * * 1-5`. */
  cron?: string
  /** The time zone of `cron`, such as `Europe/Paris`. Only with `cron`. */
  cron_zone?: string
}

/** The data of check.down, check.reminder and check.up. */
export interface CheckData {
  /** The organisation. */
  org: { name: string }
  check: CheckSubject
  state: 'down' | 'up'
  previous_state: 'down' | 'up'
  /** The ID of the incident, the same in all its events. */
  incident_id: string
  /** When the first failure of the incident ran. */
  since: Timestamp
  /** check.up: when the incident ended. */
  ended_at?: Timestamp
  /** check.up, check.reminder: how many seconds the check was down. */
  duration_sec?: number
  /** check.up: `recovered`, or `threshold` when the check is not down by its current rules. */
  reason?: 'recovered' | 'threshold'
  /** Failures in a row. When `places` is set: those of all monitors that are failing. */
  failures: number
  /** How many monitors were failing, of how many with a fresh result. Set when the check waits for several of them. */
  places?: { failing: number; of: number }
  /** check.reminder: the number of the reminder, from 1. */
  reminder?: number
  /**
   * check.down, check.reminder: the address of a page where anyone can acknowledge or mute the incident without signing in. It
   * works until the incident ends, for at most seven days. Treat the address as a secret.
   */
  acknowledge_url?: string
  /** check.up: when someone acknowledged the incident. Absent if no one did. */
  acknowledged_at?: Timestamp
  /** check.up: who acknowledged it. */
  acknowledged_by?: string
  /** The monitor that ran the newest result. If the server judges the check, as for composites: `Dogwatch`, with an empty ID. */
  monitor: { id: string; name: string }
  /** When the newest result ran. */
  ran_at: Timestamp
  /** The error of the newest result. */
  error?: string
  /** The HTTP status of the newest result, 0 when there is none. */
  http_status: number
  /** The response time of the newest result in milliseconds. */
  latency_ms: number
  /** The active monitors that ran the check lately. */
  monitors: MonitorView[]
}

/** The data of check.acknowledged and heartbeat.acknowledged. */
export interface AcknowledgedData {
  /** The organisation. */
  org: { name: string }
  check?: CheckSubject
  heartbeat?: HeartbeatSubject
  state: 'down'
  /** The ID of the incident, the same in all its events. */
  incident_id: string
  /** When the incident began. */
  since: Timestamp
  /** When someone acknowledged the incident. */
  acknowledged_at: Timestamp
  /**
   * The email address of the member who acknowledged it. Through the link in an alert: the name that was typed with the name of
   * the channel, as in `Ana (channel on call)`, or `the channel on call`.
   */
  acknowledged_by: string
  /** The note that was written with the acknowledgement, with line breaks. At most 2,000 characters. */
  note?: string
}

/** The data of check.flapping and check.settled. */
export interface FlappingData {
  /** The organisation. */
  org: { name: string }
  check: CheckSubject
  state: 'flapping' | 'settled'
  /** Whether the check is down or up at this moment. */
  check_state: 'down' | 'up'
  /** When the check began to change too often. */
  since: Timestamp
  /** How often it went down or came up since then. */
  changes: number
  /** The open incident, if the check is down. No check.down was sent about it yet. */
  incident_id?: string
  /** When the open incident began, if the check is down. */
  down_since?: Timestamp
}

/** The data of check.degraded and check.undegraded. */
export interface DegradedData {
  /** The organisation. */
  org: { name: string }
  check: CheckSubject
  state: 'degraded' | 'up'
  previous_state: 'up' | 'degraded'
  /** The ID of the degradation, the same in both its events. */
  degradation_id: string
  /** When the first of the slow results ran. */
  since: Timestamp
  /** check.undegraded: when the first result ran that was not slow. */
  ended_at?: Timestamp
  /** check.undegraded: how many seconds the check was degraded. */
  duration_sec?: number
  /** check.undegraded: `recovered`, or `rules` when the thresholds of the check changed. */
  reason?: 'recovered' | 'rules'
  /** check.degraded: why the check is degraded. Set only if the server judges the check, as for composites. */
  cause?: string
  /** The threshold in milliseconds. A response that takes longer is slow. 0 if the server judges the check. */
  degraded_over_ms: number
  /** check.degraded: slow results in a row. */
  results?: number
  /** The monitor that ran the newest result. */
  monitor: { id: string; name: string }
  /** When the newest result ran. */
  ran_at: Timestamp
  /** The response time of the newest result in milliseconds. */
  latency_ms: number
}

/** The data of check.certificate and check.renewed. */
export interface CertificateData {
  /** The organisation. */
  org: { name: string }
  check: CheckSubject
  state: 'degraded' | 'up'
  /** check.renewed: `renewed` when the target has another certificate, `rules` when the check warns later now. */
  reason?: 'renewed' | 'rules'
  /** When the certificate expires. If the definition of the check is private: the beginning of that day. */
  expires_at: Timestamp
  /** Whole days from the run to the expiry; less than 0 if the certificate had expired. */
  days_left: number
  /** The check warns when this many days are left. */
  warn_days: number
  /** The monitor that saw the certificate. */
  monitor: { id: string; name: string }
  /** When the monitor saw the certificate. */
  ran_at: Timestamp
}

/** The data of check.closed and heartbeat.closed. */
export interface ClosedData {
  /** The organisation. */
  org: { name: string }
  check?: CheckSubject
  heartbeat?: HeartbeatSubject
  state: 'closed'
  /** The type of the event that opened the problem. */
  closes:
    | 'check.down'
    | 'check.degraded'
    | 'check.certificate'
    | 'check.flapping'
    | 'check.unmonitored'
    | 'heartbeat.down'
  /** The checks, if `closes` is `check.unmonitored`. `check` is the first of them. */
  checks?: { guid: string; name: string; since: Timestamp }[]
  /** The checks that are still unmonitored, if `closes` is `check.unmonitored`. */
  still_unmonitored?: { guid: string; name: string; since: Timestamp }[]
  /** The incident, when it was one. */
  incident_id?: string
  /** When the problem began. */
  since: Timestamp
  ended_at: Timestamp
  /** Why it ended: the check or heartbeat was `paused` or `deleted`, its `rules` changed, or no monitor runs it (`unassigned`). */
  reason: 'paused' | 'deleted' | 'rules' | 'unassigned'
}

/** The data of heartbeat.down, heartbeat.reminder and heartbeat.up. */
export interface HeartbeatData {
  /** The organisation. */
  org: { name: string }
  /** The heartbeat, how often its job must ping, and the grace after that. */
  heartbeat: HeartbeatSubject
  state: 'down' | 'up'
  previous_state: 'new' | 'down' | 'up'
  /** The ID of the incident, the same in all its events. */
  incident_id: string
  /** When the heartbeat went down: the missed deadline, or the ping that reported a failure. */
  since: Timestamp
  /** heartbeat.up: when the incident ended. */
  ended_at?: Timestamp
  /** heartbeat.up, heartbeat.reminder: how many seconds the heartbeat was down. */
  duration_sec?: number
  /** Why the heartbeat is down: no ping in time, a ping to `/fail`, or an exit code above 0. heartbeat.up: `recovered`. */
  reason: 'overdue' | 'fail' | 'exit_code' | 'recovered'
  /** The exit code that the job reported, when that is the reason. */
  exit_code?: number
  /** The service's own outages since the last ping, oldest first, at most the last five. They moved the deadline. */
  outages?: { began_at: Timestamp; ended_at: Timestamp }[]
  /** When the last ping came. Absent when there was none. */
  last_heartbeat_at?: Timestamp
  /** heartbeat.reminder: the number of the reminder, from 1. */
  reminder?: number
  /**
   * heartbeat.down, heartbeat.reminder: the address of a page where anyone can acknowledge or mute the incident without signing
   * in. It works until the incident ends, for at most seven days. Treat the address as a secret.
   */
  acknowledge_url?: string
  /** heartbeat.up: when someone acknowledged the incident. Absent if no one did. */
  acknowledged_at?: Timestamp
  /** heartbeat.up: who acknowledged it. */
  acknowledged_by?: string
}

/** The data of check.unmonitored and check.monitored: one event for all checks of an organisation found at once. */
export interface CoverageData {
  /** The organisation. */
  org: { name: string }
  /** The check, when the event is about one check only. */
  check?: CheckSubject
  /** The checks that the event is about. */
  checks: (CheckSubject & {
    /** When the last result ran. */
    last_result_at?: Timestamp
    /** When the check became unmonitored. */
    since: Timestamp
    /** Set if the check was down when it was last monitored. Its incident goes on, without reminders during that time. */
    down_since?: Timestamp
    /** check.unmonitored: set if no monitor of the check can run it. The abilities that the monitors lack. */
    missing_abilities?: string[]
  })[]
  /** Checks of earlier events that are still unmonitored. */
  still_unmonitored: { guid: string; name: string; since: Timestamp }[]
  state: 'unmonitored' | 'monitored'
}

/** The data of monitor.offline and monitor.online: one event for all monitors of an organisation found at once. */
export interface MonitorData {
  /** The organisation. */
  org: { name: string }
  /** The monitor, when the event is about one monitor only. */
  monitor?: { id: string; name: string }
  /** The monitors that the event is about, and how many checks each of them runs. */
  monitors: { id: string; name: string; last_seen_at: Timestamp; since: Timestamp; checks: number }[]
  /** Monitors of earlier events that are still offline. */
  still_offline: { id: string; name: string; since: Timestamp }[]
  /** monitor.offline: how many checks these monitors leave unmonitored now, and which of those were down. */
  unmonitored?: { count: number; down: { guid: string; name: string; down_since: Timestamp }[] }
  state: 'offline' | 'online'
}

/** The data of monitor.failing and monitor.settled. */
export interface FailingData {
  /** The organisation. */
  org: { name: string }
  monitor: { id: string; name: string }
  /** The monitor once more, as in the other events about monitors. */
  monitors: { id: string; name: string; since: Timestamp }[]
  /** When the monitor began to count as failing. The same in both events. */
  since: Timestamp
  /** monitor.settled: when that was over. */
  ended_at?: Timestamp
  /** monitor.settled: how many seconds it lasted. */
  duration_sec?: number
  /**
   * monitor.settled: why the group ended. `confirmed`: other monitors see enough of its checks fail, too. `silent`: the monitor has sent
   * too few results lately. `recovered`: neither.
   */
  reason?: 'recovered' | 'confirmed' | 'silent'
  /** The checks that fail from this monitor and from nowhere else: 200 of them, when there are more. */
  checks: {
    guid: string
    name: string
    /** Set when the check is down by its rules. */
    down_since?: Timestamp
    /** `up` when another monitor has a fresh success, `unknown` when no other monitor has a fresh result. */
    elsewhere: 'up' | 'unknown'
  }[]
  /** How many checks fail from this monitor and from nowhere else, also those that `checks` does not list. */
  total?: number
  /**
   * The tags of the failing checks, if `checks` does not list all of them. Only the tags of checks that were looked at, and
   * absent if there are more than 500.
   */
  tags?: string[]
  /** How many checks have fresh results from the monitor. */
  ran: number
  /** The monitor runs more than 2,000 checks: `total` and `ran` are estimated from a part of them. */
  is_estimate?: boolean
  state: 'failing' | 'settled'
}

export interface ChannelTestData {
  /** The organisation. */
  org: { name: string }
  /** The channel under test. */
  channel: { id: number; name: string; kind: string }
}

/**
 * The data of alerts.summary: the alerts that exceeded the limit of a channel in a short time, and everything that is down now.
 */
export interface SummaryData {
  /** The organisation. */
  org: { name: string }
  /** The channel whose alerts these were. */
  channel: { id: number; name: string }
  /** How many alerts the summary replaces. */
  count: number
  /** How many there were of each type of event. */
  counts: { type: string; count: number }[]
  /** When the first of them happened. */
  since: Timestamp
  /** When the summary was made: the lists below are as of then. */
  until: Timestamp
  /** How many checks and heartbeats are down. */
  down_count: number
  /** The checks that are down, the first hundred. */
  checks: { guid: string; name: string; since: Timestamp; incident_id: string }[]
  /** The heartbeats that are down, the first hundred. */
  heartbeats: { guid: string; name: string; since: Timestamp; incident_id: string }[]
  /** How many private monitors are offline. */
  offline_count: number
  /** The monitors that are offline, the first hundred. */
  offline: { id: string; name: string; since: Timestamp }[]
  /** How many checks are unmonitored. */
  unmonitored_count: number
}
