// A push by ntfy: its JSON form, to the server that the operator chose.
import { cutBy } from '../wording.ts'
import type { Post } from '../egress.ts'
import type { Message } from '../message.ts'
import { answerOutcome } from './answer.ts'
import { secretsOf, withoutSecrets } from '../secrets.ts'
import type { Channel } from './channel.ts'

/** 5 wakes people, 3 does not. */
const PRIORITY: Readonly<Record<Message['severity'], number>> = { down: 5, reminder: 4, warning: 4, up: 3, info: 3 }
const TAGS: Readonly<Record<Message['severity'], string>> = {
  down: 'red_circle',
  reminder: 'red_circle',
  warning: 'warning',
  up: 'green_circle',
  info: 'bell',
}
// Beyond 4096 bytes ntfy makes an attachment of it.
const MAX_TITLE = 250
const MAX_MESSAGE = 3800

/** `url` may carry userinfo. */
export function ntfyChannel(post: Post, url: string): Channel {
  const secrets = secretsOf(url)
  return {
    send: async ({ destination, message, sent_at }) => {
      const body = JSON.stringify(ntfyBody(destination.ntfy_topic, message))
      const answer = await post(url, { 'content-type': 'application/json' }, body)
      const outcome = withoutSecrets(answerOutcome(answer, sent_at, explain), secrets)
      // The operator chose this server: if it cannot be reached, that is no fault of the channel.
      if (outcome.kind !== 'retry' || outcome.unreached === undefined) return outcome
      const { unreached: _, ...rest } = outcome
      return { ...rest, is_ours: true }
    },
  }
}

function ntfyBody(topic: string, message: Message) {
  const facts = message.facts.map(({ label, value }) => `${label}: ${value}`)
  return {
    topic,
    title: cutBy(message.title, MAX_TITLE, Buffer.byteLength),
    message: cutBy([...message.lines, ...facts].join('\n'), MAX_MESSAGE, Buffer.byteLength),
    priority: PRIORITY[message.severity],
    tags: [TAGS[message.severity]],
    click: message.link,
  }
}

/** ntfy answers `{"code":42901,"http":429,"error":"limit reached: too many requests"}`. */
function explain(body: string): string | undefined {
  return /"error":"([^"\\]{1,200})"/.exec(body)?.[1]
}
