// Writes the log to standard error, as JSON lines or as text on a terminal, without secrets and without content of definitions.
import { type LogFormat, logFormat, textLog } from '@dogwatch/check-rules/log-text'
import { destination, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

const REDACTED = ['token', 'api_key', 'authorization', 'url', 'headers', 'post_data', 'match_string']

export function createLog(level: string, format?: LogFormat): Log {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`])
  const base = null
  const stderr = destination({ dest: 2, sync: true })
  const to = logFormat(format, process.stderr.isTTY) === 'text' ? textLog(stderr) : stderr
  return pino({ level, base, redact: paths, messageKey: 'event' }, to)
}

export interface LogEvent {
  event: string
  [fact: string]: unknown
}

/** Logs an event at a level. The event's name is the message. */
export function say(log: Log, level: keyof Log, { event, ...facts }: LogEvent): void {
  log[level](facts, event)
}
