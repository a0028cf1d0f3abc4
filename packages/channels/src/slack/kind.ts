// Sends a message to a channel of Slack, through an incoming webhook.
import { jsonTextAt, jsonValueAt } from '../answer-body.ts'
import { defineKind, RECEIVER_URL } from '../kind.ts'
import { slackBody } from './message.ts'

export const slack = defineKind({
  name: 'slack',
  label: 'Slack',
  about: 'Posts messages to a Slack channel through an incoming webhook.',
  plan: 'team',
  grouped: 25,
  fields: {
    webhook_url: {
      ...RECEIVER_URL,
      label: 'Webhook URL',
      hint: 'Create an incoming webhook in Slack and paste its URL (https://hooks.slack.com/services/…).',
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => ({
      url: destination.webhook_url,
      body: JSON.stringify(slackBody(message)),
    }),
    // Slack's own errors are words such as `invalid_token` and `no_service`.
    explain: (body) => /^[a-z_]{2,64}$/.exec(jsonTextAt(body, 'error') ?? body.trim())?.[0],
    // Servers that are compatible with Slack can respond 200 and report a failure in JSON.
    judge: ({ body }) => (jsonValueAt(body, 'ok') === false ? { is: 'retry' } : undefined),
  },
  example: { webhook_url: 'https://hooks.slack.com/services/T0/B0/x' },
})
