// Sends a message to the user's own Apprise API server, which forwards it to other services.
import { jsonTextAt } from '../answer-body.ts'
import { defineKind, MEMBERS_TEXT, RECEIVER_URL, SECRET_TEXT } from '../kind.ts'
import { pathOn } from '../own-server.ts'
import { appriseBody } from './message.ts'

/** Meaning of the status 204 of Apprise. */
const NOTHING_SENT = 'no one was notified; check that the configuration key exists on the server'

export const apprise = defineKind({
  name: 'apprise',
  label: 'Apprise',
  about: 'Sends messages to your Apprise API server, which forwards them to any of 100+ services.',
  plan: 'double',
  grouped: 25,
  fields: {
    apprise_url: {
      ...RECEIVER_URL,
      label: 'Server URL',
      hint: 'For example, https://apprise.example.com. The URL can include a username and password.',
    },
    apprise_key: {
      ...SECRET_TEXT,
      label: 'Configuration key',
      hint: 'The key of the notification configuration saved on your Apprise server.',
      matches: {
        pattern: /^[-\w]{1,128}$/,
        says: 'must be 1 to 128 characters: letters, digits, hyphens or underscores',
      },
    },
    apprise_tag: {
      ...MEMBERS_TEXT,
      label: 'Tags',
      hint: 'Notify only services with one of these tags. Leave empty to notify all of them.',
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
    explain: (body, status) => jsonTextAt(body, 'error') ?? (status === 204 ? NOTHING_SENT : undefined),
    judge: ({ status }) => {
      // According to the documentation, Apprise responds 204 if nothing is configured under the key, so no one was notified.
      if (status === 204) return { is: 'retry' }
      return status === 400 ? { is: 'refused' } : undefined
    },
  },
  example: { apprise_url: 'https://apprise.example.com', apprise_key: 'on-call', apprise_tag: '' },
})
