// The log: JSON lines, or text on a terminal, on standard error, because standard output is for the answers of commands.
import { type LogFormat, logFormat, textLog } from '@dogwatch/check-rules/log-text'
import { destination, type DestinationStream, type Logger, pino } from 'pino'
import type { Clock } from './clock.ts'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** Credentials are removed wherever a logged object has them under these names. */
const REDACTED = [
  'authorization',
  'Authorization',
  'cookie',
  'Cookie',
  '["set-cookie"]',
  '["Set-Cookie"]',
  'token',
  'api_key',
  'password',
  'webhook_secret',
  'destination',
  'headers',
  'post_data',
  'connectionString',
  'database_url',
]

/** Opens standard error for a log. The text is made of the JSON, so that it holds no secret that the JSON does not hold. */
export function standardError(format?: LogFormat): DestinationStream {
  const to = destination({ dest: 2, sync: true })
  return logFormat(format, process.stderr.isTTY) === 'text' ? textLog(to) : to
}

export function createLog(level: string, to: DestinationStream = standardError()): Log {
  const paths = REDACTED.flatMap((name) => {
    const below = name.startsWith('[') ? name : `.${name}`
    return [name, `*${below}`, `*.*${below}`]
  })
  return pino({ level, redact: paths, serializers: { err: describeError, path: withoutSecrets } }, to)
}

// Strangers choose much of the text that these patterns are applied to, so each must take linear time:
// test/hostile/regular-expressions.test.ts checks them.
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // A path may end in a secret, like a heartbeat's.
  [/dogwatch_([a-z]+)_[0-9A-Za-z]+/g, 'dogwatch_$1_...'],
  [/(:\/\/[^\s:/@]*):[^\s/]*@/g, '$1:...@'],
  [/\bpassword=(?:'[^']*'|[^\s&'"]+)/gi, 'password=...'],
  [/\bBearer +\S+/gi, 'Bearer ...'],
]

/** Longer texts are cut to this many characters before they are searched. A stack trace fits. */
const MAX_TEXT = 8_192

/** The beginning of a text, without our own tokens, passwords in urls and credentials. */
export function withoutSecrets(text: string): string {
  const start = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}... (${text.length} characters)` : text
  return SECRETS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), start)
}

export const silentLog: Log = pino({ level: 'silent' })

/** The cause of an error, without the objects attached to it: the database driver's contain its whole connection. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? withoutSecrets(error) : error
  const { name, message, stack = '', cause } = error
  const { code, constraint, table, errors } = error as Error &
    Partial<Record<'code' | 'constraint' | 'table' | 'errors', unknown>>
  return {
    name,
    message: withoutSecrets(message),
    code,
    constraint,
    table,
    stack: withoutSecrets(stack),
    ...(cause !== undefined && { cause: describeError(cause) }),
    ...(Array.isArray(errors) && { errors: errors.map(describeError) }),
  }
}

/** Logs something that may happen often: at once, and then at most once per period, with the number of times since. */
export class LogThrottle {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #every_ms: number
  #next = -Infinity
  #count = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>, every_ms: number) {
    this.#clock = clock
    this.#every_ms = every_ms
  }

  run(log: (count: number) => void): void {
    this.#count++
    const now = this.#clock.monotonicMs()
    if (now < this.#next) return
    this.#next = now + this.#every_ms
    const count = this.#count
    this.#count = 0
    log(count)
  }
}
