// Handles the operations on the results of a check.
import { unknownCursor } from '@dogwatch/domain/configuration/kind'
import { readResultsPage } from '@dogwatch/domain/configuration/results'
import { isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { toResult } from '../account-api/wire.ts'
import type { SomeHandlers } from './contract.ts'
import { cursorOf, partsOf } from './wire.ts'

type Position = NonNullable<Awaited<ReturnType<typeof readResultsPage>>['next']>

function positionOf(cursor: string): Position {
  const [ran_at, monitor_id] = partsOf(cursor)
  if (!isDateTime(ran_at)) throw unknownCursor()
  return { ran_at: toMicroseconds(ran_at), monitor_id }
}

export const RESULTS = {
  async listResults(deps, { caller, path, query, reply }) {
    const { limit = 100, success, monitor, after } = query
    const since = query.since && toMicroseconds(query.since)
    const until = query.until && toMicroseconds(query.until)
    const position = after === undefined ? undefined : positionOf(after)
    const wanted = { limit, success, monitor, since, until, after: position }
    const { results, next } = await readResultsPage(deps, caller.org_id, path.guid, wanted)
    const cursor = next && cursorOf(next.ran_at, next.monitor_id)
    return reply(200, { results: results.map(toResult), ...(cursor && { next: cursor }) })
  },
} satisfies SomeHandlers
