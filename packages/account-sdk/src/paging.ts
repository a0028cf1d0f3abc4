// Reads the results of a check page by page. Loaded on demand.

import { isObject, isText } from '#core/operation'
import type { CheckResultsPage, ResultsCursor } from './generated.ts'
import type { ResultsOptions, ResultsPage } from './results.ts'
import type { Unusable } from './unusable.ts'
import type { Via } from './via.ts'

// Exported here so that both are loaded together, because another dynamic import would add a line to every bundle.
export { followArrivals } from './following.ts'

/** Yields every page of a check that has results, from the position in `options`. */
export async function* readPages(
  { http, strictly }: Via,
  guid: string,
  options: ResultsOptions,
  unusable: Unusable,
): AsyncGenerator<ResultsPage, undefined, undefined> {
  const { after, after_monitor, ...call } = options
  let query: Partial<ResultsCursor> = {
    ...(after === undefined ? {} : { after }),
    ...(after_monitor === undefined ? {} : { after_monitor }),
  }
  for (;;) {
    const resumeFrom = goOnAt(query)
    const { data } = await http.GET('/checks/{guid}/results', {
      params: { path: { guid }, query },
      fetch: strictly({ ...call, ...(resumeFrom && { doneBefore: { resumeFrom } }) }),
    })
    const page = data as CheckResultsPage
    if (Array.isArray(page.results) && page.results.length === 0) return
    if (!goesOn(page, query)) {
      throw unusable(`/checks/${encodeURIComponent(guid)}/results`, 'the response does not match the contract')
    }
    yield page
    query = { after: page.next.after, after_monitor: page.next.after_monitor }
  }
}

/** Returns the position in `query` as a cursor, or undefined if one of its two parts is absent. */
function goOnAt({ after, after_monitor }: Partial<ResultsCursor>): ResultsCursor | undefined {
  return after && after_monitor ? { after, after_monitor } : undefined
}

/**
 * Whether the page has results and a new `next`. Without results, the list would seem to end. With the same `next`, it would
 * never end.
 */
function goesOn(page: CheckResultsPage, query: Partial<ResultsCursor>): page is ResultsPage {
  const { next, results } = page
  if (!Array.isArray(results) || !isObject(next) || !isText(next.after) || !isText(next.after_monitor)) return false
  return next.after !== query.after || next.after_monitor !== query.after_monitor
}
