// A ticket system of nobody in particular, with an API as many have it: PUT, a token in a header, and JSON of its own shape.
import { z } from 'zod'
import { jsonOf, read, type Vendor } from './vendor.ts'

const TICKET = z.strictObject({
  id: z.string().min(1),
  subject: z.string().min(1).max(2000),
  text: z.string(),
  check: z.string().optional(),
})

export const webhookTemplate: Vendor = {
  kind: 'webhook-template',
  destination: (at) => ({
    template_url: `${at}/api/issues`,
    template_method: 'PUT',
    template_headers: 'Authorization: Token ticket-token-0123456789\nX-Source: dogwatch',
    template_body:
      '{"id": {{ id | json }}, "subject": {{ message.title | json }}, "text": {{ message.text | json }}{% if data.check %}, "check": {{ data.check.name | json }}{% endif %}}',
  }),
  answer: (asked) => {
    if (asked.path !== '/api/issues') return { status: 410, body: 'this project was closed' }
    if (asked.method !== 'PUT') return { status: 405 }
    if (asked.headers.authorization !== 'Token ticket-token-0123456789')
      return { status: 401, body: asked.headers.authorization ?? '' }
    if (asked.headers['x-source'] !== 'dogwatch') return { status: 400, body: 'the source is unknown' }
    const ticket = read(TICKET, asked)
    return 'fault' in ticket ? { status: 422, body: ticket.fault } : { status: 201, body: { number: 1 } }
  },
  limited: { reply: { status: 429, headers: { 'retry-after': '5' } }, wait_sec: 5 },
  refusals: {
    'a project that was closed': { with: { template_url: '/api/closed' }, is: 'gone', status: 410 },
    'a wrong token': {
      with: { template_headers: 'Authorization: Token wrong-token-9876543210' },
      is: 'retry',
      status: 401,
    },
  },
  overlong: (body) => JSON.stringify({ ...jsonOf(body), subject: 'x'.repeat(2001) }),
  words: ({ body }) => body,
}
