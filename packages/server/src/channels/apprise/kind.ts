// A message to whatever an Apprise API server of one's own passes it on to.
import { textBelow } from '../answer-body.ts'
import { defineKind } from '../kind.ts'
import { pathOn } from '../own-server.ts'
import { appriseBody } from './message.ts'

/** What Apprise means by 204. */
const NOTHING_SENT = 'nobody was notified: is there a configuration under this key?'

export const apprise = defineKind({
  name: 'apprise',
  label: 'Apprise',
  about: 'A message to your own Apprise API server, which passes it on to any of a hundred services.',
  plan: 'double',
  fields: {
    apprise_url: {
      label: 'Server URL',
      hint: 'That of your Apprise API server, such as https://apprise.example.com. It may hold a user and password.',
      input: 'url',
      shown: 'host',
      isSecret: false,
    },
    apprise_key: {
      label: 'Configuration key',
      hint: 'The key under which the server keeps what it notifies.',
      input: 'text',
      shown: 'never',
      isSecret: true,
      matches: { pattern: /^[-\w]{1,128}$/, says: 'must have 1 to 128 letters, digits, - or _' },
    },
    apprise_tag: {
      label: 'Tags',
      hint: 'Only what has one of these tags is notified. Left empty, all of it.',
      input: 'text',
      shown: 'to members',
      isSecret: false,
      isOptional: true,
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => ({
      url: pathOn(destination.apprise_url, `/notify/${destination.apprise_key}`),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(appriseBody(destination, message)),
    }),
    explain: (body, status) => textBelow(body, 'error') ?? (status === 204 ? NOTHING_SENT : undefined),
    judge: ({ status }) => {
      // Documented: nothing is configured under this key, so nobody was notified.
      if (status === 204) return { is: 'retry' }
      return status === 400 ? { is: 'refused' } : undefined
    },
  },
  example: { apprise_url: 'https://apprise.example.com', apprise_key: 'on-call', apprise_tag: '' },
})
