// Converts times of day between what people type and what fields show, by a clock of 12 or 24 hours.
import type { Times } from '../times.ts'

const TWELVE = /(\d{1,2})(?::([0-5]\d))? ?([ap])m$/i
const SHORT = /(^|[ T])(\d:[0-5]\d)$/
const FULL = /(^|[ T])([01]\d|2[0-3]):([0-5]\d)$/

/**
 * Converts the time of day at the end of a text to the 24-hour clock: `10:00 pm` and `9:30` become `22:00` and `09:30`. Returns
 * any other text unchanged.
 */
export function in24Hours(text: string): string {
  const match = TWELVE.exec(text)
  if (!match) return text.replace(SHORT, '$10$2')
  const [, hour = '', minute = '00', half = ''] = match
  const before = text.slice(0, match.index)
  if (Number(hour) < 1 || Number(hour) > 12 || !/(^|[ T])$/.test(before)) return text
  const full = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return `${before}${String(full).padStart(2, '0')}:${minute}`
}

/**
 * Converts the time of day at the end of a text to a person's clock: `22:00`, or `10:00 pm`. Returns any other text unchanged.
 */
export function byClock(text: string, { hours }: Pick<Times, 'hours'>): string {
  if (hours === 24) return text
  return text.replace(FULL, (_, before: string, hour: string, minute: string) => {
    return `${before}${Number(hour) % 12 || 12}:${minute} ${Number(hour) < 12 ? 'am' : 'pm'}`
  })
}

const DAY_TIME = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d$/
const DAY = /^\d{4}-\d\d-\d\d$/

/**
 * Returns an input for a day and a time, which the browser shows in the format of its user. Uses a text input for values that the
 * browser would reject, so that no typed text is lost.
 */
export function dayTimeInput(typed: string): { type: 'datetime-local' | 'text'; value: string } {
  const text = in24Hours(typed)
  if (text === '' || DAY_TIME.test(text)) return { type: 'datetime-local', value: text.replace(' ', 'T') }
  return { type: 'text', value: typed }
}

/** Returns an input for a day alone. Otherwise like {@link dayTimeInput}. */
export function dayInput(typed: string): { type: 'date' | 'text'; value: string } {
  return { type: typed === '' || DAY.test(typed) ? 'date' : 'text', value: typed }
}
