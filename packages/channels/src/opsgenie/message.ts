// Formats a message for Opsgenie: an alert, or its end.
import { ACKNOWLEDGE, type Dispatch, levelOf, type Message } from '../channel.ts'
import { incidentOf, isAcknowledgement } from '../incident-of.ts'
import { cut } from '../wording.ts'

const PRIORITY: Readonly<Record<Message['severity'], string>> = {
  down: 'P1',
  reminder: 'P1',
  warning: 'P3',
  up: 'P5',
  info: 'P5',
}
// Opsgenie's own limits. All details together have at most 8000 characters.
const MAX = { message: 130, description: 15_000, note: 25_000, details: 10, value: 500, label: 100 } as const

export function opsgenieRequest(dispatch: Dispatch): { path: string; body: object } {
  const { message, type } = dispatch
  const { key, is_over } = incidentOf(dispatch)
  const text = [message.title, ...message.lines, message.link].join('\n')
  if (is_over || isAcknowledgement(type)) {
    const verb = is_over ? 'close' : 'acknowledge'
    return {
      path: `/${encodeURIComponent(key)}/${verb}?identifierType=alias`,
      body: { source: 'Dogwatch', note: cut(text, MAX.note) },
    }
  }
  const facts = message.facts.slice(0, MAX.details)
  return {
    path: '',
    body: {
      message: cut(message.title, MAX.message),
      alias: key,
      description: cut(text, MAX.description),
      details: {
        ...Object.fromEntries(facts.map(({ label, value }) => [cut(label, MAX.label), cut(value, MAX.value)] as const)),
        Dogwatch: message.link,
        ...(message.acknowledge !== undefined && { [ACKNOWLEDGE]: message.acknowledge }),
      },
      tags: [type],
      source: 'Dogwatch',
      priority: PRIORITY[levelOf(message)],
    },
  }
}
