// A bar of recent hours: a cell for each, told by height as well as by colour. No data is a flat line, and never green.
import type { VNode } from 'preact'

export interface Count {
  runs: number
  failures: number
}

/** An hour in which something failed; one in which all was well; undefined where nothing ran. */
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
 * As text, since a page holds thousands: nothing is in it but numbers and words of ours. Only what failed is told cell by
 * cell; the rest is in the label.
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
