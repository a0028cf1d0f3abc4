// A call to a phone, by Twilio: a voice reads the message, twice.
import { defineKind } from '../kind.ts'
import { ACCOUNT_FIELDS, PHONE, twilioReason, twilioRequest, twilioVerdict } from '../twilio.ts'
import { callForm } from './message.ts'

export const twilioVoice = defineKind({
  name: 'twilio-voice',
  label: 'Phone call by Twilio',
  about: 'A call in which a voice reads the message, paid by your account of Twilio.',
  plan: 'double',
  fields: {
    twilio_to: {
      label: 'Phone number',
      hint: 'With the code of the country: +491701234567.',
      input: 'text',
      shown: 'to members',
      isSecret: false,
      matches: PHONE,
    },
    twilio_from: {
      label: 'Caller',
      hint: 'A number of your account that can make calls.',
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
