// The search of the Admin pages: a page of matches, and a link to older ones.
import type { VNode } from 'preact'
import { AdminNav, Search } from '../parts/admin-nav.tsx'
import { page, type PageAnswer } from '../route.ts'

interface SearchPage<Row> {
  path: '/admin' | '/admin/people'
  heading: string
  /** What can be searched for. */
  label: string
  text: string
  found: readonly Row[]
  /** Where the page begins, and where the next, older one does. */
  from: number | undefined
  before: number | undefined
  /** `deeds`: the column with the buttons, which needs no label where rows are stacked. */
  columns: readonly (readonly [name: string, look?: 'number' | 'word' | 'deeds'])[]
  /** The cells of a row, in the order of the columns. */
  row(one: Row): { key: number; cells: readonly unknown[] }
}

/** Where a page begins, from its URL; anything invalid is the first page. */
export function beforeOf({ before = '' }: Readonly<Record<string, string>>): number | undefined {
  return /^\d{1,15}$/.test(before) ? Number(before) : undefined
}

export function searchPage<Row>(given: SearchPage<Row>): PageAnswer {
  const { path, heading, label, text, found, from, before } = given
  const older = new URLSearchParams({ q: text, before: String(before) })
  return page(
    `Admin: ${heading.toLowerCase()}`,
    <section>
      <h1>Admin</h1>
      <AdminNav at={path} />
      <h2>{heading}</h2>
      <Search action={path} label={label} text={text} />
      {found.length === 0 ? <p class="empty">None is found.</p> : <FoundTable {...given} />}
      <p class="actions">
        {from === undefined ? null : <a href={`${path}?${new URLSearchParams({ q: text })}`}>Newest</a>}
        {before === undefined ? null : (
          <a href={`${path}?${older}`} rel="next">
            Older
          </a>
        )}
      </p>
    </section>,
  )
}

function FoundTable<Row>({ found, from, before, columns, row }: SearchPage<Row>): VNode {
  const isAll = from === undefined && before === undefined
  return (
    <div class="scroll">
      <table class="stack">
        <caption>{isAll ? `${found.length} found` : `${found.length} of those found, the newest first`}</caption>
        <thead>
          <tr>
            {columns.map(([name, look]) => (
              <th key={name} scope="col" class={look}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.map((one) => {
            const { key, cells } = row(one)
            return (
              <tr key={key}>
                {columns.map(([name, look], i) => (
                  <td key={name} class={look} data-label={i === 0 || look === 'deeds' ? undefined : name}>
                    {cells[i] as VNode}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
