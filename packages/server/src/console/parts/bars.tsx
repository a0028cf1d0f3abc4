// A bar of recent hours, one cell each, which differ by height as well as colour. No data is a flat line, and never
// green.
import type { VNode } from 'preact'

export interface Count {
  runs: number
  failures: number
}

/** Counts of an hour with failures; `well` for one without; undefined when nothing ran. */
export type Cell = Count | 'well' | undefined

export function HourBar({ cells, total, from }: { cells: readonly Cell[]; total: Count; from: Date }): VNode {
  const html = cells.map((cell, index) => drawn(cell, from, index)).join('')
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
 * As text, because a page has thousands: it contains nothing but numbers and our own words. Only failures are described
 * cell by cell; the label has the rest.
 */
function drawn(cell: Cell, from: Date, index: number): string {
  if (cell === undefined) return '<i class=n></i>'
  if (cell === 'well') return '<i class=g></i>'
  return `<i class=${cell.failures < cell.runs ? 'w' : 'b'} title="${clockOf(from, index)} ${count(cell)}"></i>`
}

function clockOf(from: Date, index: number): string {
  return new Date(from.getTime() + index * 3_600_000).toISOString().slice(11, 16)
}

function count({ runs, failures }: Count): string {
  if (runs === 0) return 'no data'
  return `${runs} ${runs === 1 ? 'run' : 'runs'}, ${failures === 0 ? 'none' : failures} failed`
}
