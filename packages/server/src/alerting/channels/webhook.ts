// A POST of JSON to any url, signed when there is a secret: Standard Webhooks.
import type { Post } from '../egress.ts'
import { answerOutcome } from './answer.ts'
import type { Channel, Dispatch } from './channel.ts'
import { sign } from './signature.ts'

/** As Standard Webhooks has it: the receiver wants no more messages. */
const GONE = 410
const GONE_REASON = 'status 410: the receiver is gone, so the channel is switched off'

export function webhookChannel(post: Post): Channel {
  return {
    send: async (dispatch) => {
      const body = webhookBody(dispatch)
      const answer = await post(dispatch.destination.webhook_url, webhookHeaders(dispatch, body), body)
      const isGone = answer.kind === 'answered' && answer.status === GONE
      return isGone ? { kind: 'gone', reason: GONE_REASON, status: GONE } : answerOutcome(answer, dispatch.sent_at)
    },
  }
}

function webhookBody({ type, timestamp, data }: Dispatch): string {
  return JSON.stringify({ type, timestamp, data })
}

function webhookHeaders({ webhook_id, sent_at, destination }: Dispatch, body: string): Record<string, string> {
  const timestamp = Math.floor(sent_at.getTime() / 1000)
  const { webhook_secret: secret } = destination
  return {
    'content-type': 'application/json',
    'webhook-id': webhook_id,
    'webhook-timestamp': String(timestamp),
    ...(secret !== '' && { 'webhook-signature': sign(secret, webhook_id, timestamp, body) }),
  }
}
