// Calls a phone through Twilio. A voice reads the message twice.
import { defineKind } from '../kind.ts'
import { ACCOUNT_FIELDS, PHONE, twilioReason, twilioRequest, twilioVerdict } from '../twilio.ts'
import { callForm } from './message.ts'

export const twilioVoice = defineKind({
  name: 'twilio-voice',
  label: 'Phone call (Twilio)',
  about: 'Calls a phone and reads the alert aloud, billed to your Twilio account.',
  plan: 'double',
  grouped: 15,
  fields: {
    twilio_to: {
      label: 'Phone number',
      hint: 'Include the country code, for example +491701234567.',
      input: 'text',
      shown: 'to members',
      isSecret: false,
      matches: PHONE,
    },
    twilio_from: {
      label: 'Caller ID',
      hint: 'A voice-enabled number in your Twilio account.',
      input: 'text',
      shown: 'to members',
      isSecret: false,
      matches: PHONE,
    },
    ...ACCOUNT_FIELDS,
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => twilioRequest(destination, 'Calls', callForm(destination, message)),
    explain: twilioReason,
    judge: twilioVerdict,
  },
  example: {
    twilio_to: '+491701234567',
    twilio_from: '+15005550006',
    twilio_account: 'AC0123456789abcdef0123456789abcdef',
    twilio_token: '0123456789abcdef0123456789abcdef',
  },
})
