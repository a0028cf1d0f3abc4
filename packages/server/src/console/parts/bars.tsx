// A bar of recent hours: a cell for each, told by height as well as by colour. No data is a flat line, and never green.
import type { VNode } from 'preact'

export interface Cell {
  runs: number
  failures: number
}

export function HourBar({ cells, from }: { cells: readonly (Cell | undefined)[]; from: Date }): VNode {
  const runs = cells.reduce((sum, cell) => sum + (cell?.runs ?? 0), 0)
  const failures = cells.reduce((sum, cell) => sum + (cell?.failures ?? 0), 0)
  const html = cells.map((cell, index) => drawn(cell, from, index)).join('')
  return (
    <span
      class="bar"
      role="img"
      aria-label={`Last ${cells.length} hours: ${count(runs, failures)}`}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}

/**
 * As text, since a page holds thousands: nothing is in it but numbers and words of ours. Only what failed is told cell by
 * cell; the rest is in the label.
 */
function drawn(cell: Cell | undefined, from: Date, index: number): string {
  const title = cell && cell.failures > 0 ? ` title="${clockOf(from, index)} ${count(cell.runs, cell.failures)}"` : ''
  return `<i class=${toneOf(cell)}${title}></i>`
}

function toneOf(cell: Cell | undefined): string {
  if (!cell || cell.runs === 0) return 'n'
  if (cell.failures === 0) return 'g'
  return cell.failures < cell.runs ? 'w' : 'b'
}

function clockOf(from: Date, index: number): string {
  return new Date(from.getTime() + index * 3_600_000).toISOString().slice(11, 16)
}

function count(runs: number, failures: number): string {
  if (runs === 0) return 'no data'
  return `${runs} ${runs === 1 ? 'run' : 'runs'}, ${failures === 0 ? 'none' : failures} failed`
}
