// Sends mail through the configured server.
import { createTransport } from 'nodemailer'
import { withEncryptedLogin } from './mail-login.ts'
import { type Behalf, isQueueFault, MailQueue } from './mail-queue.ts'

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
  /** Besides those that every mail has. */
  headers?: Readonly<Record<string, string>>
}

export interface Mailer {
  /**
   * Waits for a connection, for at most `wait_ms`; senders take turns. Rejects when that took too long, when too much waits
   * already, or when the server did not accept it within `MAIL_MS`.
   */
  send(mail: Mail, behalf: Behalf, wait_ms?: number): Promise<void>
  close(): void
}

/** How long one mail may take in all. */
export const MAIL_MS = 15_000
const CONNECT_MS = 10_000
/** Connections to one server; they stay open for later mails. */
export const MAIL_CONNECTIONS = 5

/** Mails that nobody watches wait for at most this long: their links work for longer. */
const WAIT_MS = 10 * 60_000
const QUEUE = {
  at_once: MAIL_CONNECTIONS,
  of_kind: MAIL_CONNECTIONS - 1,
  of_sender: 2,
  waiting: 500,
  waiting_of_sender: 20,
}

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
  const queue = new MailQueue(QUEUE)
  const sendNow = async ({ to, subject, text, headers }: Mail): Promise<void> => {
    // An object, because in a text a comma would make two addresses of one.
    const address = { name: '', address: to }
    const signal = AbortSignal.timeout(MAIL_MS)
    const all = { ...headers, ...MACHINE_HEADERS }
    await transport.sendMail({ from: mail_from, to: address, subject, text, headers: all, signal })
  }
  return {
    send: (mail, behalf, wait_ms = WAIT_MS) => queue.run(behalf, wait_ms, () => sendNow(mail)),
    close: () => {
      queue.close()
      transport.close()
    },
  }
}

/**
 * Whether a mail that could not be sent was certainly not taken: it was not tried, there was no connection, or the server said no for
 * now. False when it may have been taken, and when it is refused for good.
 */
export function isUnsent(error: unknown): boolean {
  const { code, command, responseCode } = (error ?? {}) as { code?: unknown; command?: unknown; responseCode?: unknown }
  if (isQueueFault(error) || command === 'CONN' || code === 'EDNS' || code === 'ETLS' || code === 'EAUTH') return true
  return typeof responseCode === 'number' && responseCode >= 400 && responseCode < 500
}
