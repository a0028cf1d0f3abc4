// Sends a message to a channel of Discord, through a webhook.
import { joinParts, jsonNumberAt, jsonTextAt } from '../answer-body.ts'
import { defineKind, RECEIVER_URL } from '../kind.ts'
import { discordBody } from './message.ts'

/** Error codes of Discord: one for a deleted webhook, the others for a wrong token or message. */
const UNKNOWN_WEBHOOK = 10_015
const REFUSALS: readonly unknown[] = [50_027, 50_035]

export const discord = defineKind({
  name: 'discord',
  label: 'Discord',
  about: 'Posts messages to a Discord channel through a webhook.',
  plan: 'team',
  grouped: 20,
  fields: {
    discord_url: {
      ...RECEIVER_URL,
      label: 'Webhook URL',
      hint: 'In Discord, go to Edit channel > Integrations > Webhooks and select Copy webhook URL.',
      fault: (value) =>
        /\/api(?:\/v\d+)?\/webhooks\/\d+\/[^/?#]+/.test(value)
          ? undefined
          : 'must be a Discord webhook URL, such as https://discord.com/api/webhooks/…',
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => {
      const url = new URL(destination.discord_url)
      // Without `wait`, Discord responds before it has stored the message, and does not report a failure.
      url.searchParams.set('wait', 'true')
      return { url: url.href, body: JSON.stringify(discordBody(message)) }
    },
    explain: (body) => joinParts(jsonTextAt(body, 'message'), jsonNumberAt(body, 'code')?.toString()),
    judge: ({ status, body }) => {
      const code = jsonNumberAt(body, 'code')
      if (status === 429) return { is: 'retry', ...waitIn(body) }
      if (status === 404 && code === UNKNOWN_WEBHOOK) return { is: 'gone' }
      return (status === 400 || status === 401) && REFUSALS.includes(code) ? { is: 'refused' } : undefined
    },
  },
  example: { discord_url: 'https://discord.com/api/webhooks/1234567890/aBcDeFgHiJkLmNoPqRsTuVwXyZ' },
})

/** Returns the time that Discord asks us to wait, in seconds with a fraction. */
function waitIn(body: string): { retry_after_sec?: number } {
  const retry_after_sec = jsonNumberAt(body, 'retry_after')
  return retry_after_sec === undefined ? {} : { retry_after_sec }
}
