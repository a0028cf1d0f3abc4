// An event in words: a title, some sentences, some facts. Each kind of channel formats them in its own way.
import type {
  AcknowledgedData,
  ChannelTestData,
  CheckData,
  CoverageData,
  EventData,
  EventType,
  FlappingData,
  HeartbeatData,
  MonitorData,
  MonitorView,
  SummaryData,
} from '../domain/events/event.ts'
import type { Fact, Message } from '../channels/channel.ts'
import { failureWords } from '../channels/failure-words.ts'
import { count, duration, list, oneLine, time } from '../channels/wording.ts'
import { closed } from './closed-words.ts'
import { certificateEnds, certificateRenewed, checkDegraded, checkUndegraded } from './degraded-words.ts'
import { monitorFailing, monitorSettled } from './failing-words.ts'
import { summaryWords } from './summary-words.ts'

export interface Told {
  type: string
  /** When it happened. */
  timestamp: string
  data: unknown
}

type Words = Omit<Message, 'link' | 'acknowledge' | 'facts'> & { facts: readonly (Fact | false)[] }

const MAX_LISTED = 20
const NO_REMINDERS = 'Reminders about checks that are down stop until they are monitored again.'

const WORDS: { readonly [T in EventType]: (data: EventData[T], timestamp: string) => Words } = {
  'check.down': checkDown,
  'check.reminder': checkReminder,
  'check.acknowledged': acknowledged,
  'check.up': checkUp,
  'check.degraded': checkDegraded,
  'check.undegraded': checkUndegraded,
  'check.certificate': certificateEnds,
  'check.renewed': certificateRenewed,
  'check.unmonitored': unmonitored,
  'check.monitored': monitored,
  'check.flapping': flapping,
  'check.settled': settled,
  'check.closed': closed,
  'heartbeat.down': heartbeatDown,
  'heartbeat.reminder': heartbeatReminder,
  'heartbeat.acknowledged': acknowledged,
  'heartbeat.up': heartbeatUp,
  'heartbeat.closed': closed,
  'monitor.offline': offline,
  'monitor.online': online,
  'monitor.failing': monitorFailing,
  'monitor.settled': monitorSettled,
  'channel.test': channelTest,
  'alerts.summary': summaryWords,
}

/** The message for an event. `public_url` is the address of the console. */
export function describe({ type, timestamp, data }: Told, public_url: string): Message {
  const words = (WORDS as Record<string, ((data: never, timestamp: string) => Words) | undefined>)[type]
  if (!words) throw new Error(`there are no words for ${type}`)
  const { severity, title, lines, facts } = words(data as never, timestamp)
  const { org } = data as { org: { name: string } }
  const shown = [...facts, { label: 'Organisation', value: oneLine(org.name) }].filter((one) => one !== false)
  const { acknowledge_url } = data as { acknowledge_url?: string }
  return {
    severity,
    title,
    lines,
    facts: shown,
    link: linkTo(type, data, public_url),
    ...(acknowledge_url !== undefined && { acknowledge: acknowledge_url }),
  }
}

/** Whoever reads one of these wants to know about the incident first. */
const OF_INCIDENT = ['down', 'reminder', 'acknowledged', 'up'].flatMap((one) => [`check.${one}`, `heartbeat.${one}`])

interface Linked {
  check?: { guid: string }
  heartbeat?: { guid: string }
  incident_id?: string
}

/** The page with details. */
function linkTo(type: string, data: unknown, public_url: string): string {
  const { check, heartbeat, incident_id } = data as Linked
  const base = public_url.replace(/(?<!\/)\/+$/, '')
  if (incident_id !== undefined && OF_INCIDENT.includes(type)) {
    return `${base}/incidents/${encodeURIComponent(incident_id)}`
  }
  if (check) return `${base}/checks/${encodeURIComponent(check.guid)}`
  if (heartbeat) return `${base}/heartbeats/${encodeURIComponent(heartbeat.guid)}`
  if (type.startsWith('check.')) return `${base}/checks`
  if (type.startsWith('monitor.')) return `${base}/monitors`
  if (type === 'alerts.summary') return `${base}/channels/${(data as SummaryData).channel.id}`
  return public_url
}

function checkDown(data: CheckData): Words {
  const name = oneLine(data.check.name)
  return {
    severity: 'down',
    title: `DOWN: ${name}`,
    lines: [
      `${name} has been down since ${time(data.since)}${whyCheckDown(data)}.`,
      ...whoSees(data.monitors),
      ...errorLine(data),
    ],
    facts: checkFacts(data),
  }
}

