// Twilio's Messages and Calls, as twilio.com/docs documents them: "Message resource", "Call resource", "Twilio's response", error codes.
import { basicOf, lengthOf, type Reply, type Vendor, type VendorRequest } from './vendor.ts'

const ACCOUNT = 'AC0123456789abcdef0123456789abcdef'
const TOKEN = 'f0e1d2c3b4a5f6e7d8c9b0a1f2e3d4c5'
const NUMBER = /^\+[1-9]\d{1,14}$/
const FROM = '+15005550006'

const refuse = (status: number, code: number, message: string): Reply => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
})

const LIMITED = { reply: refuse(429, 20_429, 'Too Many Requests') }
const REFUSALS = {
  'a wrong token': { with: { twilio_token: '0'.repeat(32) }, is: 'refused', status: 401, says: '20003: Authenticate' },
  'a number that there is not': { with: { twilio_to: '+15005550001' }, is: 'refused', status: 400, says: '21211' },
  'a sender of somebody else': { with: { twilio_from: '+15005550007' }, is: 'refused', status: 400, says: '21606' },
} as const

function common(asked: VendorRequest, what: string, form: URLSearchParams): Reply | undefined {
  if (asked.path !== `/2010-04-01/Accounts/${ACCOUNT}/${what}.json`)
    return refuse(404, 20_404, 'The requested resource was not found')
  if (asked.method !== 'POST') return refuse(405, 20_004, 'Method not allowed')
  if (basicOf(asked) !== `${ACCOUNT}:${TOKEN}`) return refuse(401, 20_003, 'Authenticate')
  const to = form.get('To')
  if (to === null) return refuse(400, 21_604, "A 'To' phone number is required.")
  if (!NUMBER.test(to) || to === '+15005550001')
    return refuse(400, 21_211, `The 'To' number ${to} is not a valid phone number.`)
  const isService = form.get('MessagingServiceSid') === 'MG0123456789abcdef0123456789abcdef'
  if (!isService && form.get('From') !== FROM)
    return refuse(400, 21_606, 'The From phone number is not a valid, SMS-capable number.')
  return undefined
}

export const twilioSms: Vendor = {
  kind: 'twilio-sms',
  below: 'twilio',
  owns: (path) => !path.endsWith('/Calls.json'),
  origins: ['https://api.twilio.com'],
  destination: () => ({ twilio_to: '+491701234567', twilio_from: FROM, twilio_account: ACCOUNT, twilio_token: TOKEN }),
  answer: (asked) => {
    const form = new URLSearchParams(
      asked.headers['content-type'] === 'application/x-www-form-urlencoded' ? asked.body : '',
    )
    const refused = common(asked, 'Messages', form)
    if (refused) return refused
    const body = form.get('Body') ?? ''
    if (body === '') return refuse(400, 21_602, 'Message body is required.')
    if (lengthOf(body) > 1600)
      return refuse(400, 21_617, 'The concatenated message body exceeds the 1600 character limit.')
    return {
      status: 201,
      body: { body, sid: 'SM0123456789abcdef0123456789abcdef', status: 'queued', error_code: null },
    }
  },
  limited: LIMITED,
  lie: { status: 200, body: { message: 'hello' } },
  refusals: REFUSALS,
  overlong: (body) => `${body}${'x'.repeat(1600)}`,
  words: ({ body }) => new URLSearchParams(body).get('Body') ?? '',
}

/** Whether it is TwiML of verbs that we know: balanced, and escaped. */
function isTwiml(text: string): boolean {
  const rest = text.replaceAll(/<Say>[^<>]*<\/Say>|<Pause length="\d+"\/>/g, '')
  return rest === '<Response></Response>' && !/&(?!(?:amp|lt|gt|quot|apos);)/.test(text)
}

export const twilioVoice: Vendor = {
  kind: 'twilio-voice',
  below: 'twilio',
  owns: (path) => path.endsWith('/Calls.json'),
  destination: twilioSms.destination,
  answer: (asked) => {
    const form = new URLSearchParams(
      asked.headers['content-type'] === 'application/x-www-form-urlencoded' ? asked.body : '',
    )
    const refused = common(asked, 'Calls', form)
    if (refused) return refused
    const twiml = form.get('Twiml') ?? ''
    if (twiml === '') return refuse(400, 21_205, 'Url parameter is required.')
    if (lengthOf(twiml) > 4000) return refuse(400, 21_221, 'Twiml parameter is too long.')
    if (!isTwiml(twiml)) return refuse(400, 12_100, 'Document parse failure')
    return { status: 201, body: { sid: 'CA0123456789abcdef0123456789abcdef', status: 'queued' } }
  },
  limited: LIMITED,
  lie: { status: 200, body: { message: 'hello' } },
  refusals: REFUSALS,
  overlong: (body) => body.replace('%3CSay%3E', `%3CSay%3E${'x'.repeat(4000)}`),
  words: ({ body }) => new URLSearchParams(body).get('Twiml') ?? '',
}
