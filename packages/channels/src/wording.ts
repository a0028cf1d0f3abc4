// Formats words for people: external text on one line, times, durations, percentages, numbers, lists. No other file
// does this.
import type { Message } from './channel.ts'

// Bidirectional overrides would reverse the rest of the line.
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu
/** Units of a duration, the largest first, in seconds. */
export const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** Returns an external text on one line, without control characters. */
export function oneLine(text: string, max = 300): string {
  return cut(text.toWellFormed().replaceAll(UNSHOWABLE, ' ').replaceAll(/ {2,}/g, ' ').trim(), max)
}

/** Truncates a text to `max` code points and appends an ellipsis if it was cut. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  // A character takes at most two units, so this slice has at least one character more than `max` if the text is too long.
  const characters = Array.from(text.slice(0, 2 * max + 2))
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}

/** Truncates a text to `max` units of `size`, which measures a text, and appends an ellipsis if it was cut. */
export function cutBy(text: string, max: number, size: (text: string) => number): string {
  if (size(text) <= max) return text
  let kept = ''
  let left = max - size('…')
  for (const character of text) {
    left -= size(character)
    if (left < 0) break
    kept += character
  }
  return `${kept}…`
}

/** Formats a timestamp as `2026-11-20 12:00:05 UTC`. */
export function time(timestamp: string): string {
  return `${new Date(timestamp).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Formats a duration in its two largest units: `2 d 3 h`, `5 min`, `40 s`. */
export function duration(sec: number): string {
  const whole = Math.max(0, Math.round(sec))
  const first = UNITS.findIndex(([, size]) => whole >= size)
  if (first === -1) return '0 s'
  let rest = whole
  const parts: string[] = []
  for (const [name, size] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${name}`)
  }
  return parts.join(' ')
}

/** Units without a number, by their seconds. */
const UNITS_ALONE: ReadonlyMap<number, string> = new Map([
  [60, 'minute'],
  [3600, 'hour'],
  [86_400, 'day'],
])

/** Formats an interval for a sentence, after "every": `day`, `hour`, `5 min`. `format` formats other durations. */
export function interval(sec: number, format: (sec: number) => string = duration): string {
  return UNITS_ALONE.get(sec) ?? format(sec)
}

/** Formats a list as `a, b and 3 more`. */
export function list(names: readonly string[], max = 10): string {
  if (names.length <= max) return names.join(', ')
  return `${names.slice(0, max).join(', ')} and ${names.length - max} more`
}

const NUMBERS = new Intl.NumberFormat('en-GB')

/** Formats a number as `1,204`. */
export function numberText(number: number): string {
  return NUMBERS.format(number)
}

/** Formats a percentage as `99.95%`, or a dash without data. */
export function percentText(share: number | null): string {
  return share === null ? '–' : `${share}%`
}

/** Formats a count as `1 check` or `1,204 checks`. */
export function count(number: number, thing: string): string {
  return `${numberText(number)} ${thing}${number === 1 ? '' : 's'}`
}

/** Returns a text that mentions no one in a chat, because a zero-width character follows each @. */
export function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200B')
}

/**
 * Returns the length as JavaScript, Java and most documented limits count it. It is never shorter than the number of characters.
 */
export function lengthOf(text: string): number {
  return text.length
}

const EMOJI: Readonly<Record<Message['severity'], string>> = {
  down: '🔴',
  reminder: '🔴',
  warning: '🟠',
  up: '🟢',
  info: '🔵',
}

/** Returns the colour of a message as an emoji, for chats without colours. */
export function emojiOf(severity: Message['severity']): string {
  return EMOJI[severity]
}

/** Colours of messages, such as `#b42318`. */
export const COLOURS: Readonly<Record<Message['severity'], string>> = {
  down: '#b42318',
  reminder: '#b42318',
  warning: '#b54708',
  up: '#067647',
  info: '#175cd3',
}

/** Escapes the three characters that have a meaning in the text of XML, and in Slack. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Escapes a text for HTML. The result can be the value of an attribute. */
export function escapeHtml(text: string): string {
  return escapeXml(text).replaceAll('"', '&quot;')
}

/** Truncates a text so that it has at most `max` UTF-16 code units after escaping, and returns the escaped text. */
export function cutEscaped(text: string, max: number, escape: (text: string) => string): string {
  return escape(cutBy(text, max, (part) => escape(part).length))
}
