// Words an event as a title, some sentences and some facts. Each kind of channel formats them in its own way.

import type { Fact, Message } from '@dogwatch/channels/channel'
import { failureWords } from '@dogwatch/channels/failure-words'
import { count, duration, interval, list, oneLine, time } from '@dogwatch/channels/wording'
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
} from '@dogwatch/domain/events/event'
import { type AlertWords, nameOf, secondsBetween, targetOf } from './alert-words.ts'
import { closed } from './closed-words.ts'
import { certificateEnds, certificateRenewed, checkDegraded, checkUndegraded } from './degraded-words.ts'
import { monitorFailing, monitorSettled } from './failing-words.ts'
import { summaryWords } from './summary-words.ts'

export interface AlertEvent {
  type: string
  /** Time at which the event happened. */
  timestamp: string
  data: unknown
}

const MAX_LISTED = 20
const NO_REMINDERS = 'No reminders are sent until results arrive again.'
/** Maximum length of the cause in a title, so that the name stays visible. */
const CAUSE_LENGTH = 60

const WORDS: { readonly [T in EventType]: (data: EventData[T], timestamp: string) => AlertWords } = {
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

/** Returns the message for an event. `public_url` is the address of the console. */
export function messageFor({ type, timestamp, data }: AlertEvent, public_url: string): Message {
  const words = (WORDS as Record<string, ((data: never, timestamp: string) => AlertWords) | undefined>)[type]
  if (!words) throw new Error(`no message template for event type ${type}`)
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

/** Event types whose messages link to the incident instead of the check. */
const OF_INCIDENT = ['down', 'reminder', 'acknowledged', 'up'].flatMap((one) => [`check.${one}`, `heartbeat.${one}`])

interface LinkTargets {
  check?: { guid: string }
  heartbeat?: { guid: string }
  incident_id?: string
}

/** Returns the address of the page about an event. */
function linkTo(type: string, data: unknown, public_url: string): string {
  const { check, heartbeat, incident_id } = data as LinkTargets
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

function checkDown(data: CheckData): AlertWords {
  const name = oneLine(data.check.name)
  return {
    severity: 'down',
    title: `Down: ${name}${causeOf(data)}`,
    lines: [
      `${name} has been down since ${time(data.since)}${whyCheckDown(data)}.`,
      ...failingFromLine(data.monitors),
      ...errorLine(data),
    ],
    facts: checkFacts(data),
  }
}

/** Returns words such as ` (HTTP 503)`, or an empty text if the cause is not known. */
function causeOf({ error }: CheckData): string {
  if (error === undefined || error === '') return ''
  return ` (${oneLine(failureWords(error).replace(/^HTTP status (?=\d)/, 'HTTP '), CAUSE_LENGTH)})`
}

/** Returns the sentences that explain why a check is down. */
function whyCheckDown({ failures, places, monitors }: CheckData): string {
  if (places)
    return failingFromLine(monitors).length > 0 ? '' : `, failing from ${places.failing} of ${places.of} monitors`
  return failures > 1 ? ` (${failures} failures in a row)` : ''
}

function flapping(data: FlappingData): AlertWords {
  const name = oneLine(data.check.name)
  return {
    severity: 'warning',
    title: `Flapping: ${name} (currently ${data.check_state})`,
    lines: [
      `${name} has switched between up and down ${data.changes} times since ${time(data.since)}.`,
      `Alerts about ${name} are paused until ${name} stays down for 7 min 30 s or up for 30 min.`,
      'Incidents are still recorded.',
    ],
    facts: [targetOf(data.check)],
  }
}

function settled(data: FlappingData): AlertWords {
  const name = oneLine(data.check.name)
  const isDown = data.check_state === 'down'
  return {
    severity: isDown ? 'warning' : 'up',
    title: `No longer flapping: ${name} (currently ${data.check_state})`,
    lines: [
      isDown ? `${name} has been down since ${time(data.down_since ?? data.since)}.` : `${name} is up.`,
      `${name} has switched between up and down ${data.changes} times since ${time(data.since)}.`,
      `Alerts about ${name} are no longer paused.`,
    ],
    facts: [targetOf(data.check)],
  }
}

function checkReminder(data: CheckData, timestamp: string): AlertWords {
  const name = oneLine(data.check.name)
  const long = lengthOf(data.since, timestamp)
  return {
    severity: 'reminder',
    title: `${reminderOf(data)}: ${name} down for ${long}`,
    lines: [
      `${name} has been down for ${long}, since ${time(data.since)}.`,
      ...failingFromLine(data.monitors),
      ...errorLine(data),
    ],
    facts: checkFacts(data),
  }
}

function checkUp(data: CheckData, timestamp: string): AlertWords {
  const name = oneLine(data.check.name)
  const long = downFor(data, timestamp)
  return {
    severity: 'up',
    title: data.reason === 'threshold' ? `No longer down: ${name} (check changed)` : `Recovered: ${name} after ${long}`,
    lines: [
      downtimeLine(name, long, data, timestamp),
      ...(data.reason === 'threshold'
        ? ['The incident is resolved, because the settings or monitors of the check were changed.']
        : []),
      ...acknowledgedBy(data),
      ...stillFailing(data.monitors),
    ],
    facts: checkFacts(data),
  }
}

function acknowledged(data: AcknowledgedData): AlertWords {
  const { check, heartbeat, since, acknowledged_at, acknowledged_by, note } = data
  const name = oneLine(check?.name ?? heartbeat?.name ?? '')
  return {
    severity: 'info',
    title: `Acknowledged: ${name} by ${oneLine(acknowledged_by, 100)}`,
    lines: [
      `${name} has been down since ${time(since)}.`,
      `Acknowledged by ${oneLine(acknowledged_by)} at ${time(acknowledged_at)}.`,
      ...(note === undefined ? [] : [`Note: ${oneLine(note, 500)}`]),
      'Reminders and escalation are paused while the incident is acknowledged.',
    ],
    facts: [targetOf(check ?? {})],
  }
}

/** Names the person who acknowledged an incident that has ended. */
function acknowledgedBy({ acknowledged_by }: { acknowledged_by?: string }): string[] {
  return acknowledged_by === undefined ? [] : [`Acknowledged by ${oneLine(acknowledged_by)}.`]
}

function heartbeatDown(data: HeartbeatData): AlertWords {
  const name = oneLine(data.heartbeat.name)
  return {
    severity: 'down',
    title: `Down: ${name} (${heartbeatCause(data)})`,
    lines: [`${name} has been down since ${time(data.since)}. ${whyDown(data)}`, schedule(data), ...ownOutages(data)],
    facts: heartbeatFacts(data),
  }
}

function heartbeatReminder(data: HeartbeatData, timestamp: string): AlertWords {
  const name = oneLine(data.heartbeat.name)
  const long = lengthOf(data.since, timestamp)
  return {
    severity: 'reminder',
    title: `${reminderOf(data)}: ${name} down for ${long}`,
    lines: [
      `${name} has been down for ${long}, since ${time(data.since)}. ${whyDown(data)}`,
      schedule(data),
      ...ownOutages(data),
    ],
    facts: heartbeatFacts(data),
  }
}

function heartbeatUp(data: HeartbeatData, timestamp: string): AlertWords {
  const name = oneLine(data.heartbeat.name)
  const long = downFor(data, timestamp)
  return {
    severity: 'up',
    title: `Recovered: ${name} after ${long}`,
    lines: [downtimeLine(name, long, data, timestamp), ...acknowledgedBy(data)],
    facts: heartbeatFacts(data),
  }
}

function unmonitored({ checks, still_unmonitored }: CoverageData): AlertWords {
  const rows = checks.map(({ name, last_result_at, down_since, missing_abilities }) => {
    const down = down_since === undefined ? '' : `down since ${time(down_since)}, `
    const last = last_result_at === undefined ? 'no result yet' : `last result ${time(last_result_at)}`
    const missing = missing_abilities === undefined ? '' : `, missing ability: ${list(missing_abilities)}`
    return `${oneLine(name, 100)} (${down}${last}${missing})`
  })
  const isAbility = checks.some(({ missing_abilities }) => missing_abilities !== undefined)
  const down = checks.filter(({ down_since }) => down_since !== undefined)
  return {
    severity: 'warning',
    title: `Not monitored: ${oneOrCount(checks, 'check')} (no recent results)`,
    lines: [
      `No recent results, so the current state of ${checks.length === 1 ? 'this check' : 'these checks'} is unknown:`,
      ...listed(rows),
      ...(down.length > 0 ? [NO_REMINDERS] : []),
      `Make sure that the monitors of ${checks.length === 1 ? 'this check' : 'these checks'} are online.`,
      ...(isAbility
        ? ['If an ability is missing, upgrade a monitor of the check, or assign one that has the ability.']
        : []),
      ...still('not monitored', still_unmonitored),
    ],
    facts: [],
  }
}

function monitored({ checks, still_unmonitored }: CoverageData): AlertWords {
  const rows = checks.map(({ name, since, down_since }) => {
    const down = down_since === undefined ? '' : `still down, since ${time(down_since)}; `
    return `${oneLine(name, 100)} (${down}no results from ${time(since)} until now)`
  })
  return {
    severity: 'up',
    title: `Monitored again: ${oneOrCount(checks, 'check')}`,
    lines: ['Results are arriving again:', ...listed(rows), ...still('not monitored', still_unmonitored)],
    facts: [],
  }
}

function offline({ monitors, unmonitored, still_offline }: MonitorData): AlertWords {
  const rows = monitors.map(
    ({ name, id, last_seen_at, checks }) =>
      `${oneLine(name, 100) || id} (last report ${time(last_seen_at)}, runs ${count(checks, 'check')})`,
  )
  return {
    severity: 'warning',
    title: `Offline: ${oneOrCountOfMonitors(monitors)}`,
    lines: [
      `${monitors.length === 1 ? 'This monitor has' : 'These monitors have'} stopped reporting to Dogwatch:`,
      ...listed(rows),
      ...unmonitoredLines(unmonitored, monitors),
      `Make sure that the ${monitors.length === 1 ? 'monitor is' : 'monitors are'} running and can reach Dogwatch.`,
      ...still('offline', still_offline),
    ],
    facts: monitors.length === 1 ? [{ label: 'Monitor ID', value: monitors[0]?.id ?? '' }] : [],
  }
}

/** Describes the checks that no monitor runs while these monitors are offline. */
function unmonitoredLines(unmonitored: MonitorData['unmonitored'], monitors: MonitorData['monitors']): string[] {
  if (unmonitored === undefined || monitors.every(({ checks }) => checks === 0)) return []
  if (unmonitored.count === 0) return ['Other monitors still run all of these checks.']
  const { count: number, down } = unmonitored
  const rows = down.map(({ name, down_since }) => `${oneLine(name, 100)} (since ${time(down_since)})`)
  return [
    `${number === 1 ? '1 check is' : `${number} checks are`} no longer monitored, because no other monitor runs ${number === 1 ? 'it' : 'them'}.`,
    ...(down.length > 0 ? [`Down when last monitored: ${list(rows)}.`, NO_REMINDERS] : []),
  ]
}

function online({ monitors, still_offline }: MonitorData): AlertWords {
  const rows = monitors.map(
    ({ name, id, since }) => `${oneLine(name, 100) || id} (offline from ${time(since)} until now)`,
  )
  return {
    severity: 'up',
    title: `Online again: ${oneOrCountOfMonitors(monitors)}`,
    lines: [
      `${monitors.length === 1 ? 'This monitor is' : 'These monitors are'} reporting to Dogwatch again:`,
      ...listed(rows),
      ...still('offline', still_offline),
    ],
    facts: monitors.length === 1 ? [{ label: 'Monitor ID', value: monitors[0]?.id ?? '' }] : [],
  }
}

function channelTest({ org, channel }: ChannelTestData): AlertWords {
  const name = oneLine(channel.name)
  return {
    severity: 'info',
    title: `Test: ${name}`,
    lines: [
      `This is a test message for the channel “${name}”. No action is needed.`,
      `Alerts from ${oneLine(org.name)} will arrive here.`,
    ],
    facts: [],
  }
}

function stillFailing(monitors: readonly MonitorView[]): string[] {
  const failing = monitors.filter((monitor) => monitor.failing)
  if (failing.length === 0) return []
  const of = monitors.length === 1 ? '' : `${failing.length} of ${monitors.length} monitors: `
  return [
    `Still failing from ${of}${names(failing)}. The settings of this check allow these failures, so the check is up.`,
  ]
}

/** Returns lines such as `Failing from 2 of 3 monitors: rack 4, rack 5. Passing: rack 6.` */
function failingFromLine(monitors: readonly MonitorView[]): string[] {
  const failing = monitors.filter((monitor) => monitor.failing)
  const fine = monitors.filter((monitor) => !monitor.failing)
  if (failing.length === 0) return []
  if (monitors.length === 1) return [`Failing from ${names(failing)}.`]
  if (fine.length === 0) return [`Failing from all ${monitors.length} monitors: ${names(failing)}.`]
  return [`Failing from ${failing.length} of ${monitors.length} monitors: ${names(failing)}. Passing: ${names(fine)}.`]
}

function names(monitors: readonly { id: string; name: string }[]): string {
  return list(monitors.map(nameOf))
}

function errorLine({ error }: CheckData): string[] {
  return error === undefined || error === '' ? [] : [`Error: ${oneLine(failureWords(error))}`]
}

function checkFacts(data: CheckData): (Fact | false)[] {
  const { check, monitor, ran_at, http_status, latency_ms } = data
  const status = http_status > 0 ? `HTTP ${http_status}, ` : ''
  return [
    targetOf(check),
    {
      label: 'Last result',
      value: `${time(ran_at)} from ${nameOf(monitor)}: ${verdictOf(data)}${status}${latency_ms} ms`,
    },
  ]
}

/** Returns the verdict of the latest result as text. Returns an empty text if the event does not contain it. */
function verdictOf({ state, reason, monitors, monitor, ran_at }: CheckData): string {
  if (state === 'down') return 'failed, '
  if (reason === 'recovered') return 'passed, '
  const view = monitors.find((one) => one.id === monitor.id && one.ran_at === ran_at)
  return view === undefined ? '' : view.failing ? 'failed, ' : 'passed, '
}

function downtimeLine(
  name: string,
  long: string,
  { since, ended_at }: { since: string; ended_at?: string },
  timestamp: string,
): string {
  return `${name} was down for ${long}, from ${time(since)} to ${time(ended_at ?? timestamp)}.`
}

/** Returns the cause in words for a title, such as `no ping`. */
function heartbeatCause({ reason, exit_code }: HeartbeatData): string {
  if (reason === 'fail') return 'job reported a failure'
  return reason === 'exit_code' ? `exit code ${exit_code ?? '?'}` : 'no ping'
}

function whyDown({ reason, exit_code, last_heartbeat_at }: HeartbeatData): string {
  if (reason === 'fail') return 'The job reported a failure.'
  if (reason === 'exit_code') return `The job exited with code ${exit_code ?? '?'}.`
  return last_heartbeat_at === undefined ? 'The job has not sent a ping yet.' : 'The job did not send a ping in time.'
}

function schedule({ heartbeat: { interval_sec, grace_sec, cron, cron_zone = 'UTC' } }: HeartbeatData): string {
  const when =
    cron === undefined
      ? `A ping is expected every ${interval(interval_sec)}`
      : `Pings are expected on the cron schedule ${oneLine(cron)} (${oneLine(cron_zone)})`
  return `${when}, with a grace period of ${duration(grace_sec)}.`
}

/** Lists outages of Dogwatch during which pings of the job could not arrive. */
function ownOutages({ outages = [] }: HeartbeatData): string[] {
  if (outages.length === 0) return []
  const times = outages.map(({ began_at, ended_at }) => `from ${time(began_at)} to ${time(ended_at)}`)
  return [`Dogwatch could not receive pings ${times.join(' and ')}, so the deadline was extended.`]
}

function heartbeatFacts({ last_heartbeat_at }: HeartbeatData): (Fact | false)[] {
  return [last_heartbeat_at !== undefined && { label: 'Last ping', value: time(last_heartbeat_at) }]
}

/** Returns words such as `Reminder 2`. */
function reminderOf({ reminder }: { reminder?: number }): string {
  return reminder === undefined ? 'Reminder' : `Reminder ${reminder}`
}

function lengthOf(since: string, until: string): string {
  return duration(secondsBetween(since, until))
}

function downFor({ duration_sec, since }: { duration_sec?: number; since: string }, timestamp: string): string {
  return duration_sec === undefined ? lengthOf(since, timestamp) : duration(duration_sec)
}

function oneOrCount(things: readonly { name: string }[], thing: string): string {
  const [only] = things
  return things.length === 1 && only && only.name.trim() !== '' ? oneLine(only.name) : count(things.length, thing)
}

/** Returns `2 monitors`, or `monitor rack 4` for one, so that a title does not read as the name of a server that is down. */
function oneOrCountOfMonitors(monitors: readonly { id: string; name: string }[]): string {
  const [only] = monitors
  return monitors.length === 1 && only ? `monitor ${oneLine(only.name) || only.id}` : count(monitors.length, 'monitor')
}

/** Lists the checks, heartbeats or monitors from earlier alerts that have not recovered. */
function still(state: string, others: readonly { id?: string; name: string; since: string }[]): string[] {
  if (others.length === 0) return []
  const named = others.map(({ name, id = '', since }) => `${oneLine(name, 100) || id} (since ${time(since)})`)
  return [`Still ${state}: ${list(named)}.`]
}

function listed(rows: readonly string[]): string[] {
  const shown = rows.slice(0, MAX_LISTED).map((row) => `- ${row}`)
  return rows.length > MAX_LISTED ? [...shown, `and ${rows.length - MAX_LISTED} more`] : shown
}
