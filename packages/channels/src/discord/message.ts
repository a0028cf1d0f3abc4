// Formats a message for Discord: one embed, which mentions no one.
import { ACKNOWLEDGE, type Link, type Message } from '../channel.ts'
import { escapeMarkdown } from '../markdown.ts'
import { cutBy, lengthOf } from '../wording.ts'

const COLOUR: Readonly<Record<Message['severity'], number>> = {
  down: 0xb4_23_18,
  reminder: 0xb4_23_18,
  warning: 0xb5_47_08,
  up: 0x06_76_47,
  info: 0x17_5c_d3,
}
// Discord's own limits. All texts of a message together have at most 6000 characters.
const MAX = { title: 256, description: 2400, name: 100, value: 300, fields: 8, link: 1000 } as const

export function discordBody({ severity, title, lines, facts, link, acknowledge, acknowledgements = [] }: Message) {
  return {
    embeds: [
      {
        title: within(title, MAX.title),
        url: link,
        description: within(lines.join('\n'), MAX.description),
        color: COLOUR[severity],
        fields: [
          ...facts.slice(0, MAX.fields).map(({ label, value }) => ({
            name: within(label, MAX.name),
            value: within(value, MAX.value) || '-',
          })),
          // Omits a link that is too long, because a truncated link would lead nowhere.
          ...(acknowledge !== undefined && acknowledge.length <= MAX.link
            ? [{ name: ACKNOWLEDGE, value: `[No sign-in needed](${acknowledge})` }]
            : []),
          ...fieldsOf(acknowledgements),
        ],
      },
    ],
    allowed_mentions: { parse: [] },
  }
}

/** Returns fields that contain the links of a group, as many in each as fit. */
function fieldsOf(links: readonly Link[]) {
  const values: string[] = []
  for (const { label, url } of links) {
    const text = `[${label}](${url})`
    const joined = [values.at(-1), text].filter((one) => one !== undefined).join(' · ')
    if (text.length > MAX.link) continue
    if (values.length > 0 && joined.length <= MAX.link) values[values.length - 1] = joined
    else values.push(text)
  }
  return values.map((value) => ({ name: ACKNOWLEDGE, value }))
}

/** Escapes a text, and truncates it to the length that fits. */
function within(text: string, max: number): string {
  // Escapes < as well, because mentions, emoji and times begin with it in Discord.
  const escaped = (part: string) => part.split('\n').map(escapeMarkdown).join('\n').replaceAll('<', '\\<')
  return escaped(text).length <= max ? escaped(text) : escaped(cutBy(text, max, (part) => lengthOf(escaped(part))))
}
