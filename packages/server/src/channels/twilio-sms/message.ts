// A message as a text message: short, because each part of it is paid.
import type { Destination, Message } from '../channel.ts'
import { cut } from '../wording.ts'

// Twilio takes 1600 characters. A part has 70 of them, or 160 if they are plain.
const MAX = { title: 120, text: 200 } as const
const LINES = 2

export function smsForm(
  { twilio_to, twilio_from }: Destination<'twilio_to' | 'twilio_from'>,
  { title, lines, link, acknowledge = link }: Message,
): Record<string, string> {
  // One link: the page where an incident is acknowledged leads on to the other.
  const text = [cut(title, MAX.title), cut(lines.slice(0, LINES).join(' '), MAX.text), acknowledge].join('\n')
  return {
    To: twilio_to,
    ...(twilio_from.startsWith('MG') ? { MessagingServiceSid: twilio_from } : { From: twilio_from }),
    Body: text,
  }
}
