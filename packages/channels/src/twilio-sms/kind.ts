// Sends a text message to a phone through Twilio.
import { defineKind, MEMBERS_TEXT } from '../kind.ts'
import { ACCOUNT_FIELDS, EXAMPLE, TO_FIELD, twilioReason, twilioRequest, twilioVerdict } from '../twilio.ts'
import { smsForm } from './message.ts'

export const twilioSms = defineKind({
  name: 'twilio-sms',
  label: 'SMS (Twilio)',
  about: 'Sends text messages to a phone, billed to your Twilio account.',
  plan: 'double',
  grouped: 6,
  fields: {
    twilio_to: TO_FIELD,
    twilio_from: {
      ...MEMBERS_TEXT,
      label: 'Sender',
      hint: 'A Twilio phone number, a sender name of up to 11 characters, or a messaging service SID (MG…).',
      matches: {
        pattern: /^(?:\+[1-9]\d{2,14}|MG[0-9a-f]{32}|(?=.{0,11}[A-Za-z])[A-Za-z0-9 ]{1,11})$/,
        says: 'must be a phone number such as +15005550006, a name of 1 to 11 letters and digits, or a messaging service SID (MG followed by 32 hex digits)',
      },
    },
    ...ACCOUNT_FIELDS,
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => twilioRequest(destination, 'Messages', smsForm(destination, message)),
    explain: twilioReason,
    judge: twilioVerdict,
  },
  example: EXAMPLE,
})
