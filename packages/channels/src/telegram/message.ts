// Formats a message for Telegram, in its HTML.
import { type Destination, factLines, linksOf, type Message } from '../channel.ts'
import { cutBy, emojiOf, escapeHtml, lengthOf, withoutMentions } from '../wording.ts'

// Telegram accepts 4096 characters, not counting markup.
const MAX = { title: 300, text: 3400 } as const

export function telegramBody(
  { telegram_chat, telegram_topic }: Destination<'telegram_chat' | 'telegram_topic'>,
  message: Message,
) {
  const { severity, title, lines } = message
  const text = [
    `${emojiOf(severity)} <b>${within(title, MAX.title)}</b>`,
    within([...lines, ...factLines(message)].join('\n'), MAX.text),
    linksOf(message)
      .map(({ label, url }) => `<a href="${escapeHtml(url)}">${label}</a>`)
      .join(' · '),
  ].join('\n')
  return {
    chat_id: telegram_chat,
    ...(telegram_topic !== '' && { message_thread_id: Number(telegram_topic) }),
    text,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  }
}

function within(text: string, max: number): string {
  return escapeHtml(withoutMentions(cutBy(text, max, (part) => lengthOf(withoutMentions(part)))))
}
