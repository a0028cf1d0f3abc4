// Sends a message to a channel of Mattermost, through an incoming webhook.
import { jsonTextAt } from '../answer-body.ts'
import { defineKind, RECEIVER_URL } from '../kind.ts'
import { mattermostBody } from './message.ts'

export const mattermost = defineKind({
  name: 'mattermost',
  label: 'Mattermost',
  about: 'Posts messages to a Mattermost channel through an incoming webhook.',
  plan: 'team',
  grouped: 25,
  fields: {
    mattermost_url: {
      ...RECEIVER_URL,
      label: 'Webhook URL',
      hint: 'In Mattermost, go to Integrations > Incoming webhooks and select Add incoming webhook.',
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => ({
      url: destination.mattermost_url,
      body: JSON.stringify(mattermostBody(message)),
    }),
    explain: (body) => jsonTextAt(body, 'message'),
    // Mattermost responds `ok`. A login page also has the status 200.
    judge: ({ status, body }) => {
      if (status >= 200 && status < 300) return { is: body.trim() === 'ok' ? 'delivered' : 'retry' }
      return undefined
    },
  },
  example: { mattermost_url: 'https://chat.example.com/hooks/abcdefghijklmnopqrstuvwxyz' },
})
