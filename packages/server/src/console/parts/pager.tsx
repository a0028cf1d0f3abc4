// Long lists, a hundred rows a page: the requested page, and links to the previous and next one.
import type { VNode } from 'preact'

const PAGE_ROWS = 100

export interface Pages {
  /** From 1. */
  at: number
  /** What to read: one row more than a page has, to see whether another page follows. */
  slice: { limit: number; offset: number }
}

/** The page in this query parameter; anything invalid is the first page. */
export function pagesOf(query: Readonly<Record<string, string>>, name = 'page'): Pages {
  const text = query[name] ?? ''
  const at = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1
  return { at, slice: { limit: PAGE_ROWS + 1, offset: (at - 1) * PAGE_ROWS } }
}

/** The rows of the page, among those that were read. */
export function rowsOf<Row>(read: readonly Row[]): Row[] {
  return read.slice(0, PAGE_ROWS)
}

interface PagerProps {
  path: string
  name?: string
  pages: Pages
  /** The rows as they were read. */
  read: readonly unknown[]
  /** What is listed, for people who only hear the links: monitors. */
  of: string
}

/** Nothing when everything fits on one page. */
export function Pager({ path, name = 'page', pages: { at }, read, of }: PagerProps): VNode | null {
  const hasMore = read.length > PAGE_ROWS
  if (at === 1 && !hasMore) return null
  const to = (page: number) => (page === 1 ? path : `${path}?${name}=${page}`)
  return (
    <nav class="actions" aria-label={`Pages of ${of}`}>
      {at === 1 ? null : (
        <a href={to(at - 1)} rel="prev">
          Previous {of}
        </a>
      )}
      <span>Page {at}</span>
      {hasMore ? (
        <a href={to(at + 1)} rel="next">
          Next {of}
        </a>
      ) : null}
    </nav>
  )
}
