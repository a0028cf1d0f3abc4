// The log: JSON lines on standard error, without a secret and without anything of a definition.
import { destination, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

const REDACTED = ['token', 'api_key', 'authorization', 'url', 'headers', 'post_data', 'match_string']

export function createLog(level: string): Log {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`])
  const base = null
  return pino({ level, base, redact: paths, messageKey: 'event' }, destination({ dest: 2, sync: true }))
}

export interface LogEvent {
  event: string
  [fact: string]: unknown
}

/** Logs an event under its name. */
export function say(log: Log, level: keyof Log, { event, ...facts }: LogEvent): void {
  log[level](facts, event)
}