/** What took it down. */
function whyCheckDown({ failures, places }: CheckData): string {
  if (places) return `, failing from ${places.failing} of ${places.of} monitors`
  return failures > 1 ? `, with ${failures} failures in a row` : ''
}

function flapping(data: FlappingData): Words {
  const name = oneLine(data.check.name)
  return {
    severity: 'warning',
    title: `FLAPPING: ${name}`,
    lines: [
      `${name} went down or came up ${data.changes} times since ${time(data.since)}. Right now it is ${data.check_state}.`,
      'No more alerts about it until it has kept one state for 30 minutes. Incidents are recorded meanwhile.',
    ],
    facts: flappingFacts(data),
  }
}

function settled(data: FlappingData): Words {
  const name = oneLine(data.check.name)
  const isDown = data.check_state === 'down'
  const state = isDown ? `down, since ${time(data.down_since ?? data.since)}` : 'up'
  return {
    severity: isDown ? 'warning' : 'up',
    title: `No longer flapping: ${name} is ${data.check_state}`,
    lines: [
      `${name} has settled: it is ${state}.`,
      `Since ${time(data.since)} it went down or came up ${data.changes} times.`,
    ],
    facts: flappingFacts(data),
  }
}

function flappingFacts({ check }: FlappingData): (Fact | false)[] {
  return [check.url !== undefined && { label: 'Target', value: oneLine(check.url) }]
}

function checkReminder(data: CheckData, timestamp: string): Words {
  const name = oneLine(data.check.name)
  const long = lengthOf(data.since, timestamp)
  return {
    severity: 'reminder',
    title: `Still DOWN: ${name}, for ${long}`,
    lines: [
      `${name} has been down for ${long} now, since ${time(data.since)}.`,
      ...whoSees(data.monitors),
      ...errorLine(data),
    ],
    facts: [...checkFacts(data), ...reminderFact(data)],
  }
}

function checkUp(data: CheckData, timestamp: string): Words {
  const name = oneLine(data.check.name)
  const long = downFor(data, timestamp)
  const first =
    data.reason === 'threshold'
      ? `${name} no longer counts as down by its present rules.`
      : `${name} has been up again since ${time(data.ended_at ?? timestamp)}.`
  const failing = data.monitors.filter((monitor) => monitor.failing)
  return {
    severity: 'up',
    title: `UP: ${name}, after ${long}`,
    lines: [
      first,
      `It was down for ${long}, since ${time(data.since)}.`,
      ...acknowledgedBy(data),
      ...(failing.length > 0 ? [`Still failing from ${names(failing)}.`] : []),
    ],
    facts: checkFacts(data),
  }
}

function acknowledged(data: AcknowledgedData): Words {
  const { check, heartbeat, since, acknowledged_at, acknowledged_by, note } = data
  const name = oneLine(check?.name ?? heartbeat?.name ?? '')
  return {
    severity: 'info',
    title: `ACKNOWLEDGED: ${name}`,
    lines: [
      `${name} has been down since ${time(since)}.`,
      `Acknowledged by ${oneLine(acknowledged_by)} at ${time(acknowledged_at)}.`,
      ...(note === undefined ? [] : [`Note: ${oneLine(note, 500)}`]),
      'No more reminders of this incident, and nobody else is told of it, unless that is taken back.',
    ],
    facts: [check?.url !== undefined && { label: 'Target', value: oneLine(check.url) }],
  }
}

/** Who took care of what is over. */
function acknowledgedBy({ acknowledged_by }: { acknowledged_by?: string }): string[] {
  return acknowledged_by === undefined ? [] : [`Acknowledged by ${oneLine(acknowledged_by)}.`]
}

function heartbeatDown(data: HeartbeatData): Words {
  const name = oneLine(data.heartbeat.name)
  return {
    severity: 'down',
    title: `DOWN: ${name}`,
    lines: [whyDown(data, name), schedule(data), ...ownOutages(data)],
    facts: heartbeatFacts(data),
  }
}

function heartbeatReminder(data: HeartbeatData, timestamp: string): Words {
  const name = oneLine(data.heartbeat.name)
  const long = lengthOf(data.since, timestamp)
  return {
    severity: 'reminder',
    title: `Still DOWN: ${name}, for ${long}`,
    lines: [`${name} has been down for ${long} now.`, whyDown(data, 'It'), schedule(data), ...ownOutages(data)],
    facts: [...heartbeatFacts(data), ...reminderFact(data)],
  }
}

