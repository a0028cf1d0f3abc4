// A webhook of Teams Workflows (Power Automate), as learn.microsoft.com documents it: "Create incoming webhooks with Workflows", the
// limit of 28 KB of a message, and the schema of Adaptive Cards 1.4 at adaptivecards.io.
import { z } from 'zod'
import { jsonOf, read, type Vendor } from './vendor.ts'

const SIG = 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcDeFg'
const COLOUR = z.enum(['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention'])
const RUN = z.object({
  type: z.literal('TextRun'),
  text: z.string(),
  size: z.enum(['default', 'small', 'medium', 'large', 'extraLarge']).optional(),
  weight: z.enum(['default', 'lighter', 'bolder']).optional(),
  color: COLOUR.optional(),
})
const CARD = z.object({
  $schema: z.url(),
  type: z.literal('AdaptiveCard'),
  version: z.enum(['1.0', '1.1', '1.2', '1.3', '1.4', '1.5']),
  msteams: z.object({ width: z.literal('Full') }).optional(),
  body: z.array(z.object({ type: z.literal('RichTextBlock'), inlines: z.array(RUN).min(1) })).min(1),
  actions: z.array(z.object({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() })).optional(),
})
const MESSAGE = z.object({
  type: z.literal('message'),
  attachments: z
    .array(
      z.object({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: CARD,
      }),
    )
    .min(1),
})

const fault = (status: number, code: string, message: string) => ({ status, body: { error: { code, message } } })

export const teams: Vendor = {
  kind: 'teams',
  destination: (at) => ({
    teams_url: `${at}/workflows/0123456789abcdef/triggers/manual/paths/invoke?api-version=2016-06-01&sig=${SIG}`,
  }),
  answer: (asked) => {
    if (!asked.path.startsWith('/workflows/0123456789abcdef/'))
      return fault(404, 'WorkflowNotFound', 'The workflow could not be found.')
    if (asked.query.get('sig') !== SIG)
      return fault(401, 'DirectApiAuthorizationRequired', 'The request must be authenticated by a signature.')
    if (asked.method !== 'POST') return fault(405, 'MethodNotAllowed', 'The trigger takes POST.')
    if (Buffer.byteLength(asked.body) > 28 * 1024)
      return fault(413, 'RequestEntityTooLarge', 'The message is larger than 28 KB.')
    const message = read(MESSAGE, asked)
    return 'fault' in message ? fault(400, 'TriggerInputSchemaMismatch', message.fault) : { status: 202 }
  },
  limited: {
    reply: {
      status: 429,
      headers: { 'retry-after': '7' },
      body: { error: { code: 'WorkflowRunActionRateLimit', message: 'Too many.' } },
    },
    wait_sec: 7,
  },
  // Connectors, which Workflows replaced, said so with 200.
  lie: {
    status: 200,
    body: 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429',
  },
  refusals: {
    'a workflow that was deleted': { with: { teams_url: '/workflows/fedcba/invoke?sig=x' }, is: 'gone', status: 404 },
    'a wrong signature': {
      with: { teams_url: '/workflows/0123456789abcdef/invoke?sig=wrong' },
      is: 'retry',
      status: 401,
      says: 'DirectApiAuthorizationRequired',
    },
  },
  overlong: (body) => JSON.stringify({ ...jsonOf(body), more: 'x'.repeat(28 * 1024) }),
  words: ({ body }) => body,
}
