// Sends an event to a service of PagerDuty: it opens an incident, and resolves it when the check is up again.
import { joinParts, jsonListAt, jsonTextAt } from '../answer-body.ts'
import { CHOICE, defineKind, SECRET_TEXT } from '../kind.ts'
import { pagerdutyBody } from './message.ts'

const REGIONS = new Map(
  Object.entries({
    us: 'https://events.pagerduty.com',
    eu: 'https://events.eu.pagerduty.com',
  }),
)

export const pagerduty = defineKind({
  name: 'pagerduty',
  label: 'PagerDuty',
  about: 'Triggers incidents in PagerDuty and resolves them when the check or heartbeat recovers.',
  plan: 'double',
  keepsIncidents: true,
  fields: {
    pagerduty_key: {
      ...SECRET_TEXT,
      label: 'Integration key',
      hint: 'In PagerDuty, open your service, go to Integrations and add an Events API V2 integration.',
      matches: { pattern: /^[A-Za-z0-9]{32}$/, says: 'must be 32 letters and digits' },
    },
    pagerduty_region: {
      ...CHOICE,
      label: 'Region',
      hint: 'Choose eu if you sign in at an address ending in eu.pagerduty.com.',
      options: [...REGIONS.keys()],
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: (dispatch) => ({
      url: `${REGIONS.get(dispatch.destination.pagerduty_region) ?? REGIONS.get('us')}/v2/enqueue`,
      body: JSON.stringify(pagerdutyBody(dispatch)),
    }),
    explain: (body) => joinParts(jsonTextAt(body, 'message'), jsonListAt(body, 'errors')),
    judge: ({ status, body }) => {
      if (status >= 200 && status < 300) return { is: jsonTextAt(body, 'status') === 'success' ? 'delivered' : 'retry' }
      // According to the documentation, 400 means that the same event is refused again. 429 and 5xx allow a retry.
      return status === 400 ? { is: 'refused' } : undefined
    },
  },
  example: { pagerduty_key: '0123456789abcdef0123456789abcdef', pagerduty_region: 'eu' },
})
