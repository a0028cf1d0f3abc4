// Formats a message for Slack: blocks, and one line for clients that do not show blocks.
import { linksOf, type Message } from '../channel.ts'
import { cutEscaped, emojiOf, escapeXml } from '../wording.ts'

// Slack's own limits for the text as sent. Slack refuses a message that exceeds one of them.
const MAX_HEADER = 150
const MAX_TEXT = 3000
const MAX_FIELD = 2000
const MAX_FIELDS = 10
/** Number of links that fit into a text. */
const LINKS_OF_TEXT = 8

export function slackBody(message: Message) {
  const title = `${emojiOf(message.severity)} ${message.title}`
  const fields = message.facts.slice(0, MAX_FIELDS).map(({ label, value }) => ({
    type: 'mrkdwn',
    text: `*${escapeXml(label)}*\n${within(value, MAX_FIELD - 100)}`,
    // Without `verbatim`, Slack turns text that looks like a mention, such as `@here`, into a mention.
    verbatim: true,
  }))
  const links = linksOf(message).map(({ label, url }) => `<${escapeXml(url)}|${label}>`)
  const contexts = Array.from({ length: Math.ceil(links.length / LINKS_OF_TEXT) }, (_, n) =>
    links.slice(n * LINKS_OF_TEXT, (n + 1) * LINKS_OF_TEXT),
  )
  return {
    text: within([title, ...message.lines].join('\n'), MAX_TEXT),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(title, MAX_HEADER) },
      { type: 'section', text: plain(message.lines.join('\n'), MAX_TEXT) },
      ...(fields.length > 0 ? [{ type: 'section', fields }] : []),
      ...contexts.map((some) => ({ type: 'context', elements: [{ type: 'mrkdwn', text: some.join('  ·  ') }] })),
    ],
  }
}

function plain(text: string, max: number) {
  return { type: 'plain_text', text: within(text, max), emoji: false }
}

function within(text: string, max: number): string {
  return cutEscaped(text, max, escapeXml)
}
