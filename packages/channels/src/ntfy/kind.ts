// Sends a push by ntfy, through the server that the operator chose.
import { defineKind, MEMBERS_TEXT } from '../kind.ts'
import { ntfyBody } from './message.ts'

export const ntfy = defineKind({
  name: 'ntfy',
  label: 'ntfy',
  about: 'Sends push notifications to everyone subscribed to an ntfy topic.',
  plan: 'free',
  grouped: 14,
  fields: {
    ntfy_topic: {
      ...MEMBERS_TEXT,
      label: 'Topic',
      hint: 'Anyone who knows the topic name can read its messages, so choose one that is hard to guess.',
      matches: {
        pattern: /^[-_A-Za-z0-9]{1,64}$/,
        says: 'must be 1 to 64 characters: letters, digits, hyphens or underscores',
      },
    },
  },
  sending: {
    by: 'http',
    server: 'operator',
    request: ({ destination, message }, { ntfy_url }) => ({
      url: ntfy_url,
      body: JSON.stringify(ntfyBody(destination.ntfy_topic, message)),
    }),
    // ntfy responds `{"code":42901,"http":429,"error":"limit reached: too many requests"}`.
    explain: (body) => /"error":"([^"\\]{1,200})"/.exec(body)?.[1],
  },
  example: { ntfy_topic: 'alice-alerts' },
})
