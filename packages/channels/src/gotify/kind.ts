// Sends a push by the user's own Gotify server.
import { joinParts, jsonTextAt } from '../answer-body.ts'
import { defineKind, RECEIVER_URL, SECRET_TEXT } from '../kind.ts'
import { pathOn } from '../own-server.ts'
import { gotifyBody } from './message.ts'

export const gotify = defineKind({
  name: 'gotify',
  label: 'Gotify',
  about: 'Sends push notifications through your Gotify server.',
  plan: 'free',
  grouped: 25,
  fields: {
    gotify_url: {
      ...RECEIVER_URL,
      label: 'Server URL',
      hint: 'The address of your Gotify server, for example https://gotify.example.com.',
    },
    gotify_token: {
      ...SECRET_TEXT,
      label: 'Application token',
      hint: 'In Gotify, go to Apps and select Create application.',
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => ({
      url: pathOn(destination.gotify_url, '/message'),
      headers: { 'content-type': 'application/json', 'x-gotify-key': destination.gotify_token },
      body: JSON.stringify(gotifyBody(message)),
    }),
    explain: (body) => joinParts(jsonTextAt(body, 'error'), jsonTextAt(body, 'errorDescription')),
    judge: ({ status, body }) =>
      status === 400 && jsonTextAt(body, 'error') !== undefined ? { is: 'refused' } : undefined,
  },
  example: { gotify_url: 'https://gotify.example.com/', gotify_token: 'AbCdEfGhIjKlMnO' },
})
