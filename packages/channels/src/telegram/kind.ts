// Sends a message of a bot to a chat of Telegram.
import { joinParts, jsonNumberAt, jsonTextAt, jsonValueAt } from '../answer-body.ts'
import { defineKind, MEMBERS_TEXT, SECRET_TEXT } from '../kind.ts'
import { telegramBody } from './message.ts'

const API = 'https://api.telegram.org'

export const telegram = defineKind({
  name: 'telegram',
  label: 'Telegram',
  about: 'Sends messages from your bot to a Telegram user, group or channel.',
  plan: 'free',
  grouped: 25,
  fields: {
    telegram_chat: {
      ...MEMBERS_TEXT,
      label: 'Chat ID',
      hint: 'A chat ID (negative for groups) or the @name of a public channel. Add the bot to the chat first.',
      matches: {
        pattern: /^(?:-?\d{1,20}|@[A-Za-z]\w{3,31})$/,
        says: 'must be a chat ID such as -1001234567890, or a channel @name',
      },
    },
    telegram_token: {
      ...SECRET_TEXT,
      label: 'Bot token',
      hint: 'Create a bot with @BotFather to get its token.',
      matches: { pattern: /^\d{1,20}:[-\w]{20,100}$/, says: 'must look like 123456789:AAF…' },
    },
    telegram_topic: {
      label: 'Topic ID',
      hint: 'Only for groups with topics: the ID of the topic to post in.',
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
    explain: (body) => joinParts(jsonTextAt(body, 'description'), movedTo(body)),
    judge: ({ status, body }) => {
      if (status >= 200 && status < 300) return { is: isTaken(body) ? 'delivered' : 'retry' }
      const retry_after_sec = jsonNumberAt(body, 'parameters', 'retry_after')
      if (status === 429) return { is: 'retry', ...(retry_after_sec !== undefined && { retry_after_sec }) }
      // Telegram itself must refuse, and not a server on the way.
      return REFUSALS.includes(status) && jsonValueAt(body, 'ok') === false ? { is: 'refused' } : undefined
    },
  },
  example: {
    telegram_chat: '-1001234567890',
    telegram_token: '123456789:AAFexampleexampleexampleexample',
    telegram_topic: '',
  },
})

/** Statuses for a wrong message or chat, a wrong token, or a bot that was blocked or removed. */
const REFUSALS: readonly number[] = [400, 401, 403, 404]

/** Whether Telegram accepted the message. The response repeats it and can be too long to be read to its end. */
function isTaken(body: string): boolean {
  return jsonValueAt(body, 'ok') === true || /^\s{0,9}\{\s{0,9}"ok"\s{0,9}:\s{0,9}true\s{0,9},/.test(body)
}

function movedTo(body: string): string | undefined {
  const chat = jsonNumberAt(body, 'parameters', 'migrate_to_chat_id')
  return chat === undefined ? undefined : `the chat ID has changed to ${chat}; update the channel`
}
