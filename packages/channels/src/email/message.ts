// Formats a message as an email: text, and HTML with the same content.
import { MACHINE_HEADERS } from '@dogwatch/runtime/mail'
import { acknowledgeLines, type Dispatch, linksOf, type Message } from '../channel.ts'
import { COLOURS, oneLine } from '../wording.ts'

export function mailOf({ webhook_id, message, sent_at, destination, data }: Dispatch<'email'>, from: string) {
  // An object, because a comma in a text would split one address into two.
  const to = { name: '', address: oneLine(destination.email) }
  const host = /@([^\s@<>]+)>?\s*$/.exec(from)?.[1] ?? 'dogwatch.invalid'
  const { incident_id } = data as { incident_id?: unknown }
  return {
    from,
    to,
    subject: message.title,
    text: textOf(message),
    html: htmlOf(message),
    date: sent_at,
    messageId: `<${webhook_id}@${host}>`,
    // All messages of one incident form one conversation.
    ...(typeof incident_id === 'string' && { references: `<incident_${incident_id}@${host}>` }),
    headers: MACHINE_HEADERS,
  }
}

function textOf(message: Message): string {
  const { lines, facts, link } = message
  const width = Math.max(0, ...facts.map(({ label }) => label.length)) + 1
  const rows = facts.map(({ label, value }) => `${`${label}:`.padEnd(width)} ${value}`)
  return [
    ...lines,
    '',
    ...(rows.length > 0 ? [...rows, ''] : []),
    `Open in Dogwatch: ${link}`,
    ...acknowledgeLines(message),
    '',
  ].join('\n')
}

function htmlOf(message: Message): string {
  const { title, lines, facts, severity } = message
  const links = linksOf(message).map(({ label, url }) => `<a href="${escape(url)}">${label}</a>`)
  const paragraphs = lines.map((line) => `<p style="margin:0 0 8px">${escape(line)}</p>`)
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#667085;vertical-align:top">${escape(label)}</td>` +
      `<td style="padding:2px 0">${escape(value)}</td></tr>`,
  )
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title></head>`,
    '<body style="font:15px/1.5 system-ui,sans-serif;color:#101828">',
    `<h1 style="font-size:18px;color:${COLOURS[severity]}">${escape(title)}</h1>`,
    ...paragraphs,
    ...(rows.length > 0 ? ['<table style="border-collapse:collapse;margin:16px 0">', ...rows, '</table>'] : []),
    `<p style="margin:16px 0 0;color:#667085">${links.join(' &middot; ')}</p>`,
    '</body></html>',
    '',
  ].join('\n')
}

function escape(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
