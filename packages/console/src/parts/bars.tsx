// Renders a bar of recent hours, one cell each, which differ by height as well as colour. No data is a flat line, and never
// green.

import { count as counted, numberText } from '@dogwatch/channels/wording'
import { hourText, type Times } from '../times.ts'
import { useTimes } from './time.tsx'

const HOUR_MS = 3_600_000

export interface Count {
  runs: number
  failures: number
}

/** Renders the bar. `cells` are the counts of each hour. */
export function HourBar({ cells, total, from }: { cells: readonly Count[]; total: Count; from: Date }) {
  const times = useTimes()
  const html = cells.map((cell, index) => drawn(cell, from, index, times)).join('')
  return (
    <span
      class="bar"
      role="img"
      aria-label={`Last ${cells.length} hours: ${count(total)}`}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}

/**
 * Returns a cell as HTML text, because a page has thousands of them. It contains only numbers and our own words. Only failures
 * are described cell by cell; the label has the rest.
 */
function drawn(cell: Count, from: Date, index: number, times: Times): string {
  if (cell.runs === 0) return '<i class=n></i>'
  if (cell.failures === 0) return '<i class=g></i>'
  return `<i class=${cell.failures < cell.runs ? 'w' : 'b'} title="${hourText(new Date(from.getTime() + index * HOUR_MS), times)} ${count(cell)}"></i>`
}

function count({ runs, failures }: Count): string {
  if (runs === 0) return 'no data'
  return `${numberText(failures)} of ${counted(runs, 'run')} failed`
}
