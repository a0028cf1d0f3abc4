// Gotify's POST /message, as gotify.net/api-docs and its page on message extras document it.
import { z } from 'zod'
import { jsonOf, read, type Vendor } from './vendor.ts'

const TOKEN = 'AbCdEfGhIjKlMnO'
const MESSAGE = z.object({
  title: z.string().optional(),
  message: z.string().min(1),
  priority: z.int().optional(),
  extras: z
    .object({
      'client::display': z.object({ contentType: z.enum(['text/plain', 'text/markdown']) }).optional(),
      'client::notification': z.object({ click: z.object({ url: z.url() }).optional() }).optional(),
    })
    .optional(),
})

const refuse = (errorCode: number, error: string, errorDescription: string) => ({
  status: errorCode,
  body: { error, errorCode, errorDescription },
})

export const gotify: Vendor = {
  kind: 'gotify',
  destination: (at) => ({ gotify_url: at, gotify_token: TOKEN }),
  answer: (asked) => {
    if (asked.path !== '/message') return refuse(404, 'Not Found', 'page not found')
    if (asked.headers['x-gotify-key'] !== TOKEN) {
      return refuse(
        401,
        'Unauthorized',
        'you need to provide a valid access token or user credentials to access this api',
      )
    }
    const message = read(MESSAGE, asked)
    if ('fault' in message) return refuse(400, 'Bad Request', message.fault)
    return { status: 200, body: { id: 1, appid: 1, date: '2026-11-20T12:00:00Z', ...message.value } }
  },
  limited: { reply: { status: 429, headers: { 'retry-after': '9' } }, wait_sec: 9 },
  refusals: {
    'a wrong token': {
      with: { gotify_token: 'wrongwrongwrong' },
      is: 'retry',
      status: 401,
      says: 'Unauthorized: you need to provide',
    },
  },
  words: ({ body }) => String(jsonOf(body).title),
}
