// Formats a message for Google Chat: a card, in which only a few HTML tags have a meaning.
import { type Dispatch, linksOf } from '../channel.ts'
import { incidentOf } from '../incident-of.ts'
import { cutBy, emojiOf, escapeXml, lengthOf } from '../wording.ts'

// Google Chat accepts 32,000 bytes in all. A character needs at most three here, or six if it is escaped.
const MAX = { title: 250, text: 3000, facts: 8, label: 60, value: 250 } as const

export function googleChatBody(dispatch: Pick<Dispatch, 'message' | 'type' | 'data' | 'webhook_id'>) {
  const { severity, title, lines, facts } = dispatch.message
  const buttons = linksOf(dispatch.message).map(({ label, url }) => ({ text: label, onClick: { openLink: { url } } }))
  const head = `${emojiOf(severity)} ${cutBy(title, MAX.title, lengthOf)}`
  return {
    fallbackText: withoutTags(head),
    thread: { threadKey: incidentOf(dispatch).key },
    cardsV2: [
      {
        cardId: 'alert',
        card: {
          header: { title: head },
          sections: [
            {
              widgets: [
                { textParagraph: { text: within(lines.join('\n'), MAX.text).replaceAll('\n', '<br>') } },
                ...facts.slice(0, MAX.facts).map(({ label, value }) => ({
                  decoratedText: {
                    topLabel: cutBy(label, MAX.label, lengthOf),
                    text: within(value, MAX.value),
                    wrapText: true,
                  },
                })),
                { buttonList: { buttons } },
              ],
            },
          ],
        },
      },
    ],
  }
}

function within(text: string, max: number): string {
  return escapeXml(cutBy(text, max, lengthOf))
}

/** Replaces angle brackets, because `<users/all>` in a notification would mention everyone in the space. */
function withoutTags(text: string): string {
  return text.replaceAll('<', '‹').replaceAll('>', '›')
}
