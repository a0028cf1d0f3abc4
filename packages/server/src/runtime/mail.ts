// The way to the mail server.
import { createTransport } from 'nodemailer'
import { withEncryptedLogin } from './mail-login.ts'

export interface MailSettings {
  /** May carry userinfo. */
  smtp_url: string | undefined
  mail_from: string | undefined
  /** Whether a password may go to a server that offers no encryption. */
  smtp_cleartext_login?: boolean
}

export interface Mail {
  /** One address. */
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Rejects when the server did not take it within `MAIL_MS`. */
  send(mail: Mail): Promise<void>
  close(): void
}

/** How long one mail may take, all in all. */
export const MAIL_MS = 15_000
const CONNECT_MS = 10_000
/** At once, to one server; they are kept open for what follows. */
export const MAIL_CONNECTIONS = 5

/** To tell people that it was a machine, and that nobody waits for an answer. */
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
    // What broke midway may have arrived: whether it goes again is for the sender to say.
    maxRequeues: 0,
    // Sooner than a mail is given up on, so that a server which is not there is told from one that is slow with a mail.
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: MAIL_MS,
    // A message holds what people typed: never a file or an address to read it from.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Undefined when mail is not set up. */
export function createMailer({ smtp_url, mail_from, ...settings }: MailSettings): Mailer | undefined {
  if (smtp_url === undefined || mail_from === undefined) return undefined
  const transport = openMailTransport({ ...settings, smtp_url })
  return {
    send: async ({ to, subject, text }) => {
      // As an object, and not as text in which a comma would make two addresses of one.
      const address = { name: '', address: to }
      const signal = AbortSignal.timeout(MAIL_MS)
      await transport.sendMail({ from: mail_from, to: address, subject, text, headers: MACHINE_HEADERS, signal })
    },
    close: () => transport.close(),
  }
}
