// Alertmanager's POST /api/v2/alerts, as its OpenAPI document (prometheus/alertmanager, api/v2/openapi.yaml) and its checks of alerts
// have it. It keeps what is firing by labels, as Alertmanager does.
import { z } from 'zod'
import { jsonOf, read, type Vendor } from './vendor.ts'

const TOKEN = 'alertmanager-token-0123456789'
const LABELS = z.record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/), z.string())
const ALERTS = z.array(
  z
    .object({
      labels: LABELS.refine(
        (labels) => Object.values(labels).some((value) => value !== ''),
        'at least one label pair required',
      ),
      annotations: LABELS.optional(),
      startsAt: z.iso.datetime().optional(),
      endsAt: z.iso.datetime().optional(),
      generatorURL: z.url().optional(),
    })
    .refine(
      ({ startsAt, endsAt }) => !startsAt || !endsAt || Date.parse(startsAt) <= Date.parse(endsAt),
      'start time must be before end time',
    ),
)

/** What fires, by its labels, with when it ends. */
export const firing = new Map<string, number>()

export const alertmanager: Vendor = {
  kind: 'alertmanager',
  destination: (at) => ({ alertmanager_url: at, alertmanager_token: TOKEN }),
  answer: (asked) => {
    if (asked.headers.authorization !== `Bearer ${TOKEN}`) return { status: 401, body: 'Unauthorized' }
    if (asked.method !== 'POST' || asked.path !== '/api/v2/alerts') return { status: 404 }
    const alerts = read(ALERTS, asked)
    if ('fault' in alerts) return { status: 400, body: JSON.stringify(alerts.fault) }
    for (const { labels, startsAt = '', endsAt = '' } of alerts.value) {
      const key = JSON.stringify(labels)
      // A later end that was not reached wins over an end that is ahead.
      if (Date.parse(endsAt) - Date.parse(startsAt) < 86_400_000) firing.delete(key)
      else firing.set(key, Date.parse(endsAt))
    }
    return { status: 200 }
  },
  limited: {
    reply: { status: 429, headers: { 'retry-after': '4' }, body: 'Maximum number of concurrent GET requests reached' },
    wait_sec: 4,
  },
  refusals: {
    'a wrong token': { with: { alertmanager_token: 'another-token-9876543210' }, is: 'retry', status: 401 },
  },
  words: ({ body }) =>
    JSON.stringify(
      (jsonOf(body) as unknown as { labels: object; annotations: object; endsAt: string }[]).map(
        ({ labels, annotations }) => [labels, annotations],
      ),
    ),
}
