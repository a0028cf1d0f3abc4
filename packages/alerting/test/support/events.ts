// Events of each type with all that they can say, for whoever tells people.

import type { Deps } from '@dogwatch/domain/deps'
import type { EventType } from '@dogwatch/domain/events/event'
import { type EventToRaise, raise } from '../../../domain/src/events/raise.ts'

const SHOP = { guid: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0001', name: 'shop', url: 'https://shop.example/health' }
const JOB = {
  guid: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0002',
  name: 'nightly backup',
  interval_sec: 86_400,
  grace_sec: 600,
}
const ORG = { name: 'Alice & Co' }
const INCIDENT = '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0003'
const at = (time: string) => `2026-11-20T${time}.000000Z`
const view = (name: string, failing: boolean) => ({
  id: name.replace(' ', '').padEnd(12, '0'),
  name,
  failing,
  ran_at: at('11:58:00'),
  ...(failing && { error: 'refused: connection refused' }),
})

/** As it is added when an alert is sent. */
const LINK = { acknowledge_url: 'https://dogwatch.example/a/dogwatch_act_'.padEnd(95, 'x') }
const CHECK = {
  org: ORG,
  check: SHOP,
  state: 'down',
  previous_state: 'up',
  incident_id: INCIDENT,
  since: at('11:56:00'),
  failures: 3,
  monitor: { id: 'rack50000000', name: 'rack 5' },
  ran_at: at('11:58:00'),
  error: 'refused: connection refused',
  http_status: 0,
  latency_ms: 12,
  monitors: [view('rack 4', true), view('rack 5', true), view('rack 6', false)],
}
const DEGRADED = {
  org: ORG,
  check: SHOP,
  state: 'degraded',
  previous_state: 'up',
  degradation_id: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0005',
  since: at('11:56:00'),
  degraded_over_ms: 800,
  monitor: { id: 'rack50000000', name: 'rack 5' },
  ran_at: at('11:58:00'),
  latency_ms: 1200,
}
const CERTIFICATE = {
  org: ORG,
  check: SHOP,
  state: 'degraded',
  expires_at: '2026-12-03T09:30:00.000000Z',
  days_left: 12,
  warn_days: 14,
  monitor: { id: 'rack50000000', name: 'rack 5' },
  ran_at: at('11:58:00'),
}
const CLOSED = { org: ORG, state: 'closed', since: at('11:56:00'), ended_at: at('12:00:00') }
const BEAT = {
  org: ORG,
  heartbeat: JOB,
  state: 'down',
  previous_state: 'up',
  incident_id: INCIDENT,
  since: at('03:10:00'),
  reason: 'overdue',
  last_heartbeat_at: '2026-11-19T03:00:00.000000Z',
}
const REMINDER = {
  ...CHECK,
  previous_state: 'down',
  since: at('09:30:00'),
  duration_sec: 9000,
  reminder: 2,
}
const ACKNOWLEDGED = { acknowledged_at: at('11:58:30'), acknowledged_by: 'bob@example.com' }
const ALONE = {
  org: ORG,
  monitor: { id: 'rack40000000', name: 'rack 4' },
  monitors: [{ id: 'rack40000000', name: 'rack 4', since: at('11:56:00') }],
  since: at('11:56:00'),
  checks: Array.from({ length: 12 }, (_, n) => ({
    guid: SHOP.guid.replace(/.$/, n.toString(16)),
    name: n === 0 ? SHOP.name : `shop ${n}`,
    ...(n < 10 && { down_since: at('11:55:30') }),
    elsewhere: n < 2 ? 'unknown' : 'up',
  })),
  ran: 16,
}
const OVER = { ended_at: at('12:00:00'), duration_sec: 240 }
const FLAPPING = {
  org: ORG,
  check: SHOP,
  state: 'flapping',
  check_state: 'up',
  since: at('11:40:00'),
  changes: 5,
}
const UP = { state: 'up', previous_state: 'down', ended_at: at('12:00:00') }
const { error: _, ...WITHOUT_ERROR } = CHECK
const OTHER = { guid: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0004', name: 'api', url: 'https://api.example/' }
const NAMED_RACK = { id: 'rack40000000', name: 'rack 4' }
const RACK = { ...NAMED_RACK, last_seen_at: at('11:56:30'), since: at('11:56:30'), checks: 12 }

/** What each event may look like, by a name for the case. */
export const EVENTS: Readonly<Record<string, { type: EventType; data: Record<string, unknown> }>> = {
  'a check is down': { type: 'check.down', data: { ...CHECK, ...LINK } },
  'a check with one monitor is down': {
    type: 'check.down',
    data: { ...CHECK, failures: 1, monitors: [view('rack 5', true)], http_status: 502, error: 'status: 502' },
  },
  'a check is down everywhere': {
    type: 'check.down',
    data: { ...CHECK, monitors: ['rack 4', 'rack 5', 'rack 6'].map((name) => view(name, true)) },
  },
  'a private check is down': {
    type: 'check.down',
    data: { ...CHECK, check: { guid: SHOP.guid, name: 'vault' }, error: 'refused' },
  },
  'a check with an unpleasant name is down': {
    type: 'check.down',
    data: {
      ...CHECK,
      check: { ...SHOP, name: '<b>"Tom" & \'Jerry\'</b>\r\nBcc: all@example.com <!channel> \u202Eeslaf' },
      error: '<script>alert(1)</script>\n*not bold* & `not code`',
    },
  },
  'a check is acknowledged': {
    type: 'check.acknowledged',
    data: { org: ORG, check: SHOP, state: 'down', incident_id: INCIDENT, since: at('11:56:00'), ...ACKNOWLEDGED },
  },
  'a check is acknowledged with a note': {
    type: 'check.acknowledged',
    data: {
      org: ORG,
      check: SHOP,
      state: 'down',
      incident_id: INCIDENT,
      since: at('11:56:00'),
      ...ACKNOWLEDGED,
      note: 'Failing over to <b>the other rack</b>.\nBack in 10 min.',
    },
  },
  'a check that was acknowledged is up': {
    type: 'check.up',
    data: {
      ...WITHOUT_ERROR,
      ...UP,
      ...ACKNOWLEDGED,
      failures: 0,
      duration_sec: 240,
      reason: 'recovered',
      monitors: [],
    },
  },
  'a heartbeat is acknowledged': {
    type: 'heartbeat.acknowledged',
    data: { org: ORG, heartbeat: JOB, state: 'down', incident_id: INCIDENT, since: at('03:10:00'), ...ACKNOWLEDGED },
  },
  'a check is still down': { type: 'check.reminder', data: { ...REMINDER, ...LINK } },
  'a check is up': {
    type: 'check.up',
    data: {
      ...WITHOUT_ERROR,
      ...UP,
      reason: 'recovered',
      duration_sec: 240,
      failures: 0,
      http_status: 200,
      monitors: [view('rack 4', true), view('rack 5', false), view('rack 6', false)],
    },
  },
  'a check is up by its threshold': {
    type: 'check.up',
    data: { ...CHECK, ...UP, reason: 'threshold', duration_sec: 240 },
  },
  'a check is down from some places': {
    type: 'check.down',
    data: { ...CHECK, failures: 4, places: { failing: 2, of: 3 } },
  },
  'a check is flapping': {
    type: 'check.flapping',
    data: { ...FLAPPING, check_state: 'down', incident_id: INCIDENT, down_since: at('11:58:00') },
  },
  'a check has settled': {
    type: 'check.settled',
    data: { ...FLAPPING, state: 'settled', changes: 12 },
  },
  'a check has settled and is down': {
    type: 'check.settled',
    data: {
      ...FLAPPING,
      state: 'settled',
      check_state: 'down',
      changes: 13,
      incident_id: INCIDENT,
      down_since: at('11:58:00'),
    },
  },
  'a check is degraded': {
    type: 'check.degraded',
    data: { ...DEGRADED, results: 3 },
  },
  'a check is degraded by one result': {
    type: 'check.degraded',
    data: { ...DEGRADED, check: { guid: SHOP.guid, name: 'vault' }, results: 1 },
  },
  'a check is no longer degraded': {
    type: 'check.undegraded',
    data: {
      ...DEGRADED,
      ...{ state: 'up', previous_state: 'degraded', latency_ms: 80 },
      ...{ ended_at: at('12:00:00'), duration_sec: 240, reason: 'recovered' },
    },
  },
  'a check is no longer degraded by its rules': {
    type: 'check.undegraded',
    data: {
      ...DEGRADED,
      ...{ state: 'up', previous_state: 'degraded', degraded_over_ms: 1500 },
      ...{ ended_at: at('12:00:00'), duration_sec: 240, reason: 'rules' },
    },
  },
  'a certificate ends soon': { type: 'check.certificate', data: CERTIFICATE },
  'a certificate has ended': {
    type: 'check.certificate',
    data: { ...CERTIFICATE, expires_at: at('08:00:00'), days_left: -1 },
  },
  'a certificate was renewed': {
    type: 'check.renewed',
    data: { ...CERTIFICATE, state: 'up', reason: 'renewed', expires_at: '2027-02-18T09:30:00.000000Z', days_left: 89 },
  },
  'a certificate is no longer warned about': {
    type: 'check.renewed',
    data: { ...CERTIFICATE, state: 'up', reason: 'rules', warn_days: 7 },
  },
  'a check that was down was paused': {
    type: 'check.closed',
    data: { ...CLOSED, check: SHOP, closes: 'check.down', incident_id: INCIDENT, reason: 'paused' },
  },
  'a check that was warned about was deleted': {
    type: 'check.closed',
    data: { ...CLOSED, check: SHOP, closes: 'check.certificate', reason: 'deleted' },
  },
  'a heartbeat that was down was deleted': {
    type: 'heartbeat.closed',
    data: { ...CLOSED, heartbeat: JOB, closes: 'heartbeat.down', incident_id: INCIDENT, reason: 'deleted' },
  },
  'checks are not monitored': {
    type: 'check.unmonitored',
    data: {
      org: ORG,
      state: 'unmonitored',
      still_unmonitored: [],
      checks: [
        { ...SHOP, since: at('11:50:00'), last_result_at: at('11:50:00') },
        { ...OTHER, since: at('11:50:00') },
      ],
    },
  },
  'a check is not monitored': {
    type: 'check.unmonitored',
    data: {
      org: ORG,
      state: 'unmonitored',
      still_unmonitored: [],
      check: SHOP,
      checks: [{ ...SHOP, since: at('11:50:00'), last_result_at: at('11:50:00') }],
    },
  },
  'a check that was down is not monitored': {
    type: 'check.unmonitored',
    data: {
      org: ORG,
      state: 'unmonitored',
      still_unmonitored: [],
      check: SHOP,
      checks: [{ ...SHOP, since: at('11:50:00'), last_result_at: at('11:50:00'), down_since: at('11:20:00') }],
    },
  },
  'a check that is down is monitored again': {
    type: 'check.monitored',
    data: {
      org: ORG,
      state: 'monitored',
      still_unmonitored: [],
      check: SHOP,
      checks: [{ ...SHOP, since: at('11:50:00'), down_since: at('11:20:00') }],
    },
  },
  'a check is monitored again': {
    type: 'check.monitored',
    data: {
      org: ORG,
      state: 'monitored',
      still_unmonitored: [],
      check: SHOP,
      checks: [{ ...SHOP, since: at('11:50:00') }],
    },
  },
  'a check is monitored again, and others are not': {
    type: 'check.monitored',
    data: {
      org: ORG,
      state: 'monitored',
      check: SHOP,
      checks: [{ ...SHOP, since: at('11:50:00') }],
      still_unmonitored: [{ guid: OTHER.guid, name: OTHER.name, since: at('11:40:00') }],
    },
  },
  'a heartbeat is overdue': { type: 'heartbeat.down', data: { ...BEAT, ...LINK } },
  'a heartbeat that follows cron is overdue': {
    type: 'heartbeat.down',
    data: { ...BEAT, heartbeat: { ...JOB, interval_sec: 259_200, cron: '0 3 * * 1-5', cron_zone: 'Europe/Paris' } },
  },
  'a heartbeat reported a failure': {
    type: 'heartbeat.down',
    data: { ...BEAT, reason: 'fail', since: at('03:00:10') },
  },
  'a heartbeat ended badly': {
    type: 'heartbeat.down',
    data: { ...BEAT, reason: 'exit_code', exit_code: 3, since: at('03:00:10') },
  },
  'a heartbeat is still overdue': {
    type: 'heartbeat.reminder',
    data: { ...BEAT, previous_state: 'down', duration_sec: 31_800, reminder: 1 },
  },
  'a heartbeat is up': { type: 'heartbeat.up', data: { ...BEAT, ...UP, reason: 'recovered', duration_sec: 31_800 } },
  'a monitor is offline': {
    type: 'monitor.offline',
    data: { org: ORG, state: 'offline', still_offline: [], monitor: NAMED_RACK, monitors: [RACK] },
  },
  'a monitor is offline, and nobody else runs its checks': {
    type: 'monitor.offline',
    data: {
      org: ORG,
      state: 'offline',
      still_offline: [],
      monitor: NAMED_RACK,
      monitors: [RACK],
      unmonitored: { count: 12, down: [{ guid: SHOP.guid, name: SHOP.name, down_since: at('11:20:00') }] },
    },
  },
  'monitors are offline': {
    type: 'monitor.offline',
    data: {
      org: ORG,
      state: 'offline',
      still_offline: [],
      unmonitored: { count: 0, down: [] },
      monitors: [RACK, { ...RACK, id: 'rack50000000', name: '', checks: 1 }],
    },
  },
  'a monitor is online': {
    type: 'monitor.online',
    data: { org: ORG, state: 'online', still_offline: [], monitor: NAMED_RACK, monitors: [RACK] },
  },
  'a monitor is online, and another is not': {
    type: 'monitor.online',
    data: {
      org: ORG,
      state: 'online',
      monitor: NAMED_RACK,
      monitors: [RACK],
      still_offline: [{ id: 'rack50000000', name: 'rack 5', since: at('11:40:00') }],
    },
  },
  'many checks fail from one monitor': { type: 'monitor.failing', data: { ...ALONE, state: 'failing' } },
  'many checks fail from the only monitor': {
    type: 'monitor.failing',
    data: {
      ...ALONE,
      state: 'failing',
      monitor: { id: RACK.id, name: '' },
      checks: ALONE.checks.map((one) => ({ ...one, elsewhere: 'unknown' })),
    },
  },
  'very many checks fail from one monitor': {
    type: 'monitor.failing',
    data: { ...ALONE, state: 'failing', total: 46_000, ran: 50_000, is_estimate: true },
  },
  'a monitor no longer fails': {
    type: 'monitor.settled',
    data: { ...ALONE, ...OVER, checks: [], state: 'settled', reason: 'recovered' },
  },
  'a monitor no longer fails, but some checks do': {
    type: 'monitor.settled',
    data: { ...ALONE, ...OVER, checks: ALONE.checks.slice(0, 2), state: 'settled', reason: 'recovered' },
  },
  'others see failing what one monitor saw': {
    type: 'monitor.settled',
    data: { ...ALONE, ...OVER, checks: [], state: 'settled', reason: 'confirmed' },
  },
  'a monitor that failed is silent': {
    type: 'monitor.settled',
    data: { ...ALONE, ...OVER, checks: [], ran: 0, state: 'settled', reason: 'silent' },
  },
  'a channel is tested': {
    type: 'channel.test',
    data: { org: ORG, channel: { id: 7, name: 'on call', kind: 'webhook' } },
  },
  'many alerts in one': {
    type: 'alerts.summary',
    data: {
      org: ORG,
      channel: { id: 7, name: 'on call' },
      count: 140,
      counts: [
        { type: 'check.down', count: 90 },
        { type: 'check.up', count: 50 },
      ],
      since: at('12:00:00'),
      until: at('12:02:00'),
      down_count: 2,
      checks: [{ guid: SHOP.guid, name: 'shop', since: at('11:56:00'), incident_id: INCIDENT }],
      heartbeats: [{ guid: JOB.guid, name: JOB.name, since: at('11:58:00'), incident_id: INCIDENT }],
      offline_count: 1,
      offline: [{ id: RACK.id, name: RACK.name, since: RACK.since }],
      unmonitored_count: 3,
    },
  },
}

/** Raises events about a check: `name` also tells subjects apart. */
export async function happens(deps: Deps, org_id: number, type: EventType, name = 'shop'): Promise<void> {
  const data = { ...CHECK, check: { ...SHOP, name } }
  const event: EventToRaise = { org_id, type, subject: `check:${name}`, data }
  await deps.database.people.transaction().execute((trx) => raise(trx, deps, [event]))
}
