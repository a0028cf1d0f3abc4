// Renders the search of the Admin pages: a page of matches, and a link to older ones.
import { Button } from '../design/button.tsx'
import { PageHead } from '../design/layout.tsx'
import { Table, type Row as TableRow } from '../design/table.tsx'
import { Field } from '../parts/field.tsx'
import { AdminNav } from '../parts/nav.tsx'
import { Link, SearchForm } from '../rights.tsx'
import { type PageAnswer, page } from '../route.ts'

interface SearchPage<Row> {
  path: '/admin' | '/admin/people'
  heading: string
  /** Label of the search field, which says what it finds. */
  label: string
  text: string
  found: readonly Row[]
  /** Position at which this page begins. `before` is the position of the next, older page. */
  from: number | undefined
  before: number | undefined
  columns: readonly string[]
  numbers?: readonly string[]
  /** Column with the buttons. Only screen readers read its heading. */
  hidden?: string
  /** Returns the cells of a row, in the order of the columns. */
  row(one: Row): TableRow
}

/** Reads from the URL of a page where the page begins. Anything invalid means the first page. */
export function beforeOf({ before = '' }: Readonly<Record<string, string>>): number | undefined {
  return /^\d{1,15}$/.test(before) ? Number(before) : undefined
}

export function searchPage<Row>(given: SearchPage<Row>): PageAnswer {
  const { path, heading, label, text, found, from, before } = given
  const older = new URLSearchParams({ q: text, before: String(before) })
  return page(
    `Admin: ${heading.toLowerCase()}`,
    <section>
      <PageHead title="Admin" />
      <AdminNav at={path} />
      <h2 class="heard">{heading}</h2>
      <SearchForm action={path} class="narrow" role="search">
        <Field name="q" id="search" label={label} type="search" value={text} />
        <Button icon="search" text="Search" />
      </SearchForm>
      {found.length === 0 ? <p class="empty">No results.</p> : <FoundTable {...given} />}
      <p class="actions">
        {from === undefined ? null : <Link href={`${path}?${new URLSearchParams({ q: text })}`}>Latest</Link>}
        {before === undefined ? null : (
          <Link href={`${path}?${older}`} rel="next">
            Earlier
          </Link>
        )}
      </p>
    </section>,
  )
}

function FoundTable<Row>({ found, from, before, columns, numbers = [], hidden = '', row }: SearchPage<Row>) {
  const isAll = from === undefined && before === undefined
  return (
    <Table
      caption={`${found.length} ${found.length === 1 ? 'result' : 'results'}${isAll ? '' : ' on this page, latest first'}`}
      columns={columns}
      name={columns[0] ?? ''}
      numbers={numbers}
      hidden={hidden}
      rows={found.map(row)}
    />
  )
}
