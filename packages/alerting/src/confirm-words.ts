// Words the email that asks the owner of an address to allow alerts there. None of its text comes from users.
import type { Message } from '@dogwatch/channels/channel'

export function confirmMessage(public_url: string, token: string): Message {
  return {
    severity: 'info',
    title: 'Dogwatch: confirm this address for alerts',
    lines: [
      'Someone asked Dogwatch, an uptime monitor, to send alerts to this address.',
      'To receive alerts here, open the link below within 7 days and select “Allow alerts”.',
      'If you do not want alerts, ignore this email. Dogwatch sends no alerts without your consent.',
    ],
    facts: [],
    link: `${public_url.replace(/(?<!\/)\/+$/, '')}/confirm-address/${token}`,
  }
}
