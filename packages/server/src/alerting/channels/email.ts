// Mail by SMTP: text and HTML of the same message.
import { MACHINE_HEADERS, MAIL_CONNECTIONS, MAIL_MS, type MailSettings, openMailTransport } from '../../runtime/mail.ts'
import { oneLine } from '../wording.ts'
import { faultWords } from '../fault.ts'
import type { Message } from '../message.ts'
import { secretsOf, withoutSecrets } from '../secrets.ts'
import type { Channel, Dispatch, Outcome } from './channel.ts'

const COLOUR: Readonly<Record<Message['severity'], string>> = {
  down: '#b42318',
  reminder: '#b42318',
  warning: '#b54708',
  up: '#067647',
  info: '#175cd3',
}

export function emailChannel({ smtp_url, mail_from, ...settings }: MailSettings): Channel {
  const missing = Object.entries({ SMTP_URL: smtp_url, MAIL_FROM: mail_from }).flatMap(([name, value]) =>
    value === undefined ? [name] : [],
  )
  if (smtp_url === undefined || mail_from === undefined) {
    const reason = `email cannot be sent: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set`
    return { send: async () => ({ kind: 'wait', reason }) }
  }
  const secrets = secretsOf(smtp_url)
  const transport = openMailTransport({ ...settings, smtp_url })
  return {
    send: async (dispatch) => {
      const deadline = AbortSignal.timeout(MAIL_MS)
      try {
        const { response } = await transport.sendMail({ ...mailOf(dispatch, mail_from), signal: deadline })
        const status = statusOf(response)
        return { kind: 'delivered', ...(status !== undefined && { status }) }
      } catch (error) {
        return withoutSecrets(failure(error, deadline.aborted), secrets)
      }
    },
    at_once: MAIL_CONNECTIONS,
    close: () => transport.close(),
  }
}

function mailOf({ webhook_id, message, sent_at, destination, data }: Dispatch, from: string) {
  // As an object, and not as text in which a comma would make two addresses of one.
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
    // All messages of one incident make one conversation.
    ...(typeof incident_id === 'string' && { references: `<incident_${incident_id}@${host}>` }),
    headers: MACHINE_HEADERS,
  }
}

function textOf({ lines, facts, link }: Message): string {
  const width = Math.max(0, ...facts.map(({ label }) => label.length)) + 1
  const rows = facts.map(({ label, value }) => `${`${label}:`.padEnd(width)} ${value}`)
  return [...lines, '', ...(rows.length > 0 ? [...rows, ''] : []), `Dogwatch: ${link}`, ''].join('\n')
}

function htmlOf({ title, lines, facts, link, severity }: Message): string {
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
    `<h1 style="font-size:18px;color:${COLOUR[severity]}">${escape(title)}</h1>`,
    ...paragraphs,
    ...(rows.length > 0 ? ['<table style="border-collapse:collapse;margin:16px 0">', ...rows, '</table>'] : []),
    `<p style="margin:16px 0 0;color:#667085"><a href="${escape(link)}">Open Dogwatch</a></p>`,
    '</body></html>',
    '',
  ].join('\n')
}

function escape(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

function statusOf(response: string): number | undefined {
  const [code] = /^\d{3}/.exec(response) ?? []
  return code === undefined ? undefined : Number(code)
}

/** As nodemailer says it, and we do. */
const NO_STARTTLS = {
  message: 'Error upgrading connection with STARTTLS',
  told: 'the mail server offers no encryption (STARTTLS), so the login was not sent',
}

/** What the server said is told, but not about a login: it may repeat what it was given. */
function failure(error: unknown, timedOut: boolean): Outcome {
  if (timedOut) return { kind: 'retry', reason: `smtp: no answer within ${MAIL_MS / 1000} s` }
  const { code, responseCode, message } = error as { code?: unknown; responseCode?: unknown; message?: unknown }
  const status = typeof responseCode === 'number' ? { status: responseCode } : {}
  if (code === 'EAUTH') return { kind: 'retry', reason: 'smtp: the login was refused', ...status, is_ours: true }
  return {
    kind: 'retry',
    reason: `smtp: ${String(message).startsWith(NO_STARTTLS.message) ? NO_STARTTLS.told : faultWords(error)}`,
    ...status,
    ...(isBeforeMail(error) && { is_ours: true as const }),
  }
}

/**
 * Whether the mail server was not ready for any mail: it is the operator's, so the trouble is ours. What breaks later may be about this
 * one mail, which may even have been taken: such attempts are counted, so that it is not sent for ever.
 */
function isBeforeMail(error: unknown): boolean {
  const { code, syscall, message = '' } = error as { code?: string; syscall?: string; message?: string }
  return (
    code === 'EDNS' ||
    code === 'ETLS' ||
    /^(?:connect|getaddrinfo|query)/.test(syscall ?? '') ||
    /^(?:Connection timeout|Greeting never received|Invalid greeting)/.test(message)
  )
}