function heartbeatUp(data: HeartbeatData, timestamp: string): Words {
  const name = oneLine(data.heartbeat.name)
  const long = downFor(data, timestamp)
  return {
    severity: 'up',
    title: `UP: ${name}, after ${long}`,
    lines: [
      `${name} has been up again since ${time(data.ended_at ?? timestamp)}.`,
      `It was down for ${long}, since ${time(data.since)}.`,
      ...acknowledgedBy(data),
    ],
    facts: heartbeatFacts(data),
  }
}

function unmonitored({ checks, still_unmonitored }: CoverageData): Words {
  const rows = checks.map(({ name, last_result_at, down_since }) => {
    const down = down_since === undefined ? '' : `DOWN since ${time(down_since)}, `
    const last = last_result_at === undefined ? 'no result yet' : `last result ${time(last_result_at)}`
    return `${oneLine(name, 100)} (${down}${last})`
  })
  const down = checks.filter(({ down_since }) => down_since !== undefined)
  return {
    severity: 'warning',
    title: `NOT MONITORED: ${oneOrCount(checks, 'check')}`,
    lines: [
      `No results arrive any more, so nobody can tell whether ${checks.length === 1 ? 'it works' : 'they work'}:`,
      ...listed(rows),
      ...(down.length > 0 ? [NO_REMINDERS] : []),
      `Look after the monitors that run ${checks.length === 1 ? 'it' : 'them'}.`,
      ...still('not monitored', still_unmonitored),
    ],
    facts: [],
  }
}

function monitored({ checks, still_unmonitored }: CoverageData): Words {
  const rows = checks.map(({ name, since, down_since }) => {
    const down = down_since === undefined ? '' : `, still DOWN since ${time(down_since)}`
    return `${oneLine(name, 100)} (not monitored since ${time(since)}${down})`
  })
  return {
    severity: 'up',
    title: `Monitored again: ${oneOrCount(checks, 'check')}`,
    lines: ['Results arrive again:', ...listed(rows), ...still('not monitored', still_unmonitored)],
    facts: [],
  }
}

function offline({ monitors, unmonitored, still_offline }: MonitorData): Words {
  const rows = monitors.map(
    ({ name, id, last_seen_at, checks }) =>
      `${oneLine(name, 100) || id} (last seen ${time(last_seen_at)}, runs ${count(checks, 'check')})`,
  )
  return {
    severity: 'warning',
    title: `OFFLINE: ${oneOrCount(monitors, 'monitor')}`,
    lines: ['Not heard of any more:', ...listed(rows), ...leftAlone(unmonitored), ...still('offline', still_offline)],
    facts: monitors.length === 1 ? [{ label: 'Monitor', value: monitors[0]?.id ?? '' }] : [],
  }
}

/** What is unmonitored while these monitors are offline. */
function leftAlone(unmonitored: MonitorData['unmonitored']): string[] {
  if (unmonitored === undefined || unmonitored.count === 0) return []
  const { count: number, down } = unmonitored
  const rows = down.map(({ name, down_since }) => `${oneLine(name, 100)} (since ${time(down_since)})`)
  return [
    `${number === 1 ? '1 check is' : `${number} checks are`} not monitored now: no other monitor runs ${number === 1 ? 'it' : 'them'}.`,
    ...(down.length > 0 ? [`DOWN when last monitored: ${list(rows)}.`, NO_REMINDERS] : []),
  ]
}

function online({ monitors, still_offline }: MonitorData): Words {
  const rows = monitors.map(({ name, id, since }) => `${oneLine(name, 100) || id} (was away since ${time(since)})`)
  return {
    severity: 'up',
    title: `Online again: ${oneOrCount(monitors, 'monitor')}`,
    lines: ['Heard of again:', ...listed(rows), ...still('offline', still_offline)],
    facts: monitors.length === 1 ? [{ label: 'Monitor', value: monitors[0]?.id ?? '' }] : [],
  }
}

function channelTest({ org, channel }: ChannelTestData): Words {
  const name = oneLine(channel.name)
  return {
    severity: 'info',
    title: `Test: ${name}`,
    lines: [`This is a test of the channel ${name}.`, `Alerts of ${oneLine(org.name)} will arrive here.`],
    facts: [],
  }
}

