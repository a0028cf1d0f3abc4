// A mail to one address, whose owner has to want it.
import { defineKind } from '../kind.ts'
import { emailChannel } from './smtp.ts'

export const email = defineKind({
  name: 'email',
  label: 'Email',
  about: 'A mail to one address.',
  plan: 'free',
  fields: {
    email: {
      label: 'Address',
      hint: 'A mail asks its owner to confirm it. Alerts are sent there once they have.',
      input: 'email',
      shown: 'whole',
      isSecret: false,
      isMailbox: true,
    },
  },
  sending: { by: 'other', server: 'operator', open: emailChannel },
  example: { email: 'alice@example.com' },
})
