// Sends alerts to a Prometheus Alertmanager, which groups, silences and routes them. An alert ends when its check is up again.

import { defineKind, RECEIVER_URL, SECRET_TEXT } from '../kind.ts'
import { pathOn } from '../own-server.ts'
import { oneLine } from '../wording.ts'
import { alertmanagerBody } from './message.ts'

export const alertmanager = defineKind({
  name: 'alertmanager',
  label: 'Alertmanager',
  about: 'Sends alerts to Prometheus Alertmanager and resolves them when the check or heartbeat recovers.',
  plan: 'double',
  keepsIncidents: true,
  fields: {
    alertmanager_url: {
      ...RECEIVER_URL,
      label: 'Server URL',
      hint: 'For example, https://alertmanager.example.com. The URL can include a username and password.',
    },
    alertmanager_token: {
      ...SECRET_TEXT,
      label: 'Bearer token',
      hint: 'Only needed if a proxy in front of Alertmanager requires one.',
      isOptional: true,
      max: 2000,
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: (dispatch) => {
      const { alertmanager_url, alertmanager_token: token } = dispatch.destination
      return {
        url: pathOn(alertmanager_url, '/api/v2/alerts'),
        headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(alertmanagerBody(dispatch)),
      }
    },
    explain: (body) => (/^"[^"]/.test(body) ? oneLine(body, 200) : undefined),
    // According to the documentation, 400 means that the message is wrong.
    judge: ({ status }) => (status === 400 ? { is: 'refused' } : undefined),
  },
  example: { alertmanager_url: 'https://alertmanager.example.com', alertmanager_token: '' },
})
