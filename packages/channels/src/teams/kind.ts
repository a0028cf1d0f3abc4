// Sends a card to a channel or chat of Microsoft Teams, through a webhook of Workflows.
import { joinParts, jsonTextAt } from '../answer-body.ts'
import { defineKind, RECEIVER_URL } from '../kind.ts'
import { teamsBody } from './message.ts'

export const teams = defineKind({
  name: 'teams',
  label: 'Microsoft Teams',
  about: 'Posts a card to a Microsoft Teams channel or chat through a Workflows webhook.',
  plan: 'team',
  grouped: 22,
  fields: {
    teams_url: {
      ...RECEIVER_URL,
      label: 'Workflow URL',
      hint: 'In Teams, set up the workflow “Send webhook alerts to a channel” and paste the URL shown at the end.',
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => ({ url: destination.teams_url, body: JSON.stringify(teamsBody(message)) }),
    explain: (body) =>
      joinParts(jsonTextAt(body, 'error', 'code'), jsonTextAt(body, 'error', 'message')) ??
      (isConnectorFault(body) ? 'the message could not be posted in Teams' : undefined),
    judge: ({ status, body }) => {
      // Connectors, which existed before Workflows, respond 200 when Teams refused the message.
      if (status === 200 && isConnectorFault(body)) return { is: 'retry' }
      const isDeleted = status === 404 && jsonTextAt(body, 'error', 'code') === 'WorkflowNotFound'
      return isDeleted ? { is: 'gone' } : undefined
    },
  },
  example: {
    teams_url:
      'https://prod-01.westeurope.logic.azure.com/workflows/0123456789abcdef/triggers/manual/paths/invoke?sig=aBcDeFgHiJkLmNoPqRsT',
  },
})

function isConnectorFault(body: string): boolean {
  return body.includes('Webhook message delivery failed')
}
