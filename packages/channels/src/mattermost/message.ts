// Formats a message for Mattermost: one attachment, which mentions no one.
import { acknowledgeLinks, type Message } from '../channel.ts'
import { escapeMarkdown } from '../markdown.ts'
import { cutBy, lengthOf, withoutMentions } from '../wording.ts'

const COLOUR: Readonly<Record<Message['severity'], string>> = {
  down: '#b42318',
  reminder: '#b42318',
  warning: '#b54708',
  up: '#067647',
  info: '#175cd3',
}
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
        color: COLOUR[severity],
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
  const escaped = (part: string) => withoutMentions(part.split('\n').map(escapeMarkdown).join('\n'))
  return escaped(text).length <= max ? escaped(text) : escaped(cutBy(text, max, (part) => lengthOf(escaped(part))))
}
