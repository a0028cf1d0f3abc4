// Calls a phone through Twilio. A voice reads the message twice.
import { defineKind, MEMBERS_TEXT } from '../kind.ts'
import { ACCOUNT_FIELDS, EXAMPLE, PHONE, TO_FIELD, twilioReason, twilioRequest, twilioVerdict } from '../twilio.ts'
import { callForm } from './message.ts'

export const twilioVoice = defineKind({
  name: 'twilio-voice',
  label: 'Phone call (Twilio)',
  about: 'Calls a phone and reads the alert aloud, billed to your Twilio account.',
  plan: 'double',
  grouped: 15,
  fields: {
    twilio_to: TO_FIELD,
    twilio_from: {
      ...MEMBERS_TEXT,
      label: 'Caller ID',
      hint: 'A voice-enabled number in your Twilio account.',
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
  example: EXAMPLE,
})
