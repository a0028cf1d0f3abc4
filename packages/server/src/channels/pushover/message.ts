// A message as Pushover takes it.
import { acknowledgeLine, type Destination, levelOf, type Message } from '../channel.ts'
import { cut } from '../wording.ts'

/** 1 passes quiet hours, -1 makes no sound. */
const PRIORITY: Readonly<Record<Message['severity'], number>> = { down: 1, reminder: 1, warning: 0, up: 0, info: -1 }
// Pushover's own bounds, in characters.
const MAX = { title: 250, message: 1024, url: 512 } as const

export function pushoverBody(
  {
    pushover_user,
    pushover_token,
    pushover_device,
  }: Destination<'pushover_user' | 'pushover_token' | 'pushover_device'>,
  { severity, urgency, title, lines, facts, link, acknowledge }: Message,
  timestamp: string,
) {
  const line = acknowledgeLine({ acknowledge })
  const told = facts.map(({ label, value }) => `${label}: ${value}`)
  return {
    token: pushover_token,
    user: pushover_user,
    ...(pushover_device !== '' && { device: pushover_device }),
    title: cut(title, MAX.title),
    message: withLine([...lines, ...told].join('\n'), line),
    priority: PRIORITY[levelOf({ severity, urgency })],
    timestamp: Math.floor(Date.parse(timestamp) / 1000),
    // A part of a link would lead nowhere.
    ...(link.length <= MAX.url && { url: link, url_title: 'Open Dogwatch' }),
  }
}

/** The text, cut so that the line behind it is whole. */
function withLine(text: string, [line]: readonly string[]): string {
  if (line === undefined || line.length > MAX.url) return cut(text, MAX.message)
  return `${cut(text, MAX.message - line.length - 1)}\n${line}`
}
