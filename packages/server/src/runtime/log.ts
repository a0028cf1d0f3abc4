// The log: JSON lines on standard error, so that standard output stays free for what a command prints.
import { destination, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** Credentials are cut out wherever an object that is logged carries them under these names. */
const REDACTED = ['authorization', 'token', 'api_key', 'password', 'webhook_secret']

export function createLog(level: string): Log {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  return pino({ level, redact: paths }, destination({ dest: 2, sync: true }))
}

export const silentLog: Log = pino({ level: 'silent' })
