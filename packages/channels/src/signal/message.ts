// Formats a message for the gateway of Signal: plain text.
import { type Destination, factLines, linkLines, type Message } from '../channel.ts'
import { cutBy, emojiOf } from '../wording.ts'

/** Maximum lengths in bytes. Signal sends longer texts as an attachment. */
const MAX = { title: 300, text: 1400 } as const

export function signalBody({ signal_to, signal_from }: Destination<'signal_to' | 'signal_from'>, message: Message) {
  const { severity, title, lines } = message
  return {
    number: signal_from,
    recipients: [signal_to],
    text_mode: 'normal',
    message: [
      `${emojiOf(severity)} ${cutBy(title, MAX.title, Buffer.byteLength)}`,
      cutBy([...lines, ...factLines(message)].join('\n'), MAX.text, Buffer.byteLength),
      ...linkLines(message),
    ].join('\n'),
  }
}
