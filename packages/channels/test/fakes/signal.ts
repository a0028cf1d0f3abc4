// signal-cli-rest-api's POST /v2/send, as the Swagger document of bbernhard/signal-cli-rest-api has it.
import { z } from 'zod'
import { jsonOf, read, type Vendor } from './vendor.ts'

const FROM = '+491707654321'
const MESSAGE = z.object({
  number: z.string(),
  recipients: z.array(z.string()).min(1),
  message: z.string().min(1),
  text_mode: z.enum(['normal', 'styled']).optional(),
})

const refuse = (status: number, error: string) => ({ status, body: { error } })

export const signal: Vendor = {
  kind: 'signal',
  destination: (at) => ({
    signal_to: '+491701234567',
    signal_from: FROM,
    signal_url: at.replace('//', '//alice:s3cret-pa55word@'),
  }),
  answer: (asked) => {
    if (asked.headers.authorization !== `Basic ${Buffer.from('alice:s3cret-pa55word').toString('base64')}`)
      return { status: 401, body: 'no entry' }
    if (asked.method !== 'POST' || asked.path !== '/v2/send') return { status: 404, body: '404 page not found' }
    const message = read(MESSAGE, asked)
    if ('fault' in message) return refuse(400, "Couldn't process request - invalid request")
    const { number, recipients } = message.value
    if (number !== FROM) return refuse(400, `User ${number} is not registered.`)
    if (recipients.some((one) => one === '+491700000000'))
      return refuse(400, 'Failed to send message: Unregistered user')
    return { status: 201, body: { timestamp: '1700000000000' } }
  },
  limited: { reply: { status: 429, body: { error: 'rate limit', account: FROM, challenge_tokens: ['x'] } } },
  lie: { status: 200, body: '<html>Welcome</html>' },
  refusals: {
    'somebody without Signal': {
      with: { signal_to: '+491700000000' },
      is: 'retry',
      status: 400,
      says: 'Unregistered user',
    },
    'a sender that is not registered': {
      with: { signal_from: '+491709999999' },
      is: 'retry',
      status: 400,
      says: 'is not registered',
    },
  },
  words: ({ body }) => String(jsonOf(body).message),
}
