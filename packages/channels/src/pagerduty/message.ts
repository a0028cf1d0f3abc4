// Formats a message for PagerDuty: an event of its Events API v2.
import { type Dispatch, levelOf, linksOf, type Message } from '../channel.ts'
import { hostOf, incidentOf, isAcknowledgement } from '../incident-of.ts'
import { cut } from '../wording.ts'

const SEVERITY: Readonly<Record<Message['severity'], string>> = {
  down: 'critical',
  reminder: 'critical',
  warning: 'warning',
  up: 'info',
  info: 'info',
}
// PagerDuty's own limits are 1024 characters for a summary, 255 for a key and 512 KB in all.
const MAX = { summary: 1024, source: 255, text: 8000, value: 1000 } as const

export function pagerdutyBody(dispatch: Dispatch<'pagerduty_key' | 'pagerduty_region'>) {
  const { message, timestamp, type, destination } = dispatch
  const { key, is_over } = incidentOf(dispatch)
  const about = { routing_key: destination.pagerduty_key, dedup_key: key }
  if (is_over) return { ...about, event_action: 'resolve' }
  if (isAcknowledgement(type)) return { ...about, event_action: 'acknowledge' }
  return {
    ...about,
    event_action: 'trigger',
    client: 'Dogwatch',
    client_url: message.link,
    links: linksOf(message).map(({ label, url }) => ({ href: url, text: label })),
    payload: {
      summary: cut(message.title, MAX.summary),
      source: cut(hostOf(message.link), MAX.source),
      severity: SEVERITY[levelOf(message)],
      timestamp,
      class: type,
      custom_details: {
        message: cut(message.lines.join('\n'), MAX.text),
        ...Object.fromEntries(message.facts.map(({ label, value }) => [label, cut(value, MAX.value)])),
      },
    },
  }
}
