// What the list of checks shows, as its address says it.
import { tidyTag } from '@dogwatch/check-rules/tags'
import {
  type Filter,
  KINDS,
  LISTED_STATES,
  type ListedState,
  NO_FILTER,
  type Sort,
  SORTS,
} from '../../../domain/checks/list.ts'

export interface View {
  filter: Filter
  sort: Sort
  by_tag: boolean
  /** From 1. */
  page: number
}

export const PATH = '/checks'
export const BULK_PATH = '/checks/bulk'
const MAX_SEARCH = 200

/** The view that an address names; what it does not understand is left out. */
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

/** By whole characters: half of one cannot stand in an address. */
function firstOf(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('')
}

/** The view in a query string. */
export function viewIn(text: string): View {
  return viewOf(Object.fromEntries(new URLSearchParams(text)))
}

/** The query string of a view; empty for the one that is shown without any. */
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

/** The first page of a view that differs in its filter. */
export function withFilter(view: View, filter: Partial<Filter>): View {
  return { ...view, filter: { ...view.filter, ...filter }, page: 1 }
}

/** With that state, or without it if it is chosen already. */
export function toggled(view: View, state: ListedState): View {
  const { states } = view.filter
  const others = states.filter((one) => one !== state)
  return withFilter(view, { states: others.length < states.length ? others : [...states, state] })
}

export function isFiltered({ filter }: View): boolean {
  return (
    queryOf({ filter, sort: 'problems', by_tag: false, page: 1 }) !==
    queryOf({ filter: NO_FILTER, sort: 'problems', by_tag: false, page: 1 })
  )
}
