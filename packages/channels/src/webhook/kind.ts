// Posts JSON to any URL, signed if there is a secret, according to Standard Webhooks.
import type { Dispatch } from '../channel.ts'
import { defineKind, RECEIVER_URL, SECRET_TEXT } from '../kind.ts'
import { secretFault, sign } from './signature.ts'

type WebhookDispatch = Dispatch<'webhook_url' | 'webhook_secret'>

export const webhook = defineKind({
  name: 'webhook',
  label: 'Webhook',
  about: 'Sends a signed JSON POST request to your server, following Standard Webhooks.',
  plan: 'double',
  fields: {
    webhook_url: {
      ...RECEIVER_URL,
      label: 'URL',
      hint: 'Must respond with a 2xx status within 15 seconds. Redirects are not followed.',
    },
    webhook_secret: {
      ...SECRET_TEXT,
      label: 'Signing secret',
      hint: 'Used to sign each message. Enter a whsec_ secret or any other text. Leave empty to send unsigned messages.',
      isOptional: true,
      fault: secretFault,
      note: 'signs each message',
    },
  },
  facts: ({ webhook_secret }) => [
    {
      label: 'Signature',
      value: webhook_secret === '' ? 'Unsigned' : 'Signed',
    },
  ],
  sending: {
    by: 'http',
    server: 'receiver',
    request: (dispatch: WebhookDispatch) => {
      const body = webhookBody(dispatch)
      return { url: dispatch.destination.webhook_url, headers: webhookHeaders(dispatch, body), body }
    },
    // According to Standard Webhooks, the status 410 means that the receiver wants no further messages.
    gone: 410,
  },
  example: { webhook_url: 'https://hooks.example.com/dogwatch', webhook_secret: '' },
})

function webhookBody({ type, timestamp, data }: WebhookDispatch): string {
  return JSON.stringify({ type, timestamp, data })
}

function webhookHeaders({ webhook_id, sent_at, destination }: WebhookDispatch, body: string): Record<string, string> {
  const timestamp = Math.floor(sent_at.getTime() / 1000)
  const { webhook_secret: secret } = destination
  return {
    'content-type': 'application/json',
    'webhook-id': webhook_id,
    'webhook-timestamp': String(timestamp),
    ...(secret !== '' && { 'webhook-signature': sign(secret, webhook_id, timestamp, body) }),
  }
}
