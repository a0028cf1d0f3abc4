// Formats a message for Mattermost: one attachment, which mentions no one.
import { acknowledgeLinks, type Message } from '../channel.ts'
import { escapeMarkdown } from '../markdown.ts'
import { COLOURS, cutEscaped, withoutMentions } from '../wording.ts'

// Mattermost accepts 16,383 characters in a post, attachments included.
const MAX = { title: 500, text: 6000, value: 500, facts: 10 } as const

export function mattermostBody(message: Message) {
  const { severity, title, lines, facts, link } = message
  const links = acknowledgeLinks(message).map(({ label, url }) => `[${label}](${url})`)
  const more = links.length === 0 ? '' : `\n\n${links.join(' · ')}`
  return {
    attachments: [
      {
        fallback: within(title, MAX.title),
        color: COLOURS[severity],
        title: within(title, MAX.title),
        title_link: link,
        text: `${within(lines.join('\n'), MAX.text)}${more}`,
        fields: facts.slice(0, MAX.facts).map(({ label, value }) => ({
          short: true,
          title: within(label, MAX.value),
          value: within(value, MAX.value),
        })),
      },
    ],
  }
}

/** Escapes a text, and truncates it to the length that fits. */
function within(text: string, max: number): string {
  return cutEscaped(text, max, (part) => withoutMentions(part.split('\n').map(escapeMarkdown).join('\n')))
}
