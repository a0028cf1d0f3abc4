// Reads the results of a check, page by page.

import type { Position, ResultRow } from '@dogwatch/store/results/result-pages'
import { findResults } from '../checks/inspect.ts'
import { readOneCheck } from '../checks/read.ts'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'
import { resolveReference } from './keys.ts'
import { unknownCursor } from './kind.ts'

export interface ResultsWanted {
  limit: number
  /** Position at which the previous page ended. */
  after: Position | undefined
  since: string | undefined
  until: string | undefined
  success: boolean | undefined
  monitor: string | undefined
}

/** Returns a page of results, newest first. `next` is undefined if the requested range has no older ones. */
export async function readResultsPage(
  deps: Deps,
  org_id: number,
  reference: string,
  { limit, after, since, until, success, monitor }: ResultsWanted,
): Promise<{ results: ResultRow[]; next: Position | undefined }> {
  const guid = await resolveReference(deps.database.people, org_id, 'check', reference)
  const check = { ...(await readOneCheck(deps, org_id, guid)), org_id }
  if (after && !isStorable(after.monitor_id)) throw unknownCursor()
  // No monitor has an id that the database cannot store.
  if (monitor !== undefined && !isStorable(monitor)) return { results: [], next: undefined }
  const from = after && (until === undefined || after.ran_at < until) ? after : undefined
  const before = from?.ran_at ?? until
  const before_monitor = from?.monitor_id
  const { rows, stopped } = await findResults(
    deps,
    check,
    { before, before_monitor, success, monitor_id: monitor },
    limit,
  )
  const isAsked = ({ ran_at }: Position): boolean => since === undefined || ran_at >= since
  return { results: rows.filter(isAsked), next: stopped && isAsked(stopped) ? stopped : undefined }
}
