// Reads and writes durations as people do: `90 s`, `5 min`, `1 h 30 min`.
import { interval, UNITS } from '@dogwatch/channels/wording'
import { FieldError } from '@dogwatch/domain/errors'

const PART = /(\d{1,9})\s*(?:(d|h|min|m|s)\s*)?/y

/** Writes a duration in as many units as necessary, for a field that {@link readDuration} reads. */
export function duration(sec: number): string {
  let rest = sec
  const words: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) words.push(`${count} ${unit}`)
  }
  return words.length === 0 ? '0 s' : words.join(' ')
}

/** Writes an interval for a sentence, after "every": `day`, `hour`, `1 h 30 min`. */
export function intervalText(sec: number): string {
  return interval(sec, duration)
}

/** Reads a duration as {@link duration} writes it. A bare number is seconds, and an empty text is 0. */
export function readDuration(name: string, text: string): number {
  const given = text.trim().toLowerCase()
  let sec = 0
  let at = 0
  while (at < given.length) {
    PART.lastIndex = at
    const [whole, count, unit = 's'] = PART.exec(given) ?? []
    if (whole === undefined)
      throw new FieldError('invalid', name, 'must be a duration, such as 90 s, 5 min, 1 h or 1 d')
    sec += Number(count) * (UNITS.find(([known]) => known === (unit === 'm' ? 'min' : unit))?.[1] ?? 1)
    at = PART.lastIndex
  }
  return sec
}
