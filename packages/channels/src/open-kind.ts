// Makes a channel that sends from the definition of a kind.
import { answerOutcome } from './answer.ts'
import type { Channel, Outcome } from './channel.ts'
import type { Post } from './egress.ts'
import type { ChannelKind, ChannelSettings } from './kind.ts'
import { secretsOf, secretsOfHeaders, withoutSecrets } from './secrets.ts'
import { withStandIn } from './stand-in.ts'

const JSON_HEADERS = { 'content-type': 'application/json' } as const

/** Opens a channel of a kind. `posts` sends requests to the servers of receivers and of the operator. */
export function openKind(
  { sending }: ChannelKind,
  posts: Readonly<Record<'receiver' | 'operator', Post>>,
  settings: ChannelSettings,
): Channel {
  if (sending.by === 'other') return sending.open(settings)
  const post = posts[sending.server]
  return {
    send: async (dispatch) => {
      const request = await sending.request(dispatch, settings)
      if ('fault' in request) {
        return { kind: 'retry', reason: request.fault, ...(request.is_ours && { is_ours: true }) }
      }
      const { method = 'POST', url, headers = JSON_HEADERS, body } = request
      const answer = await post(withStandIn(url), headers, body, method)
      const outcome = answerOutcome(answer, dispatch.sent_at, sending)
      const secrets = [...secretsOf(url), ...secretsOfHeaders(headers)]
      return withoutSecrets(sending.server === 'operator' ? asOurs(outcome) : outcome, secrets)
    },
  }
}

/**
 * Marks an unreachable server of the operator as our fault, because the operator chose the server, and not the owner of the
 * channel.
 */
function asOurs(outcome: Outcome): Outcome {
  if (outcome.kind !== 'retry' || outcome.unreached === undefined) return outcome
  const { unreached: _, ...rest } = outcome
  return { ...rest, is_ours: true }
}
