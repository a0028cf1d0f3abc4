// A POST of JSON to any url, signed when there is a secret: Standard Webhooks.
import type { Dispatch } from '../channel.ts'
import { defineKind } from '../kind.ts'
import { secretFault, sign } from './signature.ts'

type Sent = Dispatch<'webhook_url' | 'webhook_secret'>

export const webhook = defineKind({
  name: 'webhook',
  label: 'Webhook',
  about: 'A signed HTTP POST with JSON to a server of yours, as Standard Webhooks has it.',
  plan: 'double',
  fields: {
    webhook_url: {
      label: 'URL',
      hint: 'It answers with a status from 200 to 299 within 15 seconds; redirects are not followed.',
      input: 'url',
      shown: 'host',
      isSecret: false,
    },
    webhook_secret: {
      label: 'Secret',
      hint: 'Messages are signed with it: whsec_ and base64, or any text. Left empty, they are not signed.',
      input: 'text',
      shown: 'never',
      isSecret: true,
      isOptional: true,
      fault: secretFault,
      note: 'messages are signed with it',
    },
  },
  facts: ({ webhook_secret }) => [
    {
      label: 'Signature',
      value: webhook_secret === '' ? 'none: messages are sent unsigned' : 'signed with its secret',
    },
  ],
  sending: {
    by: 'http',
    server: 'receiver',
    request: (dispatch: Sent) => {
      const body = webhookBody(dispatch)
      return { url: dispatch.destination.webhook_url, headers: webhookHeaders(dispatch, body), body }
    },
    // As Standard Webhooks has it: the receiver wants no more messages.
    gone: 410,
  },
  example: { webhook_url: 'https://hooks.example.com/dogwatch', webhook_secret: '' },
})

function webhookBody({ type, timestamp, data }: Sent): string {
  return JSON.stringify({ type, timestamp, data })
}

function webhookHeaders({ webhook_id, sent_at, destination }: Sent, body: string): Record<string, string> {
  const timestamp = Math.floor(sent_at.getTime() / 1000)
  const { webhook_secret: secret } = destination
  return {
    'content-type': 'application/json',
    'webhook-id': webhook_id,
    'webhook-timestamp': String(timestamp),
    ...(secret !== '' && { 'webhook-signature': sign(secret, webhook_id, timestamp, body) }),
  }
}
