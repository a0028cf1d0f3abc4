// Sends a message by Signal, through the user's own gateway: signal-cli-rest-api.
import { jsonTextAt } from '../answer-body.ts'
import { defineKind, MEMBERS_TEXT, RECEIVER_URL } from '../kind.ts'
import { pathOn } from '../own-server.ts'
import { PHONE } from '../twilio.ts'
import { signalBody } from './message.ts'

export const signal = defineKind({
  name: 'signal',
  label: 'Signal',
  about: 'Sends Signal messages through your own signal-cli-rest-api gateway.',
  plan: 'free',
  grouped: 6,
  fields: {
    signal_to: {
      ...MEMBERS_TEXT,
      label: 'Recipient',
      hint: 'A phone number, a username such as u:alice.01, or a group ID starting with “group.”',
      matches: {
        pattern: /^(?:\+[1-9]\d{6,14}|u:[A-Za-z_][A-Za-z0-9_]{2,31}\.\d{2,9}|group\.[A-Za-z0-9+/=_-]{10,200})$/,
        says: 'must be a phone number such as +491701234567, a username such as u:name.01, or a group ID such as group.…',
      },
    },
    signal_from: {
      ...MEMBERS_TEXT,
      label: 'Sender',
      hint: 'The phone number registered with the gateway.',
      matches: PHONE,
    },
    signal_url: {
      ...RECEIVER_URL,
      label: 'Gateway URL',
      hint: 'The address of signal-cli-rest-api, for example https://signal.example.com. The URL can include a username and password.',
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => ({
      url: pathOn(destination.signal_url, '/v2/send'),
      body: JSON.stringify(signalBody(destination, message)),
    }),
    explain: (body) => jsonTextAt(body, 'error'),
    // The gateway responds with the time of the sent message. It responds 400 for any fault, including temporary ones.
    judge: ({ status, body }) =>
      status >= 200 && status < 300 ? { is: /"timestamp"/.test(body) ? 'delivered' : 'retry' } : undefined,
  },
  example: { signal_to: '+491701234567', signal_from: '+491707654321', signal_url: 'https://signal.example.com' },
})
