// Renders tables, which become cards on a phone: each cell then names its column.
import type { ComponentChildren } from 'preact'

export interface Column {
  label: string
  /** Whether cells are aligned to the right, with figures of one width. */
  isNumber?: boolean
  /** Whether the column names the subject of the row. On a phone, its cells do not repeat the heading. */
  isName?: boolean
  /** Whether its texts break only between words. */
  isWords?: boolean
  /** Whether the heading is only for screen readers, as for a column of buttons. */
  isHidden?: boolean
}

export interface Row {
  key: string | number
  cells: readonly ComponentChildren[]
}

/** A row with a single cell across all columns, for several rows that are shown as one. */
export interface WideRow {
  key: string | number
  across: ComponentChildren
}

export interface TableProps {
  /** Text that says what the table lists. */
  caption?: string
  columns: readonly Column[]
  rows: readonly (Row | WideRow)[]
}

export function Table({ caption, columns, rows }: TableProps) {
  return (
    <div class="scroll">
      <table class="stack">
        {caption === undefined ? null : <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ label, isNumber, isHidden }) => (
              <th scope="col" class={isNumber ? 'number' : undefined}>
                {isHidden ? <span class="heard">{label}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr data-key={row.key}>
              {'across' in row ? (
                <td colSpan={columns.length}>{row.across}</td>
              ) : (
                row.cells.map((cell, index) => <Cell column={columns[index]}>{cell}</Cell>)
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell({ column, children }: { column: Column | undefined; children: ComponentChildren }) {
  const { label, isNumber, isName, isWords, isHidden } = column ?? { label: '' }
  const look = isNumber ? 'number' : isName ? 'name' : isWords ? 'word' : undefined
  return (
    <td class={look} data-label={isName || isHidden ? undefined : label}>
      {children}
    </td>
  )
}
