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

export function Pager({ path, name = 'page', pages: { at }, read, of }: PagerProps) {
  const hrefOf = (page: number) => (page === 1 ? path : `${path}?${name}=${page}`)
  return <PageLinks label={`Pages of ${of}`} at={at} isLast={read.length <= PAGE_ROWS} hrefOf={hrefOf} of={of} />
}

interface PageLinksProps {
  label: string
  at: number
  /** Number of pages. Absent if it is unknown. */
  pages?: number
  isLast: boolean
  hrefOf(page: number): string
  /** Word after Previous and Next. */
  of?: string
}

/** Renders the number of a page, and links to the previous and next page. Renders nothing if there is only one page. */
export function PageLinks({ label, at, pages, isLast, hrefOf, of = 'page' }: PageLinksProps) {
  if (at === 1 && isLast) return null
  return (
    <nav class="actions" aria-label={label}>
      {at === 1 ? null : (
        <Link href={hrefOf(at - 1)} rel="prev">
          Previous {of}
        </Link>
      )}
      <span>
        Page {at}
        {pages === undefined ? null : ` of ${pages}`}
      </span>
      {isLast ? null : (
        <Link href={hrefOf(at + 1)} rel="next">
          Next {of}
        </Link>
      )}
    </nav>
  )
}
