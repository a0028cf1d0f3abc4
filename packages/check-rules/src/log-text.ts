// Turns a line of a JSON log into a line for people who watch a terminal. Facts that the JSON omits stay omitted.

export const LOG_FORMATS = ['json', 'text'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

const LEVELS = new Map([
  [10, 'TRACE'],
  [20, 'DEBUG'],
  [30, 'INFO'],
  [40, 'WARN'],
  [50, 'ERROR'],
  [60, 'FATAL'],
])

/** Returns the format of a log: the one in the settings, or text on a terminal and JSON everywhere else. */
export function logFormat(given: LogFormat | undefined, isTTY: boolean | undefined): LogFormat {
  return given ?? (isTTY ? 'text' : 'json')
}

/** Wraps the stream of a log, so that the stream receives its lines as text. */
export function textLog(to: { write(line: string): unknown }): { write(line: string): void } {
  return { write: (line) => void to.write(logText(line)) }
}

/**
 * Formats a line of a pino log as time, level, message and `key=value` for each fact. A stack trace follows on separate lines.
 */
export function logText(line: string): string {
  const read = readLine(line)
  if (read === undefined) return line
  const { time, level, msg, event = msg ?? '', pid: _, hostname: __, err, ...facts } = read
  const said = typeof event === 'string' ? event.replaceAll('_', ' ') : JSON.stringify(event)
  const { stack, ...error } = typeof err === 'object' && err !== null ? (err as Record<string, unknown>) : { stack: '' }
  const head = [clock(time), (LEVELS.get(Number(level)) ?? String(level)).padEnd(5), harmless(said)]
  const words = [...pairs(facts), ...pairs(typeof err === 'object' ? error : { err })]
  const trace = typeof stack === 'string' ? stack.split('\n').slice(1) : []
  return `${[...head, ...words].join(' ').trimEnd()}\n${trace.map((at) => `  ${harmless(at)}\n`).join('')}`
}

function readLine(line: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(line)
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function clock(time: unknown): string {
  const at = new Date(Number(time))
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

function pairs(facts: Record<string, unknown>): string[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${harmless(name)}=${valueText(value)}`],
  )
}

/** Returns a single word unchanged, and anything else as JSON, which shows where it ends. */
function valueText(value: unknown): string {
  return harmless(typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value))
}

/** Escapes characters that a terminal obeys instead of showing them, because strangers choose parts of the log. */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`)
}
