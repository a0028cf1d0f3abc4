// Opsgenie's Alert API, as docs.opsgenie.com documents it: "Create Alert", "Close Alert", "Response" and "API Rate Limiting".
import { z } from 'zod'
import { jsonOf, lengthOf, read, type Vendor } from './vendor.ts'

const KEY = '01234567-89ab-cdef-0123-456789abcdef'
const upTo = (max: number) => z.string().refine((text) => lengthOf(text) <= max, `must be ${max} characters or fewer`)
const ALERT = z.object({
  message: upTo(130).min(1),
  alias: upTo(512).optional(),
  description: upTo(15_000).optional(),
  tags: z.array(upTo(50)).max(20).optional(),
  details: z
    .record(z.string(), z.string())
    .refine((details) => JSON.stringify(details).length <= 8000, 'details are too long')
    .optional(),
  entity: upTo(512).optional(),
  source: upTo(100).optional(),
  priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']).optional(),
  note: upTo(25_000).optional(),
})
const CLOSING = z.object({ user: upTo(100).optional(), source: upTo(100).optional(), note: upTo(25_000).optional() })

/** The alerts that are open, by their aliases. */
export const openAliases = new Map<string, string>()

export const opsgenie: Vendor = {
  kind: 'opsgenie',
  origins: ['https://api.opsgenie.com', 'https://api.eu.opsgenie.com'],
  destination: () => ({ opsgenie_key: KEY, opsgenie_region: 'us' }),
  answer: (asked) => {
    const say = (status: number, message: string) => ({ status, body: { message, took: 0.001, requestId: 'r' } })
    if (asked.headers.authorization !== `GenieKey ${KEY}`) return say(401, 'Could not authenticate')
    const [, alias] = /^\/v2\/alerts\/([^/]+)\/(?:close|acknowledge)$/.exec(asked.path) ?? []
    if (asked.method !== 'POST' || (asked.path !== '/v2/alerts' && alias === undefined)) return say(404, 'Not found')
    const alert = alias === undefined ? read(ALERT, asked) : read(CLOSING, asked)
    if ('fault' in alert) return say(422, `Request body is not processable. ${alert.fault}`)
    if (alias === undefined) {
      const { alias: opened = 'one of ours', message } = alert.value as z.infer<typeof ALERT>
      openAliases.set(opened, message)
    } else {
      if (asked.query.get('identifierType') !== 'alias') return say(422, 'The identifier is no id')
      if (asked.path.endsWith('/close')) openAliases.delete(decodeURIComponent(alias))
    }
    return { status: 202, body: { result: 'Request will be processed', took: 0.302, requestId: 'r' } }
  },
  limited: {
    reply: {
      status: 429,
      headers: { 'x-ratelimit-state': 'THROTTLED', 'x-ratelimit-reason': 'ACCOUNT', 'x-ratelimit-period-in-sec': '10' },
      body: { message: 'You are making too many requests!', took: 0.001 },
    },
    wait_sec: 10,
  },
  refusals: {
    'a wrong key': {
      with: { opsgenie_key: 'ffffffff-89ab-cdef-0123-456789abcdef' },
      is: 'refused',
      status: 401,
      says: 'Could not authenticate',
    },
  },
  overlong: (body) => JSON.stringify({ ...jsonOf(body), message: 'x'.repeat(131) }),
  words: ({ body, path }) => `${path} ${body}`,
}
