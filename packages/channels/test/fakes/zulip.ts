// Zulip's POST /api/v1/messages, as zulip.com/api documents it: "Send a message", "Error handling".
import { z } from 'zod'
import { basicOf, lengthOf, type Vendor } from './vendor.ts'

const EMAIL = 'dogwatch-bot@example.zulipchat.com'
const KEY = 'a0b1c2d3e4f5g6h7i8j9k0l1m2n3o4p5'
const FORM = z.object({
  type: z.enum(['direct', 'private', 'stream', 'channel']),
  to: z.string().min(1),
  // A longer one is cut, and so is a longer message.
  topic: z
    .string()
    .min(1)
    .refine((topic) => lengthOf(topic) <= 60),
  content: z
    .string()
    .min(1)
    .refine((content) => lengthOf(content) <= 10_000),
})

const refuse = (status: number, code: string, msg: string, more: object = {}) => ({
  status,
  body: { result: 'error', code, msg, ...more },
})

export const zulip: Vendor = {
  kind: 'zulip',
  destination: (at) => ({
    zulip_channel: 'on call',
    zulip_url: at,
    zulip_email: EMAIL,
    zulip_key: KEY,
    zulip_topic: '',
  }),
  answer: (asked) => {
    if (asked.method !== 'POST' || asked.path !== '/api/v1/messages') return refuse(404, 'BAD_REQUEST', 'Not found')
    const [email, key] = basicOf(asked).split(':')
    if (email !== EMAIL) return refuse(401, 'UNAUTHORIZED', 'Account not found')
    if (key !== KEY) return refuse(401, 'INVALID_API_KEY', 'Invalid API key')
    if (asked.headers['content-type'] !== 'application/x-www-form-urlencoded')
      return refuse(400, 'REQUEST_VARIABLE_MISSING', "Missing 'type' argument")
    const { data, error } = FORM.safeParse(Object.fromEntries(new URLSearchParams(asked.body)))
    if (error)
      return refuse(
        400,
        'REQUEST_VARIABLE_MISSING',
        error.issues.map(({ path }) => `Missing '${path.join('.')}' argument`).join(),
      )
    if (data.to !== 'on call')
      return refuse(400, 'STREAM_DOES_NOT_EXIST', `Channel '${data.to}' does not exist`, { stream: data.to })
    return { status: 200, body: { id: 42, msg: '', result: 'success' } }
  },
  limited: {
    reply: refuse(429, 'RATE_LIMIT_HIT', 'API usage exceeded rate limit', { 'retry-after': 8.706807374954224 }),
    wait_sec: 9,
  },
  lie: { status: 200, body: { result: 'error', msg: 'not now', code: 'BAD_REQUEST' } },
  refusals: {
    'an unknown channel': {
      with: { zulip_channel: 'nowhere' },
      is: 'refused',
      status: 400,
      says: 'STREAM_DOES_NOT_EXIST',
    },
    'a wrong key': { with: { zulip_key: 'wrongwrong' }, is: 'refused', status: 401, says: 'INVALID_API_KEY' },
  },
  overlong: (body) => body.replace(/content=/, `content=${'x'.repeat(10_000)}`),
  words: ({ body }) => new URLSearchParams(body).get('content') ?? '',
}
