// Splits long lists into pages of a hundred rows, with links to the previous and next page.
import { Link } from '../rights.tsx'

const PAGE_ROWS = 100

export interface Pages {
  /** Page number, from 1. */
  at: number
  /** Rows to read: one more than a page has, to see whether another page follows. */
  slice: { limit: number; offset: number }
}

/** Reads the page number from the query parameter `name`. Anything invalid means the first page. */
export function pagesOf(query: Readonly<Record<string, string>>, name = 'page'): Pages {
  const text = query[name] ?? ''
  const at = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1
  return { at, slice: { limit: PAGE_ROWS + 1, offset: (at - 1) * PAGE_ROWS } }
}

/** Returns the rows of the page, without the extra row. */
export function rowsOf<Row>(read: readonly Row[]): Row[] {
  return read.slice(0, PAGE_ROWS)
}

interface PagerProps {
  path: string
  name?: string
  pages: Pages
  /** Rows as they were read, with the extra row. */
  read: readonly unknown[]
  /** Name of the listed things, such as monitors, for people who only hear the links. */
  of: string
}

/** Renders links to the pages. Renders nothing if everything fits on one page. */
export function Pager({ path, name = 'page', pages: { at }, read, of }: PagerProps) {
  const hasMore = read.length > PAGE_ROWS
  if (at === 1 && !hasMore) return null
  const to = (page: number) => (page === 1 ? path : `${path}?${name}=${page}`)
  return (
    <nav class="actions" aria-label={`Pages of ${of}`}>
      {at === 1 ? null : (
        <Link href={to(at - 1)} rel="prev">
          Previous {of}
        </Link>
      )}
      <span>Page {at}</span>
      {hasMore ? (
        <Link href={to(at + 1)} rel="next">
          Next {of}
        </Link>
      ) : null}
    </nav>
  )
}
