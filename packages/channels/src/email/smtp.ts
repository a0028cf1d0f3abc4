// Sends email by SMTP.
import { MAIL_CONNECTIONS, MAIL_MS, type MailSettings, openMailTransport } from '@dogwatch/runtime/mail'
import { hasOpenLogin } from '@dogwatch/runtime/mail-login'
import type { Channel, Outcome } from '../channel.ts'
import { faultWords } from '../fault.ts'
import { secretsOf, withoutSecrets } from '../secrets.ts'
import { mailOf } from './message.ts'

export function emailChannel({ smtp_url, mail_from, ...settings }: MailSettings): Channel<'email'> {
  const missing = Object.entries({ SMTP_URL: smtp_url, MAIL_FROM: mail_from }).flatMap(([name, value]) =>
    value === undefined ? [name] : [],
  )
  if (smtp_url === undefined || mail_from === undefined) {
    const reason = `email is not set up: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set`
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
        return withoutSecrets(failure(error, deadline.aborted, smtp_url), secrets)
      }
    },
    at_once: MAIL_CONNECTIONS,
    close: () => transport.close(),
  }
}

function statusOf(response: string): number | undefined {
  const [code] = /^\d{3}/.exec(response) ?? []
  return code === undefined ? undefined : Number(code)
}

/** Beginning of nodemailer's message when a server refuses STARTTLS. */
const NO_STARTTLS = 'Error upgrading connection with STARTTLS'

/** Explains why the encryption with a server failed. A code from 400 to 499 means "not now". */
function encryptionWords(smtp_url: string, code: unknown): string {
  const isTemporary = typeof code === 'number' && code >= 400 && code < 500
  const refused = isTemporary
    ? `the mail server cannot encrypt at the moment (STARTTLS: ${code})`
    : 'the mail server offers no encryption (STARTTLS)'
  return `${refused}, so the ${hasOpenLogin(smtp_url) ? 'login' : 'email'} was not sent`
}

/**
 * Returns the outcome of a failure. It contains the server's response except for a login, because the response can repeat the
 * credentials.
 */
function failure(error: unknown, timedOut: boolean, smtp_url: string): Outcome {
  if (timedOut) return { kind: 'retry', reason: `SMTP: no response within ${MAIL_MS / 1000} s` }
  const { code, responseCode, message } = error as { code?: unknown; responseCode?: unknown; message?: unknown }
  const status = typeof responseCode === 'number' ? { status: responseCode } : {}
  if (code === 'EAUTH')
    return { kind: 'retry', reason: 'smtp: the server rejected the login', ...status, is_ours: true }
  const isUnencrypted = String(message).startsWith(NO_STARTTLS)
  return {
    kind: 'retry',
    reason: `smtp: ${isUnencrypted ? encryptionWords(smtp_url, responseCode) : faultWords(error)}`,
    ...status,
    ...(isBeforeMail(error) && { is_ours: true as const }),
  }
}

/**
 * Whether the mail server accepts no email at all, which is our fault because the operator runs it. Later failures can be about
 * this one email. They count as attempts, so that we do not retry for ever.
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
