// Converts the view of the list of checks from and to its URL.
import { tidyTag } from '@dogwatch/check-rules/tags'
import { type Filter, KINDS, LISTED_STATES, type ListedState, SORTS, type Sort } from '@dogwatch/domain/checks/list'

export interface View {
  filter: Filter
  sort: Sort
  by_tag: boolean
  /** Page number, from 1. */
  page: number
}

export const PATH = '/checks'
export const BULK_PATH = '/checks/bulk'
const MAX_SEARCH = 200

/** Reads a view from the query of a URL. Ignores values that it does not understand. */
export function viewOf(query: Readonly<Record<string, string>>): View {
  const { q = '', tag = '', kind = '', monitor = '', sort = '', group = '', page = '' } = query
  const states = (query.state ?? '').split(',')
  return {
    filter: {
      search: firstOf(q.trim(), MAX_SEARCH),
      states: LISTED_STATES.filter((state) => states.includes(state)),
      tag: tidyTag(tag),
      kind: KINDS.find((one) => one === kind),
      monitor: /^[\w-]{1,64}$/.test(monitor) ? monitor : '',
    },
    sort: SORTS.find((one) => one === sort) ?? 'problems',
    by_tag: group === 'tag',
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  }
}

/** Returns the first characters of a text. It does not cut a character in half, because a URL cannot contain half of one. */
function firstOf(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('')
}

/** Reads a view from a query string. */
export function viewIn(text: string): View {
  return viewOf(Object.fromEntries(new URLSearchParams(text)))
}

/** Returns the query string of a view. It is empty for the default view. */
export function queryOf({ filter, sort, by_tag, page }: View): string {
  const { search, states, tag, kind = '', monitor } = filter
  const given: [string, string][] = [
    ['q', search],
    ['state', states.join(',')],
    ['tag', tag],
    ['kind', kind],
    ['monitor', monitor],
    ['sort', sort === 'problems' ? '' : sort],
    ['group', by_tag ? 'tag' : ''],
    ['page', page === 1 ? '' : String(page)],
  ]
  return given
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
    .join('&')
}

export function hrefOf(view: View): string {
  const query = queryOf(view)
  return query === '' ? PATH : `${PATH}?${query}`
}

/** Returns the first page of a view with a changed filter. */
export function withFilter(view: View, filter: Partial<Filter>): View {
  return { ...view, filter: { ...view.filter, ...filter }, page: 1 }
}

/** Adds a state to the filter, or removes it if it is already chosen. */
export function toggled(view: View, state: ListedState): View {
  const { states } = view.filter
  const others = states.filter((one) => one !== state)
  return withFilter(view, { states: others.length < states.length ? others : [...states, state] })
}

export function isFiltered({ filter }: View): boolean {
  return queryOf({ filter, sort: 'problems', by_tag: false, page: 1 }) !== ''
}
