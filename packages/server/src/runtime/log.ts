// The log: JSON lines on standard error, so that standard output stays free for what a command prints.
import { destination, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** Credentials are cut out wherever an object that is logged carries them under these names. */
const REDACTED = ['authorization', 'token', 'api_key', 'password', 'webhook_secret']

export function createLog(level: string): Log {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  return pino(
    { level, redact: paths, serializers: { err: describeError, path: withoutTokens } },
    destination({ dest: 2, sync: true }),
  )
}

/** A path may end in the secret that makes it work, as that of a heartbeat does. */
export function withoutTokens(path: string): string {
  return path.replace(/dogwatch_([a-z]+)_[0-9A-Za-z]+/g, 'dogwatch_$1_...')
}

export const silentLog: Log = pino({ level: 'silent' })

/** What tells the cause, and not whatever objects hang on an error: the driver's carries its whole connection. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown }
  return { name, message, code, constraint, table, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}
