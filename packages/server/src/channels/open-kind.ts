// From what a kind says of its sending to a channel that sends.
import { answerOutcome } from './answer.ts'
import type { Channel, Outcome } from './channel.ts'
import type { Answer, Post } from './egress.ts'
import type { ChannelKind, ChannelSettings, HttpSending } from './kind.ts'
import { secretsOf, withoutSecrets } from './secrets.ts'

const JSON_HEADERS = { 'content-type': 'application/json' } as const

/** `posts`: how the servers of receivers and of the operator are asked. */
export function openKind(
  { sending }: ChannelKind,
  posts: Readonly<Record<'receiver' | 'operator', Post>>,
  settings: ChannelSettings,
): Channel {
  if (sending.by === 'other') return sending.open(settings)
  const post = posts[sending.server]
  return {
    send: async (dispatch) => {
      const { url, headers = JSON_HEADERS, body } = sending.request(dispatch, settings)
      const outcome = outcomeOf(sending, await post(url, headers, body), dispatch.sent_at)
      return sending.server === 'operator' ? withoutSecrets(asOurs(outcome), secretsOf(url)) : outcome
    },
  }
}

function outcomeOf({ gone, explain }: HttpSending, answer: Answer, now: Date): Outcome {
  if (gone !== undefined && answer.kind === 'answered' && answer.status === gone) {
    return {
      kind: 'gone',
      reason: `status ${gone}: the receiver is gone, so the channel is switched off`,
      status: gone,
    }
  }
  return answerOutcome(answer, now, explain)
}

/** The operator chose this server: if it cannot be reached, that is no fault of the channel. */
function asOurs(outcome: Outcome): Outcome {
  if (outcome.kind !== 'retry' || outcome.unreached === undefined) return outcome
  const { unreached: _, ...rest } = outcome
  return { ...rest, is_ours: true }
}
