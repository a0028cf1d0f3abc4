// Formats a short text message, because each part costs money.
import { acknowledgeLines, type Destination, type Message } from '../channel.ts'
import { cut } from '../wording.ts'

// Twilio accepts 1600 characters. A part has 70 of them, or 160 if they are plain.
const MAX = { title: 120, text: 200, group: 700 } as const
const LINES = 2

export function smsForm(
  { twilio_to, twilio_from }: Destination<'twilio_to' | 'twilio_from'>,
  { title, lines, link, acknowledge = link, acknowledgements }: Message,
): Record<string, string> {
  const rest =
    acknowledgements === undefined
      ? // One link: the page where an incident is acknowledged leads on to the other.
        [cut(lines.slice(0, LINES).join(' '), MAX.text), acknowledge]
      : [cut(lines.join('\n'), MAX.group), ...acknowledgeLines({ acknowledgements })]
  const text = [cut(title, MAX.title), ...rest].join('\n')
  return {
    To: twilio_to,
    ...(twilio_from.startsWith('MG') ? { MessagingServiceSid: twilio_from } : { From: twilio_from }),
    Body: text,
  }
}
