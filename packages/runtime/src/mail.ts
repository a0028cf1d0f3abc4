// Sends email through the configured server.
import { createTransport } from 'nodemailer'
import { FairQueue, QueueFault } from './fair-queue.ts'
import { withEncryptedLogin } from './mail-login.ts'

export interface MailSettings {
  /** URL of the mail server. Can contain a login. */
  smtp_url: string | undefined
  mail_from: string | undefined
  /** Whether a password may be sent to a server that offers no encryption. */
  smtp_cleartext_login?: boolean
}

export interface Mail {
  /** Address of the one recipient. */
  to: string
  subject: string
  text: string
  /** Headers in addition to those of every email. */
  headers?: Readonly<Record<string, string>>
}

/** The sender of an email, for the order of the queue. Kinds of email take turns, and within each its senders do. */
export interface Behalf {
  kind: 'reset' | 'sign-up' | 'invitation' | 'notice' | 'report'
  /** An organisation, or the network of a visitor who is not signed in. */
  sender: string
}

export interface Mailer {
  /**
   * Sends an email, with senders taking turns. Rejects if the wait takes longer than `wait_ms`, if too many emails wait already,
   * or if the server does not accept it within `MAIL_MS`.
   */
  send(mail: Mail, behalf: Behalf, wait_ms?: number): Promise<void>
  close(): void
}

/** Maximum duration of one email, in milliseconds. */
export const MAIL_MS = 15_000
const CONNECT_MS = 10_000
/** Maximum number of connections to one server. They stay open for later emails. */
export const MAIL_CONNECTIONS = 5

/** Default maximum wait of an email that no user is waiting for. It is shorter than the life of the links in emails. */
const WAIT_MS = 10 * 60_000
const QUEUE = {
  at_once: MAIL_CONNECTIONS,
  of_group: MAIL_CONNECTIONS - 1,
  of_client: 2,
  waiting: 500,
  waiting_of_client: 20,
}

/** Headers that mark an email as sent by a machine, without need for a reply. */
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
    // An email whose sending broke midway can have arrived, so the caller decides whether to send it again.
    maxRequeues: 0,
    // Shorter than the timeout of an email, to distinguish an unavailable server from a slow one.
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: MAIL_MS,
    // A message contains text that users typed, so it must never name a file or URL to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Creates a mailer. Returns undefined if email is not configured. */
export function createMailer({ smtp_url, mail_from, ...settings }: MailSettings): Mailer | undefined {
  if (smtp_url === undefined || mail_from === undefined) return undefined
  const transport = openMailTransport({ ...settings, smtp_url })
  const queue = new FairQueue(QUEUE)
  const sendNow = async ({ to, subject, text, headers }: Mail): Promise<void> => {
    // An object, because a comma in a text would split one address into two.
    const address = { name: '', address: to }
    const signal = AbortSignal.timeout(MAIL_MS)
    const all = { ...headers, ...MACHINE_HEADERS }
    await transport.sendMail({ from: mail_from, to: address, subject, text, headers: all, signal })
  }
  return {
    send: (mail, { kind, sender }, wait_ms = WAIT_MS) =>
      queue
        .run({ group: kind, client: sender }, () => sendNow(mail), { wait_ms })
        .catch((error: unknown) => {
          throw error instanceof QueueFault ? notAttempted(error) : error
        }),
    close: () => {
      queue.close()
      transport.close()
    },
  }
}

function notAttempted({ reason }: QueueFault): Error {
  return reason === 'late'
    ? Object.assign(new Error('the email waited too long to be sent'), { code: 'MAIL_TOO_LATE' })
    : Object.assign(new Error('too many emails are waiting'), { code: 'MAIL_QUEUE_FULL' })
}

/** Whether sending an email was not even attempted. */
export function isQueueFault(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return code === 'MAIL_QUEUE_FULL' || code === 'MAIL_TOO_LATE'
}

/**
 * Whether the server certainly did not accept an email that failed: it was not attempted, there was no connection, or the server
 * refused temporarily. Returns false if acceptance is possible, or the refusal is permanent.
 */
export function isUnsent(error: unknown): boolean {
  const { code, command, responseCode } = (error ?? {}) as { code?: unknown; command?: unknown; responseCode?: unknown }
  if (isQueueFault(error) || command === 'CONN' || code === 'EDNS' || code === 'ETLS' || code === 'EAUTH') return true
  return typeof responseCode === 'number' && responseCode >= 400 && responseCode < 500
}
