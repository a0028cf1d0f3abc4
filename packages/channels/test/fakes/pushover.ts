// Pushover's Message API, as pushover.net/api documents it: "Pushing messages", "Being friendly to our API".
import { z } from 'zod'
import { jsonOf, lengthOf, read, type Vendor } from './vendor.ts'

const USER = 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG'
const TOKEN = 'azGDORePK8gMaC0QOYAMyEEuzJnyUi'
const upTo = (name: string, max: number) => z.string().refine((text) => lengthOf(text) <= max, `${name} is too long`)
const MESSAGE = z.object({
  token: z.string(),
  user: z.string(),
  device: z.string().optional(),
  title: upTo('title', 250).optional(),
  message: upTo('message', 1024).min(1, 'message cannot be blank'),
  url: upTo('url', 512).optional(),
  url_title: upTo('url_title', 100).optional(),
  // 2 needs retry and expire as well.
  priority: z.union([z.literal(-2), z.literal(-1), z.literal(0), z.literal(1)]).optional(),
  timestamp: z.int().optional(),
})

const refuse = (errors: string[], more: object = {}) => ({
  status: 400,
  body: { ...more, errors, status: 0, request: 'r' },
})

export const pushover: Vendor = {
  kind: 'pushover',
  origins: ['https://api.pushover.net'],
  destination: () => ({ pushover_user: USER, pushover_token: TOKEN, pushover_device: 'phone' }),
  answer: (asked) => {
    if (asked.method !== 'POST' || asked.path !== '/1/messages.json') return { status: 404, body: 'not found' }
    const message = read(MESSAGE, asked)
    if ('fault' in message) return refuse([message.fault])
    const { token, user, device } = message.value
    if (token !== TOKEN)
      return refuse(['application token is invalid, see https://pushover.net/api'], { token: 'invalid' })
    if (user !== USER)
      return refuse(['user identifier is not a valid user, group, or subscribed user key'], { user: 'invalid' })
    if (device !== undefined && device !== 'phone')
      return refuse(['device name is not valid for user'], { device: 'invalid for this user' })
    return { status: 200, body: { status: 1, request: 'r' } }
  },
  limited: {
    reply: {
      status: 429,
      headers: { 'x-limit-app-remaining': '0' },
      body: { status: 0, errors: ['application has exceeded its monthly limit'] },
    },
  },
  lie: { status: 200, body: { status: 0, request: 'r', errors: ['message was not queued'] } },
  refusals: {
    'a wrong token': {
      with: { pushover_token: 'b'.repeat(30) },
      is: 'refused',
      status: 400,
      says: 'application token is invalid',
    },
    'a wrong user': {
      with: { pushover_user: 'c'.repeat(30) },
      is: 'refused',
      status: 400,
      says: 'user identifier is not a valid user',
    },
    'an unknown device': {
      with: { pushover_device: 'fridge' },
      is: 'refused',
      status: 400,
      says: 'device name is not valid',
    },
  },
  overlong: (body) => JSON.stringify({ ...jsonOf(body), message: 'x'.repeat(1025) }),
  words: ({ body }) => body,
}
