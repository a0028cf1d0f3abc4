// A message as Gotify takes it: plain text.
import { acknowledgeLines, levelOf, type Message } from '../channel.ts'
import { cut } from '../wording.ts'

/** From 8 on phones ring, from 4 on they show a notification. */
const PRIORITY: Readonly<Record<Message['severity'], number>> = { down: 8, reminder: 7, warning: 6, up: 5, info: 4 }
// Gotify names no bound; these keep a message readable on a phone.
const MAX = { title: 250, message: 4000 } as const

export function gotifyBody(message: Message) {
  const { title, lines, facts, link } = message
  const told = facts.map(({ label, value }) => `${label}: ${value}`)
  return {
    title: cut(title, MAX.title),
    message: [cut([...lines, ...told].join('\n'), MAX.message), ...acknowledgeLines(message)].join('\n'),
    priority: PRIORITY[levelOf(message)],
    extras: {
      'client::display': { contentType: 'text/plain' },
      'client::notification': { click: { url: link } },
    },
  }
}
