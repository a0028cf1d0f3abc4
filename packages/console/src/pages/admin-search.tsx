// Renders the search of the Admin pages: a page of matches, and a link to older ones.
import { Button } from '../design/button.tsx'
import { PageHead } from '../design/layout.tsx'
import { Table, type Row as TableRow } from '../design/table.tsx'
import { Field } from '../parts/field.tsx'
import { AdminNav } from '../parts/nav.tsx'
import { Link, SearchForm } from '../rights.tsx'
import { type PageAnswer, type PersonContext, page, readNumber } from '../route.ts'

interface SearchPage<Row> {
  path: '/admin' | '/admin/people'
  heading: string
  /** Label of the search field, which says what it finds. */
  label: string
  /** Finds a page of matches, which begins at a position. `before` is the position of the next, older page. */
  find(text: string, from: number | undefined): Promise<{ found: readonly Row[]; before: number | undefined }>
  columns: readonly string[]
  numbers?: readonly string[]
  /** Column with the buttons. Only screen readers read its heading. */
  hidden?: string
  /** Returns the cells of a row, in the order of the columns. */
  row(one: Row): TableRow
}

export async function searchPage<Row>(query: PersonContext['query'], of: SearchPage<Row>): Promise<PageAnswer> {
  const { path, heading, label, columns, numbers = [], hidden = '' } = of
  // Anything invalid means the first page.
  const [text, from] = [query.q ?? '', readNumber(query.before)]
  const { found, before } = await of.find(text, from)
  const isAll = from === undefined && before === undefined
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
      <Table
        caption={`${found.length} ${found.length === 1 ? 'result' : 'results'}${isAll ? '' : ' on this page, latest first'}`}
        columns={columns}
        name={columns[0] ?? ''}
        numbers={numbers}
        hidden={hidden}
        rows={found.map((one) => of.row(one))}
        empty="No results."
      />
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
