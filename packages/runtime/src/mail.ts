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

/** Sender of an email, for its position in the queue. Kinds of email take turns, and the senders of one kind take turns. */
export interface Behalf {
  kind: 'reset' | 'sign-up' | 'invitation' | 'notice' | 'report'
  /** Id of an organisation, or network of a visitor who is not signed in. */
  sender: string
}

export interface Mailer {
  /**
   * Sends an email when it is the sender's turn. Rejects if the wait takes longer than `wait_ms`, if too many emails are waiting,
   * or if the server does not accept the email within `MAIL_MS`.
   */
  send(mail: Mail, behalf: Behalf, wait_ms?: number): Promise<void>
  close(): void
}

/** Maximum duration of sending one email, in milliseconds. */
export const MAIL_MS = 15_000
const CONNECT_MS = 10_000
/** Maximum number of connections to one server. They stay open for later emails. */
export const MAIL_CONNECTIONS = 5

/**
 * Default maximum wait of an email that no user is waiting for, in milliseconds. It is shorter than the time until links in emails
 * expire.
 */
const WAIT_MS = 10 * 60_000
const QUEUE = {
  at_once: MAIL_CONNECTIONS,
  of_group: MAIL_CONNECTIONS - 1,
  of_client: 2,
  waiting: 500,
  waiting_of_client: 20,
}

/** Headers that mark an email as automatic, so that programs do not reply to it. */
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
    // Does not retry by itself, because an email might have arrived although sending it failed. The caller decides.
    maxRequeues: 0,
    // Shorter than the timeout of an email, so that an unreachable server has another error than a slow one.
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: MAIL_MS,
    // An email contains text that users typed, so nodemailer must not read files or URLs that the text names.
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
    // An object, because nodemailer would split a text with a comma into two addresses.
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

/** Whether an error says that an email waited in the queue and was never sent. */
export function isQueueFault(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return code === 'MAIL_QUEUE_FULL' || code === 'MAIL_TOO_LATE'
}

/**
 * Whether a failed email was certainly not accepted by the server and can be sent again: it was never sent, there was no
 * connection, or the server refused it temporarily.
 */
export function isUnsent(error: unknown): boolean {
  const { code, command, responseCode } = (error ?? {}) as { code?: unknown; command?: unknown; responseCode?: unknown }
  if (isQueueFault(error) || command === 'CONN' || code === 'EDNS' || code === 'ETLS' || code === 'EAUTH') return true
  return typeof responseCode === 'number' && responseCode >= 400 && responseCode < 500
}
