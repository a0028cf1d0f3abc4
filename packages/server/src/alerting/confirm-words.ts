// The mail that asks the owner of an address whether alerts may go there. All of its text is ours.
import type { Message } from '../channels/channel.ts'

export function confirmMessage(public_url: string, token: string): Message {
  return {
    severity: 'info',
    title: 'Dogwatch: may alerts be sent to this address?',
    lines: [
      'Somebody wants Dogwatch, an uptime monitor, to send alerts to this address.',
      'To allow it, open the link below within 7 days and press the button.',
      'If you do not want that, do nothing: no alerts are sent without your consent.',
    ],
    facts: [],
    link: `${public_url.replace(/(?<!\/)\/+$/, '')}/confirm-address/${token}`,
  }
}
