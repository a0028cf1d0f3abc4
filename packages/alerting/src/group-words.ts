// Combines several alerts in one message: a numbered line for each, and a link for each incident.
import { levelOf, type Message } from '@dogwatch/channels/channel'
import { count, cutBy } from '@dogwatch/channels/wording'
import { kindsOf } from './summary-words.ts'

/**
 * Maximum length of a line in bytes. It is so small that all lines of a full group fit into one message of any kind of channel
 * that is `grouped`.
 */
const LINE = 90
const SEVERITIES = ['down', 'reminder', 'warning', 'up', 'info'] as const

/** Returns the message that represents several alerts. `link`: address of a page about all of them. */
export function groupMessage(alerts: readonly { type: string; message: Message }[], link: string): Message {
  const messages = alerts.map(({ message }) => message)
  const severity = SEVERITIES.find((one) => messages.some((message) => message.severity === one)) ?? 'info'
  const urgent = SEVERITIES.flatMap((one) => messages.find((message) => levelOf(message) === one) ?? [])[0]
  const kinds = new Map(Map.groupBy(alerts, ({ type }) => type))
  const counts = [...kinds].map(([type, own]) => ({ type, count: own.length }))
  return {
    severity,
    ...(urgent?.urgency && { urgency: urgent.urgency }),
    title: `${count(alerts.length, 'alert')}: ${kindsOf(counts)}`,
    lines: messages.map(({ title }, n) => cutBy(`${n + 1}. ${title}`, LINE, Buffer.byteLength)),
    facts: messages[0]?.facts.filter(({ label }) => label === 'Organisation') ?? [],
    link,
    acknowledgements: messages.flatMap(({ acknowledge }, n) =>
      acknowledge === undefined ? [] : [{ label: `Acknowledge ${n + 1}`, url: acknowledge }],
    ),
  }
}
