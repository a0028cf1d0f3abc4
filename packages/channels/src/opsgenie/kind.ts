// Opens an alert of Opsgenie under an alias, and closes it when the check is up again.
import { jsonTextAt } from '../answer-body.ts'
import { CHOICE, defineKind, SECRET_TEXT } from '../kind.ts'
import { opsgenieRequest } from './message.ts'

const REGIONS = new Map(Object.entries({ us: 'https://api.opsgenie.com', eu: 'https://api.eu.opsgenie.com' }))

export const opsgenie = defineKind({
  name: 'opsgenie',
  label: 'Opsgenie',
  about: 'Creates alerts in Opsgenie and closes them when the check or heartbeat recovers.',
  plan: 'double',
  keepsIncidents: true,
  fields: {
    opsgenie_key: {
      ...SECRET_TEXT,
      label: 'API key',
      hint: 'In Opsgenie, go to Settings > Integrations > Add integration > API. Allow create and update access.',
      matches: { pattern: /^[-A-Za-z0-9]{20,100}$/, says: 'must be 20 to 100 characters: letters, digits or hyphens' },
    },
    opsgenie_region: {
      ...CHOICE,
      label: 'Region',
      hint: 'Choose eu if you sign in at app.eu.opsgenie.com.',
      options: [...REGIONS.keys()],
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: (dispatch) => {
      const { path, body } = opsgenieRequest(dispatch)
      const { opsgenie_key, opsgenie_region } = dispatch.destination
      return {
        url: `${REGIONS.get(opsgenie_region) ?? REGIONS.get('us')}/v2/alerts${path}`,
        headers: { 'content-type': 'application/json', authorization: `GenieKey ${opsgenie_key}` },
        body: JSON.stringify(body),
      }
    },
    explain: (body) => jsonTextAt(body, 'message'),
    judge: ({ status, headers }) => {
      const period_sec = Number(headers['x-ratelimit-period-in-sec'] ?? Number.NaN)
      if (status === 429) return { is: 'retry', ...(Number.isFinite(period_sec) && { retry_after_sec: period_sec }) }
      return REFUSALS.includes(status) ? { is: 'refused' } : undefined
    },
  },
  example: { opsgenie_key: '01234567-89ab-cdef-0123-456789abcdef', opsgenie_region: 'eu' },
})

/** Statuses that mean a wrong message or key, according to the documentation. */
const REFUSALS: readonly number[] = [400, 401, 403, 422]
