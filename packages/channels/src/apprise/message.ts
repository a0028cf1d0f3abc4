// Formats a message for Apprise: plain text, which Apprise adapts to each service.
import { type Destination, factLines, linkLines, type Message } from '../channel.ts'
import { cut } from '../wording.ts'

const TYPE: Readonly<Record<Message['severity'], string>> = {
  down: 'failure',
  reminder: 'failure',
  warning: 'warning',
  up: 'success',
  info: 'info',
}
// Apprise itself shortens or splits a message for each service. These limits only keep the message short.
const MAX = { title: 250, body: 8000 } as const

export function appriseBody({ apprise_tag }: Destination<'apprise_tag'>, message: Message) {
  const { severity, title, lines } = message
  return {
    title: cut(title, MAX.title),
    body: [cut([...lines, ...factLines(message)].join('\n'), MAX.body), ...linkLines(message)].join('\n'),
    type: TYPE[severity],
    format: 'text',
    ...(apprise_tag !== '' && { tag: apprise_tag }),
  }
}
