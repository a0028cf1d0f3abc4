// The log: JSON lines on standard error, so that standard output stays free for what a command prints.
import { destination, type DestinationStream, type Logger, pino } from 'pino'
import type { Clock } from './clock.ts'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** Credentials are cut out wherever an object that is logged carries them under these names. */
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
  'connectionString',
  'database_url',
]

export function createLog(level: string, to: DestinationStream = destination({ dest: 2, sync: true })): Log {
  const paths = REDACTED.flatMap((name) => {
    const below = name.startsWith('[') ? name : `.${name}`
    return [name, `*${below}`, `*.*${below}`]
  })
  return pino({ level, redact: paths, serializers: { err: describeError, path: withoutSecrets } }, to)
}

// Strangers choose much of what these patterns are run on, so each takes time in proportion to the text:
// test/hostile/regular-expressions.test.ts checks them.
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // A path may end in the secret that makes it work, as that of a heartbeat does.
  [/dogwatch_([a-z]+)_[0-9A-Za-z]+/g, 'dogwatch_$1_...'],
  [/(:\/\/[^\s:/@]*):[^\s/]*@/g, '$1:...@'],
  [/\bpassword=(?:'[^']*'|[^\s&'"]+)/gi, 'password=...'],
  [/\bBearer +\S+/gi, 'Bearer ...'],
]

/** Longer texts are cut to this many characters before anything is looked for in them. A stack trace fits. */
const MAX_TEXT = 8_192

/** The beginning of a text, with our own tokens, passwords in urls and credentials cut out. */
export function withoutSecrets(text: string): string {
  const start = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}... (${text.length} characters)` : text
  return SECRETS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), start)
}

export const silentLog: Log = pino({ level: 'silent' })

/** What tells the cause, and not whatever objects hang on an error: the driver's carries its whole connection. */
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

/** Tells of what may happen often: at once, and then no more often than that, with how many there were since. */
export class Seldom {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #every_ms: number
  #next = -Infinity
  #count = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>, every_ms: number) {
    this.#clock = clock
    this.#every_ms = every_ms
  }

  tell(say: (count: number) => void): void {
    this.#count++
    const now = this.#clock.monotonicMs()
    if (now < this.#next) return
    this.#next = now + this.#every_ms
    const count = this.#count
    this.#count = 0
    say(count)
  }
}
