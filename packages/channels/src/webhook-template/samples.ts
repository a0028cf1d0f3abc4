// Lists events for trying a template: those in the documentation of webhooks, with a name that needs escaping.
import type { Message } from '../channel.ts'
import type { TemplateInput } from './render.ts'

const NAME = 'The "shop" & more'
const AT = '2026-11-20T12:00:00.000000Z'
const SINCE = '2026-11-20T11:56:00.000000Z'
const LINK = 'https://dogwatch.example/checks/5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0001'
const org = { name: 'Alice & Co' }
const check = { guid: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0001', name: NAME, url: 'https://shop.example/health' }
const heartbeat = {
  guid: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0002',
  name: 'Nightly "backup"',
  interval_sec: 86_400,
  grace_sec: 600,
}
const monitor = { id: 'abcdefghij12', name: 'rack 4' }
const incident_id = '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0003'

const OF_CHECK = {
  org,
  check,
  incident_id,
  since: SINCE,
  failures: 3,
  monitor,
  ran_at: AT,
  error: 'status: "502"',
  http_status: 502,
  latency_ms: 12,
  monitors: [{ ...monitor, failing: true, ran_at: AT, error: 'status: "502"' }],
}
const OF_HEARTBEAT = { org, heartbeat, incident_id, since: SINCE, last_heartbeat_at: SINCE }
const { error: _, ...WITHOUT_ERROR } = OF_CHECK
const REMINDED = { previous_state: 'down', duration_sec: 9000, reminder: 2 }
const ENDED = {
  state: 'up',
  previous_state: 'down',
  ended_at: AT,
  duration_sec: 240,
  reason: 'recovered',
}
const ACKNOWLEDGED = { incident_id, since: SINCE, acknowledged_at: AT, acknowledged_by: 'bob@example.com' }
const SLOW = {
  org,
  check,
  degradation_id: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0004',
  since: SINCE,
  degraded_over_ms: 800,
  monitor,
  ran_at: AT,
  latency_ms: 1200,
}
const CHANGING = { org, check, check_state: 'up', since: SINCE, changes: 5 }
const COVERED = { org, check, checks: [{ ...check, since: SINCE, last_result_at: SINCE }], still_unmonitored: [] }
const AWAY = {
  org,
  monitor,
  monitors: [{ ...monitor, last_seen_at: SINCE, since: SINCE, checks: 12 }],
  still_offline: [],
}

const ALONE = {
  org,
  monitor,
  monitors: [{ ...monitor, since: SINCE }],
  since: SINCE,
  checks: Array.from({ length: 12 }, (_, n) => ({
    guid: check.guid.replace(/.$/, n.toString(16)),
    name: n === 0 ? NAME : `shop ${n}`,
    elsewhere: n === 0 ? 'unknown' : 'up',
  })),
  ran: 16,
}
const SETTLED = { ended_at: AT, duration_sec: 240, reason: 'recovered' }

/** One event of each type, in the order of the preview. */
export const SAMPLE_OF = {
  'check.down': sample('check.down', 'down', `Down: ${NAME} (HTTP 502)`, {
    ...OF_CHECK,
    state: 'down',
    previous_state: 'up',
  }),
  'check.up': sample('check.up', 'up', `Recovered: ${NAME} after 4 min`, {
    ...WITHOUT_ERROR,
    ...ENDED,
    failures: 0,
    http_status: 200,
  }),
  'check.reminder': sample('check.reminder', 'reminder', `Reminder 2: ${NAME} down for 2 h 30 min`, {
    ...OF_CHECK,
    state: 'down',
    ...REMINDED,
  }),
  'heartbeat.down': sample('heartbeat.down', 'down', 'Down: Nightly "backup" (no ping)', {
    ...OF_HEARTBEAT,
    state: 'down',
    previous_state: 'up',
    reason: 'overdue',
  }),
  'heartbeat.up': sample('heartbeat.up', 'up', 'Recovered: Nightly "backup" after 4 min', {
    ...OF_HEARTBEAT,
    ...ENDED,
  }),
  'heartbeat.reminder': sample('heartbeat.reminder', 'reminder', 'Reminder 2: Nightly "backup" down for 2 h 30 min', {
    ...OF_HEARTBEAT,
    state: 'down',
    reason: 'overdue',
    ...REMINDED,
  }),
  'check.acknowledged': sample('check.acknowledged', 'info', `Acknowledged: ${NAME} by bob@example.com`, {
    org,
    check,
    state: 'down',
    ...ACKNOWLEDGED,
  }),
  'check.degraded': sample('check.degraded', 'warning', `Degraded: ${NAME} (slower than 800 ms)`, {
    ...SLOW,
    state: 'degraded',
    previous_state: 'up',
    results: 3,
  }),
  'check.undegraded': sample('check.undegraded', 'up', `No longer degraded: ${NAME} after 4 min`, {
    ...SLOW,
    ...ENDED,
    previous_state: 'degraded',
  }),
  'check.certificate': sample('check.certificate', 'warning', `Certificate expires soon: ${NAME} (in 12 days)`, {
    org,
    check,
    state: 'degraded',
    expires_at: '2026-12-03T09:30:00.000000Z',
    days_left: 12,
    warn_days: 14,
    monitor,
    ran_at: AT,
  }),
  'check.renewed': sample('check.renewed', 'up', `Certificate renewed: ${NAME} (expires in 89 days)`, {
    org,
    check,
    state: 'up',
    reason: 'renewed',
    expires_at: '2027-02-18T09:30:00.000000Z',
    days_left: 89,
    warn_days: 14,
    monitor,
    ran_at: AT,
  }),
  'check.flapping': sample('check.flapping', 'warning', `Flapping: ${NAME} (currently up)`, {
    ...CHANGING,
    state: 'flapping',
  }),
  'check.settled': sample('check.settled', 'up', `No longer flapping: ${NAME} (currently up)`, {
    ...CHANGING,
    state: 'settled',
  }),
  'heartbeat.acknowledged': sample(
    'heartbeat.acknowledged',
    'info',
    'Acknowledged: Nightly "backup" by bob@example.com',
    {
      org,
      heartbeat,
      state: 'down',
      ...ACKNOWLEDGED,
    },
  ),
  'check.unmonitored': sample('check.unmonitored', 'warning', `Not monitored: ${NAME} (no recent results)`, {
    ...COVERED,
    state: 'unmonitored',
  }),
  'check.monitored': sample('check.monitored', 'up', `Monitored again: ${NAME}`, { ...COVERED, state: 'monitored' }),
  'monitor.offline': sample('monitor.offline', 'warning', 'Offline: monitor rack 4', { ...AWAY, state: 'offline' }),
  'monitor.online': sample('monitor.online', 'up', 'Online again: monitor rack 4', { ...AWAY, state: 'online' }),
  'monitor.failing': sample('monitor.failing', 'warning', 'Failing: monitor rack 4 (12 checks)', {
    ...ALONE,
    state: 'failing',
  }),
  'monitor.settled': sample('monitor.settled', 'up', 'No longer failing: monitor rack 4 (after 4 min)', {
    ...ALONE,
    ...SETTLED,
    checks: [],
    state: 'settled',
  }),
  'channel.test': sample('channel.test', 'info', 'Test: on call', {
    org,
    channel: { id: 7, name: 'on call', kind: 'webhook-template' },
  }),
  'alerts.summary': sample('alerts.summary', 'down', 'Summary: 140 alerts since 11:56 UTC (1 down now)', {
    org,
    channel: { id: 7, name: 'on call' },
    count: 140,
    counts: [{ type: 'check.down', count: 140 }],
    since: SINCE,
    until: AT,
    down_count: 1,
    checks: [{ guid: check.guid, name: NAME, since: SINCE, incident_id }],
    heartbeats: [],
    offline_count: 0,
    offline: [],
    unmonitored_count: 0,
  }),
}

export const SAMPLES: readonly TemplateInput[] = Object.values(SAMPLE_OF)

function sample(type: string, severity: Message['severity'], title: string, data: object): TemplateInput {
  const message = {
    severity,
    title,
    lines: [`${title}.`],
    facts: [{ label: 'Organisation', value: org.name }],
    link: LINK,
  }
  return { webhook_id: 'msg_5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0009_7', type, timestamp: AT, data, message }
}
