// Apprise API's POST /notify/{key}, as appriseit.com/api documents it: "Endpoints", "Usage", "Response codes".
import { z } from 'zod'
import { read, type Vendor } from './vendor.ts'

const KEY = 'on-call-4b1d7e'
const MESSAGE = z.object({
  body: z.string().min(1),
  title: z.string().optional(),
  type: z.enum(['info', 'success', 'warning', 'failure']).optional(),
  format: z.enum(['text', 'markdown', 'html']).optional(),
  tag: z.string().optional(),
})

export const apprise: Vendor = {
  kind: 'apprise',
  destination: (at) => ({ apprise_url: at, apprise_key: KEY, apprise_tag: 'ops' }),
  answer: (asked) => {
    if (asked.method !== 'POST') return { status: 405, body: { error: 'Method not allowed' } }
    const [, key] = /^\/notify\/([\w-]{1,128})$/.exec(asked.path) ?? []
    if (key === undefined) return { status: 404 }
    // Nothing is kept under this key: 204, which is no error.
    if (key !== KEY) return { status: 204, isNoMessage: true }
    const message = read(MESSAGE, asked)
    if ('fault' in message) return { status: 400, body: { error: 'Bad request' } }
    if (message.value.tag === 'nobody')
      return { status: 424, body: { error: 'One or more notification could not be sent.' } }
    return { status: 200, body: { error: null } }
  },
  limited: { reply: { status: 429, headers: { 'retry-after': '3' } }, wait_sec: 3 },
  lie: { status: 204 },
  refusals: {
    'a key under which nothing is kept': {
      with: { apprise_key: 'other' },
      is: 'retry',
      status: 204,
      says: 'no one was notified',
    },
    'a tag that nothing has': {
      with: { apprise_tag: 'nobody' },
      is: 'retry',
      status: 424,
      says: 'One or more notification could not be sent.',
    },
  },
  words: ({ body }) => body,
}
