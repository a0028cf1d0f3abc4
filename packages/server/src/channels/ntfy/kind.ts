// A push by ntfy, through the server that the operator chose.
import { defineKind } from '../kind.ts'
import { ntfyBody } from './message.ts'

export const ntfy = defineKind({
  name: 'ntfy',
  label: 'ntfy',
  about: 'A push to the phones and desktops that listen to a topic of ntfy.',
  plan: 'free',
  fields: {
    ntfy_topic: {
      label: 'Topic',
      hint: 'Whoever knows the topic can read it: choose one that is hard to guess.',
      input: 'text',
      shown: 'to members',
      isSecret: false,
      matches: { pattern: /^[-_A-Za-z0-9]{1,64}$/, says: 'must have 1 to 64 letters, digits, - or _' },
    },
  },
  sending: {
    by: 'http',
    server: 'operator',
    request: ({ destination, message }, { ntfy_url }) => ({
      url: ntfy_url,
      body: JSON.stringify(ntfyBody(destination.ntfy_topic, message)),
    }),
    // ntfy answers `{"code":42901,"http":429,"error":"limit reached: too many requests"}`.
    explain: (body) => /"error":"([^"\\]{1,200})"/.exec(body)?.[1],
  },
  example: { ntfy_topic: 'alice-alerts' },
})
