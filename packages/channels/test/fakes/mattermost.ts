// Mattermost's incoming webhooks, as developers.mattermost.com documents them: "Incoming webhooks", "Message attachments".
import { z } from 'zod'
import { jsonOf, lengthOf, read, type Vendor } from './vendor.ts'

const HOOK = 'abcdefghijklmnopqrstuvwxyz'
const MAX_POST = 16_383
const MESSAGE = z
  .object({
    text: z.string().optional(),
    username: z.string().optional(),
    attachments: z
      .array(
        z.object({
          fallback: z.string().optional(),
          color: z
            .string()
            .regex(/^#[0-9a-f]{6}$/)
            .optional(),
          text: z.string().optional(),
          title: z.string().optional(),
          title_link: z.url().optional(),
          fields: z.array(z.object({ short: z.boolean().optional(), title: z.string(), value: z.string() })).optional(),
        }),
      )
      .optional(),
  })
  .refine(
    ({ text, attachments }) => text !== undefined || attachments !== undefined,
    'text or attachments are required',
  )
  .refine((message) => lengthOf(JSON.stringify(message)) <= MAX_POST, 'the post is too long')

const refuse = (status_code: number, id: string, message: string) => ({
  status: status_code,
  body: { id, message, detailed_error: '', request_id: 'r', status_code },
})

export const mattermost: Vendor = {
  kind: 'mattermost',
  destination: (at) => ({ mattermost_url: `${at}/hooks/${HOOK}` }),
  answer: (asked) => {
    if (asked.path !== `/hooks/${HOOK}`)
      return refuse(400, 'web.incoming_webhook.invalid.app_error', 'Invalid webhook.')
    const message = read(MESSAGE, asked)
    return 'fault' in message
      ? refuse(400, 'web.incoming_webhook.parse.app_error', message.fault)
      : { status: 200, body: 'ok' }
  },
  limited: { reply: { status: 429, headers: { 'retry-after': '2' }, body: 'limit exceeded' }, wait_sec: 2 },
  // What stands in front of it asks people to sign in.
  lie: { status: 200, body: '<html>Sign in</html>' },
  refusals: {
    'an unknown webhook': {
      with: { mattermost_url: '/hooks/other' },
      is: 'retry',
      status: 400,
      says: 'Invalid webhook.',
    },
  },
  overlong: (body) => JSON.stringify({ ...jsonOf(body), text: 'x'.repeat(MAX_POST) }),
  words: ({ body }) => JSON.stringify(jsonOf(body).attachments),
}
