// Formats a message as a line of syslog, according to RFC 5424.
import { type Dispatch, levelOf, type Message } from '../channel.ts'
import { hostOf, incidentOf } from '../incident-of.ts'
import { cutBy } from '../wording.ts'

export const FACILITIES = {
  local0: 16,
  local1: 17,
  local2: 18,
  local3: 19,
  local4: 20,
  local5: 21,
  local6: 22,
  local7: 23,
  user: 1,
  daemon: 3,
} as const satisfies Record<string, number>

/** Severities of RFC 5424: critical, warning, notice, informational. */
const SEVERITY: Readonly<Record<Message['severity'], number>> = { down: 2, reminder: 2, warning: 4, up: 5, info: 6 }
/**
 * Maximum lengths. Every receiver accepts 480 bytes and should accept 2048. Over UDP, this also fits one packet of most networks.
 */
const MAX = { text: 900, value: 200, host: 255, message_id: 32 } as const
/** Structured data with the number that RFC 5612 reserves for documentation, because we have none of our own. */
const ELEMENT = 'dogwatch@32473'

export function syslogMessage(dispatch: Dispatch<'syslog_url' | 'syslog_facility'>): string {
  const { message, timestamp, type, webhook_id, destination } = dispatch
  const facility = (FACILITIES as Readonly<Record<string, number>>)[destination.syslog_facility] ?? FACILITIES.local0
  const priority = facility * 8 + SEVERITY[levelOf(message)]
  const host =
    hostOf(message.link)
      .replaceAll(/[^!-~]/g, '')
      .slice(0, MAX.host) || '-'
  const text = cutBy([message.title, ...message.lines].join(' | '), MAX.text, Buffer.byteLength)
  const data = [
    ['id', webhook_id],
    ['incident', incidentOf(dispatch).key],
    ['link', message.link],
  ].map(([name = '', value = '']) => ` ${name}="${escape(cutBy(value, MAX.value, Buffer.byteLength))}"`)
  // The mark before the text says that it is UTF-8.
  return `<${priority}>1 ${timestamp} ${host} dogwatch - ${type.slice(0, MAX.message_id)} [${ELEMENT}${data.join('')}] \uFEFF${text}`
}

function escape(value: string): string {
  return value.replaceAll(/["\\\]]/g, '\\$&')
}
