// Words for people: other people's text on one line, times, durations, percentages, numbers, lists. The only home of each of them.
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

/** Other people's text on one line, without control characters. */
export function oneLine(text: string, max = 300): string {
  return cut(text.toWellFormed().replaceAll(UNSHOWABLE, ' ').replaceAll(/ {2,}/g, ' ').trim(), max)
}

/** At most this many characters (code points), with a mark where it was cut. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  // A character takes two units at most, so these hold one too many if the text does.
  const characters = Array.from(text.slice(0, 2 * max + 2))
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}

/** At most this many units of `size`, which measures a text, with a mark where it was cut. */
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

/** `2026-11-20 12:00:05 UTC` */
export function time(timestamp: string): string {
  return `${new Date(timestamp).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** The two largest units: `2 d 3 h`, `5 min`, `40 s`. */
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

/** `a, b and 3 more` */
export function list(names: readonly string[], max = 10): string {
  if (names.length <= max) return names.join(', ')
  return `${names.slice(0, max).join(', ')} and ${names.length - max} more`
}

const NUMBERS = new Intl.NumberFormat('en-GB')

/** `1,204` */
export function numberText(number: number): string {
  return NUMBERS.format(number)
}

/** `99.95%`. Without data there is no percentage. */
export function percentText(share: number | null): string {
  return share === null ? '–' : `${share}%`
}

/** `1 check`, `1,204 checks` */
export function count(number: number, thing: string): string {
  return `${numberText(number)} ${thing}${number === 1 ? '' : 's'}`
}

/** The text without what a chat would take for a mention of somebody: a character of no width stands behind each @. */
export function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200B')
}

/** Length as JavaScript, Java and most documented limits count it; never shorter than in characters. */
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

/** The colour of a message, for chats that have no colours of their own. */
export function emojiOf(severity: Message['severity']): string {
  return EMOJI[severity]
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
