// Formats a message for Gotify: plain text.
import { acknowledgeLines, factLines, levelOf, type Message } from '../channel.ts'
import { cut } from '../wording.ts'

/** Priorities. Phones ring from 8 on, and show a notification from 4 on. */
const PRIORITY: Readonly<Record<Message['severity'], number>> = { down: 8, reminder: 7, warning: 6, up: 5, info: 4 }
// Gotify documents no limit. These limits keep a message readable on a phone.
const MAX = { title: 250, message: 4000 } as const

export function gotifyBody(message: Message) {
  const { title, lines, link } = message
  return {
    title: cut(title, MAX.title),
    message: [cut([...lines, ...factLines(message)].join('\n'), MAX.message), ...acknowledgeLines(message)].join('\n'),
    priority: PRIORITY[levelOf(message)],
    extras: {
      'client::display': { contentType: 'text/plain' },
      'client::notification': { click: { url: link } },
    },
  }
}
