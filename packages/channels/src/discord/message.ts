// Formats a message for Discord: one embed, which mentions no one.
import { ACKNOWLEDGE, type Link, type Message } from '../channel.ts'
import { escapeMarkdown } from '../markdown.ts'
import { COLOURS, cutEscaped } from '../wording.ts'

// Discord's own limits. All texts of a message together have at most 6000 characters.
const MAX = { title: 256, description: 2400, name: 100, value: 300, fields: 8, link: 1000 } as const

export function discordBody({ severity, title, lines, facts, link, acknowledge, acknowledgements = [] }: Message) {
  return {
    embeds: [
      {
        title: within(title, MAX.title),
        url: link,
        description: within(lines.join('\n'), MAX.description),
        color: Number(COLOURS[severity].replace('#', '0x')),
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
  return cutEscaped(text, max, (part) => part.split('\n').map(escapeMarkdown).join('\n').replaceAll('<', '\\<'))
}
