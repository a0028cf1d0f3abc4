// Formats a message for Pushover.
import { acknowledgeLines, type Destination, factLines, levelOf, type Message } from '../channel.ts'
import { cut } from '../wording.ts'

/** Priorities: 1 overrides quiet hours, -1 makes no sound. */
const PRIORITY: Readonly<Record<Message['severity'], number>> = { down: 1, reminder: 1, warning: 0, up: 0, info: -1 }
// Pushover's own limits, in characters.
const MAX = { title: 250, message: 1024, url: 512 } as const

export function pushoverBody(
  {
    pushover_user,
    pushover_token,
    pushover_device,
  }: Destination<'pushover_user' | 'pushover_token' | 'pushover_device'>,
  message: Message,
  timestamp: string,
) {
  const { title, lines, link } = message
  return {
    token: pushover_token,
    user: pushover_user,
    ...(pushover_device !== '' && { device: pushover_device }),
    title: cut(title, MAX.title),
    message: withLinks([...lines, ...factLines(message)].join('\n'), acknowledgeLines(message)),
    priority: PRIORITY[levelOf(message)],
    timestamp: Math.floor(Date.parse(timestamp) / 1000),
    // Omits a link that is too long, because a truncated link would lead nowhere.
    ...(link.length <= MAX.url && { url: link, url_title: 'Open Dogwatch' }),
  }
}

/**
 * Appends lines to a text, and truncates the text so that all these lines fit. Omits a line if it would leave less than half of
 * the message for the text.
 */
function withLinks(text: string, lines: readonly string[]): string {
  let room: number = MAX.message
  const whole = lines.filter(({ length }) => {
    const fits = room - length - 1 >= MAX.message - MAX.url
    if (fits) room -= length + 1
    return fits
  })
  return [cut(text, room), ...whole].join('\n')
}
