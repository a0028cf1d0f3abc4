// Sending by SMTP.
import { MAIL_CONNECTIONS, MAIL_MS, type MailSettings, openMailTransport } from '../../runtime/mail.ts'
import { hasOpenLogin } from '../../runtime/mail-login.ts'
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

/** The beginning of what nodemailer says when a server does not answer STARTTLS with yes. */
const NO_STARTTLS = 'Error upgrading connection with STARTTLS'

/** Says what became of the encryption that a server was asked for. A code from 400 to 499 means "not now". */
function encryptionWords(smtp_url: string, code: unknown): string {
  const isTemporary = typeof code === 'number' && code >= 400 && code < 500
  const refused = isTemporary
    ? `the mail server cannot encrypt at the moment (STARTTLS: ${code})`
    : 'the mail server offers no encryption (STARTTLS)'
  return `${refused}, so the ${hasOpenLogin(smtp_url) ? 'login' : 'mail'} was not sent`
}

/** What the server said is told, but not about a login: it may repeat what it was given. */
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
