// Formats a message as a call: the text for the voice, as TwiML.
import type { Destination, Message } from '../channel.ts'
import { cutEscaped, escapeXml } from '../wording.ts'

// Twilio accepts 4000 characters of TwiML, which contains the text twice. A person listens for half a minute.
const MAX = { title: 300, text: 700, group: 1550 } as const
const LINES = 2

export function callForm(
  { twilio_to, twilio_from }: Destination<'twilio_to' | 'twilio_from'>,
  { title, lines, acknowledgements }: Message,
): Record<string, string> {
  const isGroup = acknowledgements !== undefined
  const text = isGroup ? within(lines.join('. '), MAX.group) : within(lines.slice(0, LINES).join(' '), MAX.text)
  const said = `Dogwatch. ${within(title, MAX.title)}. ${text}`
  const say = `<Say>${said}</Say>`
  return { To: twilio_to, From: twilio_from, Twiml: `<Response>${say}<Pause length="1"/>${say}</Response>` }
}

function within(text: string, max: number): string {
  return cutEscaped(text, max, escapeXml)
}
