// Draws a bar of days with a few strokes, because a page has thousands of days. Bad days are also described in words.
import type { PublicDay } from '@dogwatch/domain/status-page/status'
import { type DayTone, daysText, toneOf } from './wording.ts'

const HEIGHT = 10
/** Strokes of a bar: class, distance from the top, width in the stylesheet, and tones of the days that the stroke covers. */
const STROKES: readonly (readonly [name: DayTone, top: number, thickness: number, tones: readonly DayTone[]])[] = [
  // A low green stroke, which also covers the days with a red top.
  ['g', 3, 7, ['g', 'w']],
  ['w', 0, 4.5, ['w']],
  ['b', 0, 10, ['b']],
  ['n', 9, 1, ['n']],
]

export function DayBar({ name, days }: { name: string; days: readonly PublicDay[] }) {
  const tones = days.map(({ share }) => toneOf(share))
  const strokes = STROKES.map(([stroke, top, thickness, covered]) => {
    const line = lineOf(tones, covered, top + thickness / 2)
    return line === '' ? '' : `<path class="${stroke}" d="${line}"/>`
  })
  return (
    <svg class="days" viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>{`${name}, ${daysText(days)}`}</title>
      <g dangerouslySetInnerHTML={{ __html: strokes.join('') }} />
    </svg>
  )
}

/** Returns the path along the days whose tone is in `covered`. The dashes of a stroke separate the days. */
function lineOf(tones: readonly DayTone[], covered: readonly DayTone[], y: number): string {
  let line = ''
  for (let from = 0; from < tones.length; from++) {
    let until = from
    while (until < tones.length && covered.includes(tones[until] as DayTone)) until++
    if (until > from) line += `M${from} ${y}h${until - from}`
    from = until
  }
  return line
}
