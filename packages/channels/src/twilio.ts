// Builds requests to Twilio, for text messages and calls.
import { joinParts, jsonNumberAt, jsonTextAt } from './answer-body.ts'
import type { Destination } from './channel.ts'
import {
  type Field,
  type HttpAnswer,
  type HttpRequest,
  MEMBERS_TEXT,
  type ResponseVerdict,
  SECRET_TEXT,
} from './kind.ts'
import { basic } from './own-server.ts'

export const PHONE = {
  pattern: /^\+[1-9]\d{6,14}$/,
  says: 'must be a phone number with country code, such as +491701234567',
}

/** Form field for the phone that Twilio reaches. */
export const TO_FIELD = {
  ...MEMBERS_TEXT,
  label: 'Phone number',
  hint: 'Include the country code, for example +491701234567.',
  matches: PHONE,
} as const satisfies Field

/** Form fields for the Twilio account that pays for the messages. */
export const ACCOUNT_FIELDS = {
  twilio_account: {
    label: 'Account SID',
    hint: 'Starts with AC. Shown on your Twilio Console home page.',
    input: 'text',
    shown: 'never',
    isSecret: false,
    matches: { pattern: /^AC[0-9a-f]{32}$/, says: 'must be AC followed by 32 characters: digits or letters a to f' },
  },
  twilio_token: {
    ...SECRET_TEXT,
    label: 'Auth token',
    hint: 'Shown below the account SID in the Twilio Console.',
    matches: { pattern: /^[0-9a-zA-Z]{32}$/, says: 'must be 32 letters and digits' },
  },
} as const satisfies Record<string, Field>

/** Example of a destination. */
export const EXAMPLE = {
  twilio_to: '+491701234567',
  twilio_from: '+15005550006',
  twilio_account: 'AC0123456789abcdef0123456789abcdef',
  twilio_token: '0123456789abcdef0123456789abcdef',
}

export function twilioRequest(
  { twilio_account, twilio_token }: Destination<'twilio_account' | 'twilio_token'>,
  what: 'Messages' | 'Calls',
  form: Readonly<Record<string, string>>,
): HttpRequest {
  return {
    url: `https://api.twilio.com/2010-04-01/Accounts/${twilio_account}/${what}.json`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basic(twilio_account, twilio_token),
    },
    body: new URLSearchParams(form).toString(),
  }
}

export function twilioReason(body: string): string | undefined {
  return joinParts(jsonNumberAt(body, 'code')?.toString(), jsonTextAt(body, 'message'))
}

/**
 * Returns the verdict on a response. For wrong numbers, texts or accounts, Twilio sends its own code. 429 and 5xx are retried.
 */
export function twilioVerdict({ status, body }: HttpAnswer): ResponseVerdict | undefined {
  // A created resource has an id. The response repeats the text, and can be too long to be read to its end.
  if (status >= 200 && status < 300) return { is: /"sid"\s{0,9}:\s{0,9}"[A-Z]{2}/.test(body) ? 'delivered' : 'retry' }
  const isRefusal = status >= 400 && status < 500 && status !== 429
  return isRefusal && jsonNumberAt(body, 'code') !== undefined ? { is: 'refused' } : undefined
}
