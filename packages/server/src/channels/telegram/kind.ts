// A message of a bot to a chat of Telegram.
import { below, joined, numberBelow, textBelow } from '../answer-body.ts'
import { defineKind } from '../kind.ts'
import { telegramBody } from './message.ts'

const API = 'https://api.telegram.org'

export const telegram = defineKind({
  name: 'telegram',
  label: 'Telegram',
  about: 'A message of your bot to a person, group or channel of Telegram.',
  plan: 'free',
  fields: {
    telegram_chat: {
      label: 'Chat',
      hint: 'The number of the chat, negative for a group, or @name of a public channel. The bot has to be in it.',
      input: 'text',
      shown: 'to members',
      isSecret: false,
      matches: {
        pattern: /^(?:-?\d{1,20}|@[A-Za-z]\w{3,31})$/,
        says: 'must be a number such as -1001234567890, or @name',
      },
    },
    telegram_token: {
      label: 'Bot token',
      hint: '@BotFather gives it to you when you make a bot.',
      input: 'text',
      shown: 'never',
      isSecret: true,
      matches: { pattern: /^\d{1,20}:[-\w]{20,100}$/, says: 'must be such as 123456789:AAF...' },
    },
    telegram_topic: {
      label: 'Topic',
      hint: 'The number of a topic, in a group that has topics.',
      input: 'text',
      shown: 'never',
      isSecret: false,
      isOptional: true,
      matches: { pattern: /^\d{1,10}$/, says: 'must be a number' },
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => ({
      url: `${API}/bot${destination.telegram_token}/sendMessage`,
      body: JSON.stringify(telegramBody(destination, message)),
    }),
    explain: (body) => joined(textBelow(body, 'description'), movedTo(body)),
    judge: ({ status, body }) => {
      if (status >= 200 && status < 300) return { is: isTaken(body) ? 'delivered' : 'retry' }
      const retry_after_sec = numberBelow(body, 'parameters', 'retry_after')
      if (status === 429) return { is: 'retry', ...(retry_after_sec !== undefined && { retry_after_sec }) }
      // Telegram itself says so, and not somebody on the way.
      return REFUSALS.includes(status) && below(body, 'ok') === false ? { is: 'refused' } : undefined
    },
  },
  example: {
    telegram_chat: '-1001234567890',
    telegram_token: '123456789:AAFexampleexampleexampleexample',
    telegram_topic: '',
  },
})

/** A wrong message or chat, a wrong token, a bot that was blocked or removed. */
const REFUSALS: readonly number[] = [400, 401, 403, 404]

/** The answer repeats the message and may be too long to be read to its end. */
function isTaken(body: string): boolean {
  return below(body, 'ok') === true || /^\s{0,9}\{\s{0,9}"ok"\s{0,9}:\s{0,9}true\s{0,9},/.test(body)
}

function movedTo(body: string): string | undefined {
  const chat = numberBelow(body, 'parameters', 'migrate_to_chat_id')
  return chat === undefined ? undefined : `the chat is now ${chat}`
}
