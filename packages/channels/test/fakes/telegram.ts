// Telegram's sendMessage, as core.telegram.org/bots/api documents it: "Making requests", "sendMessage", "HTML style".
import { z } from 'zod'
import { jsonOf, lengthOf, type Reply, read, type Vendor } from './vendor.ts'

const TOKEN = '123456789:AAF-aBcDeFgHiJkLmNoPqRsTuVwXyZ0123'
const CHATS = ['-1001234567890', '@dogs_on_call']
const MESSAGE = z.object({
  chat_id: z.union([z.string(), z.int()]),
  message_thread_id: z.int().optional(),
  text: z.string(),
  parse_mode: z.enum(['HTML', 'MarkdownV2', 'Markdown']).optional(),
  link_preview_options: z.object({ is_disabled: z.boolean() }).optional(),
})

const refuse = (error_code: number, description: string, parameters?: object): Reply => ({
  status: error_code,
  body: { ok: false, error_code, description, ...(parameters && { parameters }) },
})

/** The text without its tags and entities; undefined when they are not what Telegram knows. */
function parsed(html: string): string | undefined {
  const open: string[] = []
  const text = html.replaceAll(/<(\/?)([a-z]+)((?: href="[^"<>]*")?)>/g, (whole, closing: string, tag: string) => {
    if (!['b', 'i', 'u', 's', 'a', 'code', 'pre'].includes(tag)) return whole
    if (closing === '') open.push(tag)
    else if (open.pop() !== tag) open.push('unbalanced')
    return ''
  })
  if (open.length > 0 || /[<>]|&(?!(?:lt|gt|amp|quot);)/.test(text)) return undefined
  return text.replaceAll(/&(lt|gt|amp|quot);/g, '.')
}

export const telegram: Vendor = {
  kind: 'telegram',
  origins: ['https://api.telegram.org'],
  destination: () => ({ telegram_chat: '-1001234567890', telegram_token: TOKEN, telegram_topic: '7' }),
  answer: (asked) => {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(asked.path) ?? []
    if (token !== TOKEN) return refuse(401, 'Unauthorized')
    if (method?.toLowerCase() !== 'sendmessage') return refuse(404, 'Not Found')
    const message = read(MESSAGE, asked)
    if ('fault' in message) return refuse(400, `Bad Request: ${message.fault}`)
    const { chat_id, text, parse_mode } = message.value
    if (String(chat_id) === '-42') {
      return refuse(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -100_42 })
    }
    if (String(chat_id) === '77') return refuse(403, 'Forbidden: bot was blocked by the user')
    if (!CHATS.includes(String(chat_id))) return refuse(400, 'Bad Request: chat not found')
    const shown = parse_mode === 'HTML' ? parsed(text) : text
    if (shown === undefined) return refuse(400, "Bad Request: can't parse entities")
    if (shown.trim() === '') return refuse(400, 'Bad Request: message text is empty')
    if (lengthOf(shown) > 4096) return refuse(400, 'Bad Request: message is too long')
    return { status: 200, body: { ok: true, result: { message_id: 1, date: 1, chat: { id: chat_id }, text } } }
  },
  limited: { reply: refuse(429, 'Too Many Requests: retry after 8', { retry_after: 8 }), wait_sec: 8 },
  lie: { status: 200, body: { ok: false, error_code: 500, description: 'Internal Server Error' } },
  refusals: {
    'an unknown chat': {
      with: { telegram_chat: '4711' },
      is: 'refused',
      status: 400,
      says: 'Bad Request: chat not found',
    },
    'a person who blocked the bot': {
      with: { telegram_chat: '77' },
      is: 'refused',
      status: 403,
      says: 'Forbidden: bot was blocked by the user',
    },
    'a group that became a supergroup': {
      with: { telegram_chat: '-42' },
      is: 'refused',
      status: 400,
      says: 'the chat ID has changed to -10042',
    },
    'a wrong token': {
      with: { telegram_token: '1:wrongwrongwrongwrongwrong' },
      is: 'refused',
      status: 401,
      says: 'Unauthorized',
    },
  },
  overlong: (body) => JSON.stringify({ ...jsonOf(body), text: 'x'.repeat(4097) }),
  words: ({ body }) => String(jsonOf(body).text),
}
