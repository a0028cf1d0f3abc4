// Formats a message for Teams: an Adaptive Card. Its texts are runs, in which no character has a special meaning.
import { type Link, linksOf, type Message } from '../channel.ts'
import { cutBy, lengthOf } from '../wording.ts'

const COLOUR: Readonly<Record<Message['severity'], string>> = {
  down: 'attention',
  reminder: 'attention',
  warning: 'warning',
  up: 'good',
  info: 'accent',
}
// Teams refuses a message of more than 28 KiB. A character can need four bytes, or six if JSON escapes it.
const MAX = { title: 300, text: 2400, facts: 8, label: 60, value: 300, link: 2000 } as const

export function teamsBody(message: Message) {
  const { acknowledgements = [], ...rest } = message
  const { severity, title, lines, facts } = rest
  const shown = facts.slice(0, MAX.facts)
  const texts = cut(lines.join('\n'), MAX.text).split('\n')
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            block([{ ...run(cut(title, MAX.title)), size: 'large', weight: 'bolder', color: COLOUR[severity] }]),
            ...texts.map((line) => block([run(line)])),
            ...shown.map(({ label, value }) =>
              block([{ ...run(`${cut(label, MAX.label)}: `), weight: 'bolder' }, run(cut(value, MAX.value))]),
            ),
            // Teams shows at most six buttons of a card, so the links of a group are text.
            ...(acknowledgements.length > 0 ? [block(acknowledgements.map(linkRun))] : []),
          ],
          actions: linksOf(rest).map(open),
        },
      },
    ],
  }
}

function open({ label, url }: Link) {
  return { type: 'Action.OpenUrl', title: label, url: url.slice(0, MAX.link) }
}

function linkRun(link: Link) {
  return { ...run(`${link.label}  `), selectAction: open(link) }
}

function block(inlines: readonly object[]) {
  return { type: 'RichTextBlock', inlines }
}

function run(text: string) {
  return { type: 'TextRun', text }
}

function cut(text: string, max: number): string {
  return cutBy(text, max, lengthOf)
}
