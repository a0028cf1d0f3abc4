// Formats a message for Zulip. External text is in a block of plain text, in which nothing is a mention.
import { type Dispatch, factLines, linksOf } from '../channel.ts'
import { cut, emojiOf, oneLine } from '../wording.ts'

// Zulip limits a topic to 60 characters and a message to 10,000, and cuts longer ones.
const MAX = { topic: 60, text: 9000 } as const
const FENCE = '~~~~~~~~'

export function zulipForm({ message, data, destination }: Dispatch<'zulip_channel' | 'zulip_topic'>): URLSearchParams {
  const { severity, title, lines } = message
  const links = linksOf(message).map(({ label, url }) => `[${label}](${url})`)
  const text = [title, ...lines, ...factLines(message)].map(unfenced).join('\n')
  return new URLSearchParams({
    type: 'stream',
    to: destination.zulip_channel,
    topic: oneLine(destination.zulip_topic || topicOf(data), MAX.topic) || 'Dogwatch',
    content: `${emojiOf(severity)} ${links.join(' · ')}\n${FENCE} text\n${cut(text, MAX.text)}\n${FENCE}`,
  })
}

/** Returns the name of the check or heartbeat, as the topic. */
function topicOf(data: unknown): string {
  const { check, heartbeat } = data as { check?: { name?: unknown }; heartbeat?: { name?: unknown } }
  const { name } = check ?? heartbeat ?? {}
  return typeof name === 'string' && name.trim() !== '' ? name : 'Dogwatch'
}

/** Returns a line that cannot end the block of plain text. Only a line that begins with the marks of a block could end it. */
function unfenced(line: string): string {
  return /^ {0,9}[~`]/.test(line) ? `\u200B${line}` : line
}
