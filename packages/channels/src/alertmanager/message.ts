// Formats a message for Alertmanager: as a list of alerts. Alertmanager treats alerts with equal labels as the same alert.
import { type Dispatch, factLines, type Message } from '../channel.ts'
import { closedBy, incidentOf } from '../incident-of.ts'
import { cut, oneLine } from '../wording.ts'

const SEVERITY: Readonly<Record<Message['severity'], string>> = {
  down: 'critical',
  reminder: 'critical',
  warning: 'warning',
  up: 'critical',
  info: 'info',
}
/** Names and severities of alerts, by the type of event. */
const NAMES: readonly (readonly [type: RegExp, name: string, severity: string | undefined])[] = [
  [/^check\.(?:down|reminder|acknowledged|up)$/, 'CheckDown', 'critical'],
  [/^heartbeat\.(?:down|reminder|acknowledged|up)$/, 'HeartbeatDown', 'critical'],
  [/^check\.(?:un)?monitored$/, 'CheckUnmonitored', 'warning'],
  [/^monitor\.(?:offline|online)$/, 'MonitorOffline', 'warning'],
  [/^check\.(?:certificate|renewed)$/, 'CheckCertificate', 'warning'],
  [/^check\.(?:un)?degraded$/, 'CheckDegraded', 'warning'],
  [/^check\.(?:flapping|settled)$/, 'CheckFlapping', 'warning'],
]
/**
 * Time until an open alert ends, because Alertmanager ends an alert without an end after 5 minutes, and Dogwatch sends each alert
 * only once.
 */
const OPEN_MS = 30 * 86_400_000
/** Time until a notice ends. A notice is an event without a state. */
const NOTICE_MS = 300_000
const SKEW_MS = 60_000
const MAX = { summary: 1000, text: 10_000 } as const

interface AlertSubject {
  id: string
  name: string
  since?: string
}

export function alertmanagerBody(dispatch: Dispatch) {
  const { type, message, sent_at, timestamp } = dispatch
  const opening = closedBy(dispatch.data) || type
  const [, name, severity] = NAMES.find(([pattern]) => pattern.test(opening)) ?? [type, 'DogwatchNotice', undefined]
  const isState = severity !== undefined
  const { key, is_over } = incidentOf(dispatch)
  const ends_ms = isState ? OPEN_MS : NOTICE_MS
  const isEnd = is_over || /\.(?:monitored|online|closed)$/.test(type)
  const annotations = {
    summary: cut(message.title, MAX.summary),
    description: cut([...message.lines, ...factLines(message)].join('\n'), MAX.text),
  }
  return affectedBy(dispatch, key).map(({ id, since = timestamp, ...about }) => ({
    // Labels must not change while the alert lasts. For this reason, names are in the annotations.
    labels: { alertname: name, severity: severity ?? SEVERITY[message.severity], job: 'dogwatch', dogwatch_id: id },
    annotations: {
      ...annotations,
      name: oneLine(about.name),
      ...(message.acknowledge !== undefined && { acknowledge: message.acknowledge }),
    },
    startsAt: since,
    endsAt: isEnd ? endOf(since, timestamp) : new Date(sent_at.getTime() + ends_ms).toISOString(),
    generatorURL: message.link,
  }))
}

/** Returns an end slightly in the past, because Alertmanager can postpone an end that is later than the time of its own clock. */
function endOf(since: string, ended_at: string): string {
  return new Date(Math.max(Date.parse(since), Date.parse(ended_at) - SKEW_MS)).toISOString()
}

/**
 * Returns the affected items of an event. Unmonitored checks and offline monitors are one alert each, because they recover one by
 * one.
 */
function affectedBy({ type, data, message }: Dispatch, key: string): AlertSubject[] {
  const { since, checks, monitors, check, heartbeat } = data as {
    since?: string
    checks?: readonly { guid: string; name: string; since: string }[]
    monitors?: readonly { id: string; name: string; since: string }[]
    check?: { name: string }
    heartbeat?: { name: string }
  }
  if (/^check\.(?:un)?monitored$/.test(closedBy(data) || type) && checks)
    return checks.map(({ guid, ...rest }) => ({ ...rest, id: guid }))
  if (/^monitor\.(?:offline|online)$/.test(type) && monitors) return monitors.map((one) => ({ ...one }))
  const name = (check ?? heartbeat)?.name ?? message.title
  return [{ id: key, name, ...(since !== undefined && { since }) }]
}
