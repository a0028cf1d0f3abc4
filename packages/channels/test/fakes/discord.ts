// Discord's execute-webhook, as discord.com/developers/docs/resources/webhook and /resources/message (embed limits) and
// /topics/rate-limits document it.
import { z } from 'zod'
import { jsonOf, lengthOf, read, type Vendor } from './vendor.ts'

const TOKEN = 'aBcDeFgHiJkLmNoPqRsTuVwXyZ-0123456789_aBcDeFgHiJkLmNoPqRsTuVwXyZ-012'
const EMBED = z.object({
  title: z.string().min(1).max(256).optional(),
  url: z.url().optional(),
  description: z.string().max(4096).optional(),
  color: z.int().min(0).max(0xff_ff_ff).optional(),
  fields: z
    .array(
      z.object({
        name: z.string().min(1).max(256),
        value: z.string().min(1).max(1024),
        inline: z.boolean().optional(),
      }),
    )
    .max(25)
    .optional(),
})
const MESSAGE = z
  .object({
    content: z.string().max(2000).optional(),
    embeds: z.array(EMBED).max(10).optional(),
    allowed_mentions: z.object({ parse: z.array(z.enum(['roles', 'users', 'everyone'])) }).optional(),
  })
  .refine(({ content, embeds }) => content !== undefined || embeds !== undefined, 'Cannot send an empty message')
  .refine(
    ({ embeds = [] }) => embeds.reduce((sum, embed) => sum + sizeOf(embed), 0) <= 6000,
    'Embed size exceeds maximum size of 6000',
  )

function sizeOf({ title = '', description = '', fields = [] }: z.infer<typeof EMBED>): number {
  return [title, description, ...fields.flatMap(({ name, value }) => [name, value])].reduce(
    (sum, text) => sum + lengthOf(text),
    0,
  )
}

export const discord: Vendor = {
  kind: 'discord',
  destination: (at) => ({ discord_url: `${at}/api/webhooks/1234567890/${TOKEN}` }),
  answer: (asked) => {
    const [, id, token] = /^\/api\/webhooks\/(\d+)\/([^/]+)$/.exec(asked.path) ?? []
    if (asked.method !== 'POST' || id === undefined)
      return { status: 404, body: { message: '404: Not Found', code: 0 } }
    if (id !== '1234567890') return { status: 404, body: { message: 'Unknown Webhook', code: 10_015 } }
    if (token !== TOKEN) return { status: 401, body: { message: 'Invalid Webhook Token', code: 50_027 } }
    const message = read(MESSAGE, asked)
    if ('fault' in message)
      return { status: 400, body: { message: `Invalid Form Body: ${message.fault}`, code: 50_035 } }
    // Without `wait` nobody is told whether the message was stored.
    return asked.query.get('wait') === 'true' ? { status: 200, body: { id: '1', embeds: [] } } : { status: 204 }
  },
  limited: {
    reply: {
      status: 429,
      headers: { 'x-ratelimit-reset-after': '6.57' },
      body: { message: 'You are being rate limited.', retry_after: 6.57, global: false },
    },
    wait_sec: 7,
  },
  refusals: {
    'a webhook that was deleted': { with: { discord_url: '/api/webhooks/999/gone' }, is: 'gone', status: 404 },
    'a wrong token': {
      with: { discord_url: '/api/webhooks/1234567890/wrong' },
      is: 'refused',
      status: 401,
      says: 'Invalid Webhook Token: 50027',
    },
  },
  overlong: (body) => JSON.stringify({ ...jsonOf(body), content: 'x'.repeat(2001) }),
  words: ({ body }) => JSON.stringify(jsonOf(body).embeds),
}
