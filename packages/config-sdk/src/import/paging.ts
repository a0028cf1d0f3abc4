// Finds lists of which an import was given some pages only: what the others hold would be missing without a word.
import { type Audit, impossible } from './audit.ts'

/** A page of a list. */
export interface ListPage {
  /** Name of the list. */
  list: string
  /** Tells the pages of a list apart. */
  page: string | number
  /** How much of the list it holds, and how much there is, both in things or both in pages. Infinity: another page follows it. */
  held: number
  all: number
}

const MISSING = 'the files contain only some of the pages; add the others to import everything'

/** Reports the lists of which a page is missing. */
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

/** Returns the number of a page that an address names; 1 without one. */
export function pageIn(address: string): number {
  const page = URL.canParse(address) ? new URL(address).searchParams.get('page') : null
  return Number(page ?? 1) || 1
}
