// Sends a push by Pushover to a person or group.
import { jsonListAt, jsonNumberAt } from '../answer-body.ts'
import { defineKind, MEMBERS_TEXT, SECRET_TEXT } from '../kind.ts'
import { pushoverBody } from './message.ts'

const KEY = { pattern: /^[A-Za-z0-9]{30}$/, says: 'must be 30 letters and digits' }

export const pushover = defineKind({
  name: 'pushover',
  label: 'Pushover',
  about: 'Sends Pushover notifications to a person or group.',
  plan: 'free',
  grouped: 3,
  fields: {
    pushover_user: {
      ...SECRET_TEXT,
      label: 'User key',
      hint: 'Your user or group key, shown on pushover.net after you sign in.',
      matches: KEY,
    },
    pushover_token: {
      ...SECRET_TEXT,
      label: 'API token',
      hint: 'Create an application at pushover.net/apps/build and paste its API token.',
      matches: KEY,
    },
    pushover_device: {
      ...MEMBERS_TEXT,
      label: 'Device',
      hint: 'The name of one device. Leave empty to notify all devices.',
      isOptional: true,
      matches: {
        pattern: /^[-_A-Za-z0-9]{1,25}$/,
        says: 'must be 1 to 25 characters: letters, digits, hyphens or underscores',
      },
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message, timestamp }) => ({
      url: 'https://api.pushover.net/1/messages.json',
      body: JSON.stringify(pushoverBody(destination, message, timestamp)),
    }),
    explain: (body) => jsonListAt(body, 'errors'),
    judge: ({ status, body }) => {
      if (status >= 200 && status < 300) return { is: jsonNumberAt(body, 'status') === 1 ? 'delivered' : 'retry' }
      // According to the documentation, a message with a 4xx response must not be sent again. 429 means that the monthly messages
      // are used up.
      return status >= 400 && status < 500 && status !== 429 && jsonNumberAt(body, 'status') === 0
        ? { is: 'refused' }
        : undefined
    },
  },
  example: {
    pushover_user: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG',
    pushover_token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi',
    pushover_device: '',
  },
})
