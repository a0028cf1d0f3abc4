// Sends an email to one address, whose owner must consent.
import { defineKind } from '../kind.ts'
import { emailChannel } from './smtp.ts'

export const email = defineKind({
  name: 'email',
  label: 'Email',
  about: 'Sends an email to one address.',
  plan: 'free',
  grouped: 50,
  fields: {
    email: {
      label: 'Email address',
      hint: 'We’ll email this address a confirmation link. Alerts start once the link is confirmed.',
      input: 'email',
      shown: 'whole',
      isSecret: false,
      isMailbox: true,
    },
  },
  sending: { by: 'other', server: 'operator', open: emailChannel },
  example: { email: 'alice@example.com' },
})
