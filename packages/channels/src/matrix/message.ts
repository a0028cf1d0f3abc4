// Formats a message for Matrix: as text and as HTML, which mentions no one.
import { linkLines, linksOf, type Message } from '../channel.ts'
import { cut, emojiOf, escapeHtml } from '../wording.ts'

// A Matrix event has at most 65,536 bytes and contains the texts twice.
const MAX = { title: 500, line: 400, lines: 30, value: 500, facts: 10 } as const

export function matrixBody(message: Message) {
  const { severity, title, lines, facts } = message
  const head = `${emojiOf(severity)} ${cut(title, MAX.title)}`
  const rows = lines.slice(0, MAX.lines).map((line) => cut(line, MAX.line))
  const told = facts.slice(0, MAX.facts).map(({ label, value }) => `${label}: ${cut(value, MAX.value)}`)
  return {
    msgtype: 'm.text',
    body: [head, ...rows, ...told, ...linkLines(message)].join('\n'),
    format: 'org.matrix.custom.html',
    formatted_body: [
      `<strong>${escapeHtml(head)}</strong>`,
      ...rows.map(escapeHtml),
      ...told.map(escapeHtml),
      ...linksOf(message).map(({ label, url }) => `<a href="${escapeHtml(url)}">${label}</a>`),
    ].join('<br>'),
    'm.mentions': {},
  }
}
