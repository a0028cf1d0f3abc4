// PagerDuty's Events API v2, as developer.pagerduty.com documents it: "Send an Alert Event", and the OpenAPI document in
// PagerDuty/api-schema. It keeps the alerts that are open, as PagerDuty does.
import { z } from 'zod'
import { jsonOf, lengthOf, read, type Vendor } from './vendor.ts'

const KEY = 'a0b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3'
const COMMON = {
  routing_key: z.string().length(32, "Length of 'routing_key' is incorrect (should be 32 characters)"),
  dedup_key: z.string().max(255).optional(),
}
const EVENT = z.discriminatedUnion('event_action', [
  z.object({ ...COMMON, event_action: z.enum(['acknowledge', 'resolve']), dedup_key: z.string().min(1).max(255) }),
  z.object({
    ...COMMON,
    event_action: z.literal('trigger'),
    client: z.string().optional(),
    client_url: z.url().optional(),
    links: z.array(z.object({ href: z.url(), text: z.string().optional() })).optional(),
    payload: z.object({
      summary: z
        .string()
        .min(1)
        .refine((text) => lengthOf(text) <= 1024, 'summary is too long'),
      source: z.string().min(1),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime({ offset: true }).optional(),
      component: z.string().optional(),
      group: z.string().optional(),
      class: z.string().optional(),
      custom_details: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
])

/** The alerts that are open: their keys, and what they say. */
export const openAlerts = new Map<string, string>()

export const pagerduty: Vendor = {
  kind: 'pagerduty',
  origins: ['https://events.pagerduty.com', 'https://events.eu.pagerduty.com'],
  destination: () => ({ pagerduty_key: KEY, pagerduty_region: 'eu' }),
  answer: (asked) => {
    if (asked.method !== 'POST' || asked.path !== '/v2/enqueue') return { status: 404 }
    if (Buffer.byteLength(asked.body) > 512 * 1024) return { status: 413 }
    const event = read(EVENT, asked)
    const invalid = (error: string) => ({
      status: 400,
      body: { status: 'invalid event', message: 'Event object is invalid', errors: [error] },
    })
    if ('fault' in event) return invalid(event.fault)
    if (event.value.routing_key !== KEY) return invalid('Invalid routing key')
    const { dedup_key = 'one of ours', event_action } = event.value
    if (event_action === 'trigger') openAlerts.set(dedup_key, event.value.payload.summary)
    if (event_action === 'resolve') openAlerts.delete(dedup_key)
    return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key } }
  },
  limited: { reply: { status: 429, headers: { 'retry-after': '6' } }, wait_sec: 6 },
  lie: {
    status: 202,
    body: { status: 'invalid event', message: 'Event object is invalid', errors: ['nothing was stored'] },
  },
  refusals: {
    'a wrong key': {
      with: { pagerduty_key: 'f'.repeat(32) },
      is: 'refused',
      status: 400,
      says: 'Event object is invalid: Invalid routing key',
    },
  },
  overlong: (body) =>
    JSON.stringify({
      ...jsonOf(body),
      event_action: 'trigger',
      payload: { summary: 'x'.repeat(1025), source: 'x', severity: 'info' },
    }),
  words: ({ body }) => {
    const { event_action, payload, dedup_key } = jsonOf(body) as {
      event_action: string
      payload?: object
      dedup_key: string
    }
    return payload ? JSON.stringify(payload) : `${event_action} ${dedup_key}`
  },
}
