// A message as Telegram takes it: its HTML.
import type { Destination, Message } from '../channel.ts'
import { cutBy, lengthOf, withoutMentions } from '../wording.ts'

const EMOJI: Readonly<Record<Message['severity'], string>> = {
  down: '🔴',
  reminder: '🔴',
  warning: '🟠',
  up: '🟢',
  info: '🔵',
}
// Telegram takes 4096 characters, counted without markup.
const MAX = { title: 300, text: 3400 } as const

export function telegramBody(
  { telegram_chat, telegram_topic }: Destination<'telegram_chat' | 'telegram_topic'>,
  { severity, title, lines, facts, link }: Message,
) {
  const told = facts.map(({ label, value }) => `${label}: ${value}`)
  const text = [
    `${EMOJI[severity]} <b>${within(title, MAX.title)}</b>`,
    within([...lines, ...told].join('\n'), MAX.text),
    `<a href="${escape(link)}">Open Dogwatch</a>`,
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
  return escape(withoutMentions(cutBy(text, max, (part) => lengthOf(withoutMentions(part)))))
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