/** `Failing from 2 of 3: rack 4, rack 5 (rack 6 is fine).` */
function whoSees(monitors: readonly MonitorView[]): string[] {
  const failing = monitors.filter((monitor) => monitor.failing)
  const fine = monitors.filter((monitor) => !monitor.failing)
  if (failing.length === 0) return []
  if (monitors.length === 1) return [`Failing from ${names(failing)}.`]
  if (fine.length === 0) return [`Failing from all ${monitors.length}: ${names(failing)}.`]
  const others = `${names(fine)} ${fine.length === 1 ? 'is' : 'are'} fine`
  return [`Failing from ${failing.length} of ${monitors.length}: ${names(failing)} (${others}).`]
}

function names(monitors: readonly { id: string; name: string }[]): string {
  return list(monitors.map(({ id, name }) => oneLine(name, 60) || id))
}

function errorLine({ error }: CheckData): string[] {
  return error === undefined || error === '' ? [] : [`Error: ${oneLine(failureWords(error))}`]
}

function checkFacts({ check, monitor, ran_at, http_status, latency_ms }: CheckData): (Fact | false)[] {
  const status = http_status > 0 ? `status ${http_status}, ` : ''
  const by = oneLine(monitor.name, 60) || monitor.id
  return [
    check.url !== undefined && { label: 'Target', value: oneLine(check.url) },
    { label: 'Last result', value: `${time(ran_at)} by ${by}: ${status}${latency_ms} ms` },
  ]
}

function whyDown({ reason, exit_code, since, last_heartbeat_at }: HeartbeatData, name: string): string {
  if (reason === 'fail') return `${name} reported a failure at ${time(since)}.`
  if (reason === 'exit_code') return `${name} ended with exit code ${exit_code ?? '?'} at ${time(since)}.`
  return last_heartbeat_at === undefined
    ? `${name} has not called, and has been down since ${time(since)}.`
    : `${name} has not called since ${time(last_heartbeat_at)}.`
}

function schedule({ heartbeat: { interval_sec, grace_sec, cron, cron_zone = 'UTC' } }: HeartbeatData): string {
  const when =
    cron === undefined
      ? `It is expected every ${duration(interval_sec)}`
      : `It follows the cron schedule ${oneLine(cron)} (${oneLine(cron_zone)})`
  return `${when}, with ${duration(grace_sec)} of grace.`
}

/** What we cannot know about the job, because we were away ourselves. */
function ownOutages({ outages = [] }: HeartbeatData): string[] {
  if (outages.length === 0) return []
  const times = outages.map(({ began_at, ended_at }) => `from ${time(began_at)} to ${time(ended_at)}`)
  return [
    `Dogwatch itself was away ${times.join(', and ')}. A ping sent meanwhile was lost, so the deadline was later than usual.`,
  ]
}

function heartbeatFacts({ last_heartbeat_at }: HeartbeatData): (Fact | false)[] {
  return [last_heartbeat_at !== undefined && { label: 'Last call', value: time(last_heartbeat_at) }]
}

function reminderFact({ reminder }: { reminder?: number }): Fact[] {
  return reminder === undefined ? [] : [{ label: 'Reminder', value: String(reminder) }]
}

function lengthOf(since: string, until: string): string {
  return duration((Date.parse(until) - Date.parse(since)) / 1000)
}

function downFor({ duration_sec, since }: { duration_sec?: number; since: string }, timestamp: string): string {
  return duration_sec === undefined ? lengthOf(since, timestamp) : duration(duration_sec)
}

function oneOrCount(things: readonly { name: string }[], thing: string): string {
  const [only] = things
  return things.length === 1 && only && only.name.trim() !== '' ? oneLine(only.name) : count(things.length, thing)
}

/** What was reported before, and has not changed. */
function still(state: string, others: readonly { id?: string; name: string; since: string }[]): string[] {
  if (others.length === 0) return []
  const named = others.map(({ name, id = '', since }) => `${oneLine(name, 100) || id} (since ${time(since)})`)
  return [`Still ${state}: ${list(named)}.`]
}

function listed(rows: readonly string[]): string[] {
  const shown = rows.slice(0, MAX_LISTED).map((row) => `- ${row}`)
  return rows.length > MAX_LISTED ? [...shown, `and ${rows.length - MAX_LISTED} more`] : shown
}
