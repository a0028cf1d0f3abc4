// Formats a message for ntfy, in its JSON form.
import { ACKNOWLEDGE, acknowledgeLines, factLines, levelOf, type Message } from '../channel.ts'
import { cutBy } from '../wording.ts'

/** Priorities: 5 wakes people, 3 does not. */
const PRIORITY: Readonly<Record<Message['severity'], number>> = { down: 5, reminder: 4, warning: 4, up: 3, info: 3 }
const TAGS: Readonly<Record<Message['severity'], string>> = {
  down: 'red_circle',
  reminder: 'red_circle',
  warning: 'warning',
  up: 'green_circle',
  info: 'bell',
}
// ntfy turns a message beyond 4096 bytes into an attachment.
const MAX_TITLE = 250
const MAX_MESSAGE = 3800

export function ntfyBody(topic: string, message: Message) {
  return {
    topic,
    title: cutBy(message.title, MAX_TITLE, Buffer.byteLength),
    message: cutBy(
      [...message.lines, ...linkLines(message), ...factLines(message)].join('\n'),
      MAX_MESSAGE,
      Buffer.byteLength,
    ),
    priority: PRIORITY[levelOf(message)],
    tags: [TAGS[message.severity]],
    click: message.link,
    ...(message.acknowledge !== undefined && {
      actions: [{ action: 'view', label: ACKNOWLEDGE, url: message.acknowledge }],
    }),
  }
}

/** Returns the links of a group as text, because ntfy accepts at most three buttons. */
function linkLines({ acknowledgements = [] }: Message): readonly string[] {
  return acknowledgeLines({ acknowledgements })
}
