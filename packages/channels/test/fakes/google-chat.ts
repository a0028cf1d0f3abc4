// A webhook of Google Chat, as developers.google.com/workspace/chat documents it: "Build a webhook", spaces.messages, cards v2, and the
// limit of 32,000 bytes.
import { z } from 'zod'
import { jsonOf, read, type Vendor } from './vendor.ts'

const KEY = 'AIzaSyExampleExampleExampleExampleExamp'
const TOKEN = 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcDeFg'
const WIDGET = z.union([
  z.strictObject({ textParagraph: z.strictObject({ text: z.string() }) }),
  z.strictObject({
    decoratedText: z.strictObject({
      topLabel: z.string().optional(),
      text: z.string(),
      wrapText: z.boolean().optional(),
    }),
  }),
  z.strictObject({
    buttonList: z.strictObject({
      buttons: z.array(
        z.strictObject({ text: z.string(), onClick: z.strictObject({ openLink: z.strictObject({ url: z.url() }) }) }),
      ),
    }),
  }),
])
const MESSAGE = z
  .strictObject({
    text: z.string().optional(),
    fallbackText: z.string().optional(),
    thread: z.strictObject({ threadKey: z.string().max(4000) }).optional(),
    cardsV2: z
      .array(
        z.strictObject({
          cardId: z.string(),
          card: z.strictObject({
            header: z.strictObject({ title: z.string().min(1), subtitle: z.string().optional() }).optional(),
            sections: z
              .array(z.strictObject({ header: z.string().optional(), widgets: z.array(WIDGET).min(1) }))
              .max(100),
          }),
        }),
      )
      .optional(),
  })
  .refine(({ text, cardsV2 }) => text !== undefined || cardsV2 !== undefined, 'Message cannot be empty')

const refuse = (code: number, status: string, message: string) => ({
  status: code,
  body: { error: { code, message, status } },
})

export const googleChat: Vendor = {
  kind: 'google-chat',
  destination: (at) => ({ google_chat_url: `${at}/v1/spaces/AAAAexample/messages?key=${KEY}&token=${TOKEN}` }),
  answer: (asked) => {
    if (asked.path !== '/v1/spaces/AAAAexample/messages')
      return refuse(404, 'NOT_FOUND', 'Requested entity was not found.')
    if (asked.query.get('key') !== KEY)
      return refuse(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.')
    if (asked.query.get('token') !== TOKEN)
      return refuse(401, 'UNAUTHENTICATED', 'The request does not have valid authentication credentials.')
    if (Buffer.byteLength(asked.body) > 32_000) return refuse(400, 'INVALID_ARGUMENT', 'Message is too long.')
    const message = read(MESSAGE, asked)
    return 'fault' in message
      ? refuse(400, 'INVALID_ARGUMENT', message.fault)
      : { status: 200, body: { name: 'spaces/AAAAexample/messages/1' } }
  },
  limited: { reply: refuse(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).') },
  refusals: {
    'an unknown space': {
      with: { google_chat_url: '/v1/spaces/OTHER/messages?key=k&token=t' },
      is: 'retry',
      status: 404,
      says: 'NOT_FOUND',
    },
    'a wrong key': {
      with: { google_chat_url: `/v1/spaces/AAAAexample/messages?key=wrongwrongwrongwrong&token=${TOKEN}` },
      is: 'refused',
      status: 400,
      says: 'INVALID_ARGUMENT: API key not valid',
    },
  },
  overlong: (body) => JSON.stringify({ ...jsonOf(body), text: 'x'.repeat(32_000) }),
  words: ({ body }) => JSON.stringify(jsonOf(body).cardsV2),
}
