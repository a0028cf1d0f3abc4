// What an event is, and what it says. Messages are made of nothing else.

export const EVENT_TYPES = [
  'check.down',
  'check.reminder',
  'check.up',
  'check.unmonitored',
  'check.monitored',
  'heartbeat.down',
  'heartbeat.reminder',
  'heartbeat.up',
  'monitor.offline',
  'monitor.online',
  'channel.test',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** How one monitor saw a check last. */
export interface MonitorView {
  id: string
  name: string
  failing: boolean
  ran_at: string
  error?: string
}

export interface CheckSubject {
  guid: string
  name: string
  /** Without credentials; absent when the definition is private. */
  url?: string
}

/** check.down, check.reminder and check.up */
export interface CheckData {
  org: { name: string }
  check: CheckSubject
  state: 'down' | 'up'
  previous_state: 'down' | 'up'
  incident_id: string
  /** When the first failure ran. */
  since: string
  /** check.up: when the first success ran. */
  ended_at?: string
  /** check.up, check.reminder: how long it was down. */
  duration_sec?: number
  /** check.up: `recovered`, or `threshold` when more failures in a row are needed now than there are. */
  reason?: 'recovered' | 'threshold'
  /** Failures in a row. */
  failures: number
  /** check.reminder: the how-manieth. */
  reminder?: number
  /** The newest result: who ran it, and what it says. */
  monitor: { id: string; name: string }
  ran_at: string
  error?: string
  http_status: number
  latency_ms: number
  /** The active monitors that have run it lately, each with its newest result. */
  monitors: MonitorView[]
}

/** heartbeat.down, heartbeat.reminder and heartbeat.up */
export interface HeartbeatData {
  org: { name: string }
  heartbeat: { guid: string; name: string; interval_sec: number; grace_sec: number }
  state: 'down' | 'up'
  previous_state: 'new' | 'down' | 'up'
  incident_id: string
  since: string
  ended_at?: string
  duration_sec?: number
  /** Why it went down: no call in time, or a call that said so. */
  reason: 'overdue' | 'fail' | 'exit_code' | 'recovered'
  exit_code?: number
  /** The service's own outages since the last ping, oldest first, at most the last five: they put the deadline off. */
  outages?: { began_at: string; ended_at: string }[]
  last_heartbeat_at?: string
  reminder?: number
}

/** check.unmonitored and check.monitored: one message for all checks of an org that are found at once. */
export interface CoverageData {
  org: { name: string }
  /** When there is just one. */
  check?: CheckSubject
  checks: (CheckSubject & {
    last_result_at?: string
    since: string
    /** It was down when it was last watched. Its incident goes on; reminders wait until it is watched again. */
    down_since?: string
  })[]
  /** The others that were told of before, and are unmonitored yet. */
  still_unmonitored: { guid: string; name: string; since: string }[]
  state: 'unmonitored' | 'monitored'
}

/** monitor.offline and monitor.online: one message for all monitors of an org that are found at once. */
export interface MonitorData {
  org: { name: string }
  monitor?: { id: string; name: string }
  monitors: { id: string; name: string; last_seen_at: string; since: string; checks: number }[]
  /** The others that were told of before, and are offline yet. */
  still_offline: { id: string; name: string; since: string }[]
  /** monitor.offline: how many checks of theirs nobody watches now, and which of these were down. */
  unmonitored?: { count: number; down: { guid: string; name: string; down_since: string }[] }
  state: 'offline' | 'online'
}

export interface ChannelTestData {
  org: { name: string }
  channel: { id: number; name: string; kind: string }
}
