// Finds lists with missing pages, because an import without them would silently be incomplete.
import { type Audit, impossible } from './audit.ts'

/** A page of a list that another tool's API returns in pages. */
export interface ListPage {
  /** Name of the list. */
  list: string
  /** Identifies the page within its list. */
  page: string | number
  /** Number of items or pages: `held` in this page, and `all` in the whole list. Infinity means that another page follows. */
  held: number
  all: number
}

const MISSING = 'the files contain only some of the pages; add the others to import everything'

/** Reports the lists that lack a page. */
export function reportMissingPages(audit: Audit, thing: string, pages: readonly ListPage[]): void {
  for (const list of new Set(pages.map((page) => page.list))) {
    const named = new Map(pages.filter((page) => page.list === list).map((page) => [page.page, page]))
    const own = [...named.values()]
    const held = own.reduce((sum, page) => sum + page.held, 0)
    const open = own.filter(({ all }) => all === Infinity).length
    const known = own.map(({ all }) => (all === Infinity ? open + 1 : all))
    if (held < Math.max(...known)) audit.say('file', thing, `pages of ${list}`, impossible(MISSING))
  }
}

/** Returns the page number in an address. Default: 1. */
export function pageIn(address: string): number {
  const page = URL.canParse(address) ? new URL(address).searchParams.get('page') : null
  return Number(page ?? 1) || 1
}
