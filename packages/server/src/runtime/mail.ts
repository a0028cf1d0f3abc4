// Sends mail through the configured server.
import { createTransport } from 'nodemailer'
import { withEncryptedLogin } from './mail-login.ts'

export interface MailSettings {
  /** May contain a login. */
  smtp_url: string | undefined
  mail_from: string | undefined
  /** Whether a password may be sent to a server that offers no encryption. */
  smtp_cleartext_login?: boolean
}

export interface Mail {
  /** One address. */
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Rejects when the server did not accept it within `MAIL_MS`. */
  send(mail: Mail): Promise<void>
  close(): void
}

/** How long one mail may take in all. */
export const MAIL_MS = 15_000
const CONNECT_MS = 10_000
/** Connections to one server; they stay open for later mails. */
export const MAIL_CONNECTIONS = 5

/** Tells recipients' programs that a machine sent this, and that nobody expects an answer. */
export const MACHINE_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' } as const

export function openMailTransport({
  smtp_url,
  smtp_cleartext_login = false,
}: {
  smtp_url: string
  smtp_cleartext_login?: boolean
}) {
  return createTransport({
    url: smtp_cleartext_login ? smtp_url : withEncryptedLogin(smtp_url),
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // A mail that broke midway may have arrived: the caller decides whether to send it again.
    maxRequeues: 0,
    // Shorter than the timeout of a mail, to distinguish a server that is away from one that is slow.
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: MAIL_MS,
    // A message contains text that people typed: it must never name a file or url to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Undefined when mail is not configured. */
export function createMailer({ smtp_url, mail_from, ...settings }: MailSettings): Mailer | undefined {
  if (smtp_url === undefined || mail_from === undefined) return undefined
  const transport = openMailTransport({ ...settings, smtp_url })
  return {
    send: async ({ to, subject, text }) => {
      // An object, because in a text a comma would make two addresses of one.
      const address = { name: '', address: to }
      const signal = AbortSignal.timeout(MAIL_MS)
      await transport.sendMail({ from: mail_from, to: address, subject, text, headers: MACHINE_HEADERS, signal })
    },
    close: () => transport.close(),
  }
}
