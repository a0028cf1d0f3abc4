// Writes the log as JSON lines, or as text on a terminal. Writes to standard error, because standard output is for the
// results of commands.
import { type LogFormat, logFormat, textLog } from '@dogwatch/check-rules/log-text'
import { type DestinationStream, destination, type Logger, pino } from 'pino'
import type { Clock } from './clock.ts'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** Field names of credentials, which are removed from all logged objects. */
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

/** Opens standard error for a log. Text is made from the JSON after the removal of secrets. */
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

// Clients choose much of the text that these patterns are applied to, so each pattern must take linear time.
// test/hostile/regular-expressions.test.ts checks that.
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // A path can end in a secret, such as that of a heartbeat.
  [/dogwatch_([a-z]+)_[0-9A-Za-z]+/g, 'dogwatch_$1_...'],
  [/(:\/\/[^\s:/@]*):[^\s/]*@/g, '$1:...@'],
  [/\bpassword=(?:'[^']*'|[^\s&'"]+)/gi, 'password=...'],
  [/\bBearer +\S+/gi, 'Bearer ...'],
]

/** Maximum length of a text in the log, in characters. A stack trace fits. */
const MAX_TEXT = 8_192

/** Returns the beginning of a text, without Dogwatch tokens, passwords in URLs and other credentials. */
export function withoutSecrets(text: string): string {
  const start = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}... (${text.length} characters)` : text
  return SECRETS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), start)
}

export const silentLog: Log = pino({ level: 'silent' })

/**
 * Returns an error and its causes for the log, without the attached objects, because those of the database driver contain the
 * whole connection.
 */
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

/** Logs a frequent event at once, and then at most once per period, with the number of events since the last log line. */
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
