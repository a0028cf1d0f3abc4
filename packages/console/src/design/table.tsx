// Renders tables, which become cards on a phone: each cell then names its column.
import type { ComponentChildren } from 'preact'

/** A row: the key that tells it from the others on a live page, and a cell for each column. */
export type Row = readonly [key: string | number, ...cells: ComponentChildren[]]

/** A row with a single cell across all columns, for several rows that are shown as one. */
export interface WideRow {
  key: string | number
  across: ComponentChildren
}

interface TableProps {
  /** Text that says what the table lists. */
  caption?: string
  /** Labels of the columns. The other properties name some of these. */
  columns: readonly string[]
  /** Column that names the subject of the row. On a phone, its cells do not repeat the heading. */
  name?: string
  /** Columns whose cells are aligned to the right, with figures of one width. */
  numbers?: readonly string[]
  /** Columns whose texts break only between words. */
  words?: readonly string[]
  /** Column whose heading is only for screen readers, such as a column of buttons. */
  hidden?: string
  rows: readonly (Row | WideRow)[]
  /** Text in place of a table without rows. */
  empty?: string | undefined
}

export function Table({ caption, columns, name, numbers = [], words = [], hidden, rows, empty }: TableProps) {
  if (rows.length === 0 && empty !== undefined) return <p class="empty">{empty}</p>
  const lookOf = (label: string) =>
    numbers.includes(label) ? 'number' : label === name ? 'name' : words.includes(label) ? 'word' : undefined
  return (
    <div class="scroll">
      <table class="stack">
        {caption === undefined ? null : <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((label) => (
              <th scope="col" class={numbers.includes(label) ? 'number' : undefined}>
                {label === hidden ? <span class="heard">{label}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) =>
            'across' in row ? (
              <tr data-key={row.key}>
                <td colSpan={columns.length}>{row.across}</td>
              </tr>
            ) : (
              <tr data-key={row[0]}>
                {columns.map((label, index) => (
                  <td class={lookOf(label)} data-label={label === name || label === hidden ? undefined : label}>
                    {row[index + 1]}
                  </td>
                ))}
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  )
}
