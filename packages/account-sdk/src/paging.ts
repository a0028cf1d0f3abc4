// Goes through the results of a check page by page. Loaded when asked.

import type { ResultsOptions, ResultsPage } from './client.ts'
import { ConnectionError, DogwatchError } from './errors.ts'
import type { CheckResultsPage, ResultsCursor } from './generated.ts'
import { isObject, isText } from './operation.ts'
import type { CallOptions } from './options.ts'

export type ReadPage = (query: Partial<ResultsCursor>, call: CallOptions) => Promise<CheckResultsPage>

/** Every page of a check that has results, from where `options` says. */
export async function* readPages(
  guid: string,
  options: ResultsOptions,
  readPage: ReadPage,
): AsyncGenerator<ResultsPage, undefined, undefined> {
  const { after, after_monitor, ...call } = options
  let query: Partial<ResultsCursor> = {
    ...(after === undefined ? {} : { after }),
    ...(after_monitor === undefined ? {} : { after_monitor }),
  }
  for (;;) {
    const page = await resumable(query, readPage(query, call))
    if (Array.isArray(page.results) && page.results.length === 0) return
    if (!goesOn(page, query)) {
      const request = { method: 'GET', path: `/checks/${encodeURIComponent(guid)}/results` }
      throw new ConnectionError('the answer is not what the contract promises', request)
    }
    yield page
    query = { after: page.next.after, after_monitor: page.next.after_monitor }
  }
}

/** `reading`, whose failure says where to go on from. */
async function resumable<T>(query: Partial<ResultsCursor>, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof DogwatchError && query.after && query.after_monitor) {
      Object.assign(error, { resumeFrom: query })
    }
    throw error
  }
}

/** Rows without a `next` would look like the end, and the `next` that was sent would never come to one. */
function goesOn(page: CheckResultsPage, query: Partial<ResultsCursor>): page is ResultsPage {
  const { next, results } = page
  if (!Array.isArray(results) || !isObject(next) || !isText(next.after) || !isText(next.after_monitor)) return false
  return next.after !== query.after || next.after_monitor !== query.after_monitor
}
