// A message to a channel of Slack, by an incoming webhook.
import { below, textBelow } from '../answer-body.ts'
import { defineKind } from '../kind.ts'
import { slackBody } from './message.ts'

export const slack = defineKind({
  name: 'slack',
  label: 'Slack',
  about: 'Posts messages to a Slack channel through an incoming webhook.',
  plan: 'team',
  grouped: 25,
  fields: {
    webhook_url: {
      label: 'Webhook URL',
      hint: 'Create an incoming webhook in Slack and paste its URL (https://hooks.slack.com/services/…).',
      input: 'url',
      shown: 'host',
      isSecret: false,
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => ({
      url: destination.webhook_url,
      body: JSON.stringify(slackBody(message)),
    }),
    // `invalid_token`, `no_service`: what Slack says, when it is Slack that answers.
    explain: (body) => /^[a-z_]{2,64}$/.exec(textBelow(body, 'error') ?? body.trim())?.[0],
    // Servers that take what Slack takes may answer 200 and say in JSON that it went wrong.
    judge: ({ body }) => (below(body, 'ok') === false ? { is: 'retry' } : undefined),
  },
  example: { webhook_url: 'https://hooks.slack.com/services/T0/B0/x' },
})
