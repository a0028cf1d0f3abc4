// Reads and formats RFC 3339 date-times as text. Never converts them to a JS Date, which would drop the microseconds.

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))$/
const PLAIN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(?:\.\d{1,6})?Z$/
/** Length of a text with six digits. */
const SIX_DIGITS = 'YYYY-MM-DDTHH:MM:SS.ffffffZ'.length
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * Whether a text is an RFC 3339 date-time that Postgres can store: any offset, any fraction, T and Z in either case, a real
 * calendar day, years 0001 to 9999. Accepts a leap second at 23:59:60 UTC.
 */
export function isDateTime(text: string): boolean {
  const match = SHAPE.exec(text)
  if (!match) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const offset = offsetMinutes(match)
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false
  if (hour > 23 || minute > 59 || second > 60 || offset === undefined) return false
  if (second === 60 && (((hour * 60 + minute - offset) % 1440) + 1440) % 1440 !== 1439) return false
  // Checks years 1 and 9999 further, because an offset or leap second can move their first or last day out of the
  // range.
  if (year > 1 && year < 9999) return true
  const inUtc = toUtc(match).getUTCFullYear()
  return inUtc >= 1 && inUtc <= 9999
}

/**
 * Returns the instant in UTC, cut after six digits, because Postgres would round, and refuses offsets of sixteen hours and
 * fractions of leap seconds. The caller must pass a text that isDateTime accepted.
 */
export function toMicroseconds(text: string): string {
  if (PLAIN.test(text)) return text
  const match = SHAPE.exec(text)
  if (!match) throw new Error('not a date-time')
  const fraction = (match[7] ?? '').slice(0, 6)
  return toUtc(match)
    .toISOString()
    .replace('.000Z', fraction === '' ? 'Z' : `.${fraction}Z`)
}

/** Returns `YYYY-MM-DDTHH:MM:SS.ffffffZ` for any text that isDateTime has accepted. */
export function withSixDigits(text: string): string {
  const cut = toMicroseconds(text)
  if (cut.length === SIX_DIGITS) return cut
  const [seconds = '', fraction = ''] = cut.slice(0, -1).split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}

/** Moves a date-time with six digits by whole milliseconds. The result must be within the years 0001 to 9999. */
export function shifted(text: string, by_ms: number): string {
  const microseconds = text.slice(-'fffZ'.length)
  return new Date(Date.parse(text) + by_ms).toISOString().replace('Z', microseconds)
}

/** Returns `YYYY-MM-DDTHH:MM:SS.ffffffZ` for an instant of our own clock. */
export function fromDate(date: Date): string {
  return date.toISOString().replace('Z', '000Z')
}

/** Returns the whole second of a date-time. For a leap second, returns the first second of the next minute. */
function toUtc(match: RegExpExecArray): Date {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute - (offsetMinutes(match) ?? 0), second)
  return date
}

function offsetMinutes(match: RegExpExecArray): number | undefined {
  if (match[8] !== undefined) return 0
  const hours = Number(match[10])
  const minutes = Number(match[11])
  if (hours > 23 || minutes > 59) return undefined
  return (match[9] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)
}
