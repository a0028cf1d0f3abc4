// Times and durations in words; the exact time is shown on hover.
import type { VNode } from 'preact'

const STEPS: readonly (readonly [sec: number, unit: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** `3 h 20 min`: the two largest units. */
export function span(sec: number): string {
  let rest = Math.max(0, Math.round(sec))
  const words: string[] = []
  for (const [size, unit] of STEPS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) words.push(`${count} ${unit}`)
    else if (words.length > 0) break
    if (words.length === 2) break
  }
  return words.length === 0 ? '0 s' : words.join(' ')
}

/** A time, relative to `now`. */
export function Ago({ at, now }: { at: string; now: Date }): VNode {
  const sec = (now.getTime() - Date.parse(at)) / 1000
  return (
    <time dateTime={at} title={at} data-relative>
      {sec < 0 ? `in ${span(-sec)}` : sec < 5 ? 'just now' : `${span(sec)} ago`}
    </time>
  )
}

/** How long something has lasted, without "ago". */
export function Since({ at, now }: { at: string; now: Date }): VNode {
  return (
    <time dateTime={at} title={at} data-relative>
      {span((now.getTime() - Date.parse(at)) / 1000)}
    </time>
  )
}
