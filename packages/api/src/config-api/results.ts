// Handles the operations on the results of a check.
import type { operations } from '@dogwatch/contract/config'
import { unknownCursor } from '@dogwatch/domain/configuration/kind'
import { readResultsPage } from '@dogwatch/domain/configuration/results'
import type { Deps } from '@dogwatch/domain/deps'
import { isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { toResult } from '../account-api/wire.ts'
import type { ConfigAnswer, ConfigInput, Resource } from './contract.ts'
import { cursorOf, partsOf } from './wire.ts'

type Position = NonNullable<Awaited<ReturnType<typeof readResultsPage>>['next']>

async function listResults(
  deps: Deps,
  { caller, path, query, reply }: ConfigInput<'listResults'>,
): ConfigAnswer<'listResults'> {
  const { limit = 100, success, monitor, after } = query
  const since = query.since && toMicroseconds(query.since)
  const until = query.until && toMicroseconds(query.until)
  const position = after === undefined ? undefined : positionOf(after)
  const wanted = { limit, success, monitor, since, until, after: position }
  const { results, next } = await readResultsPage(deps, caller.org_id, path.guid, wanted)
  const cursor = next && cursorOf(next.ran_at, next.monitor_id)
  return reply(200, { results: results.map(toResult), ...(cursor && { next: cursor }) })
}

function positionOf(cursor: string): Position {
  const [ran_at, monitor_id] = partsOf(cursor)
  if (!isDateTime(ran_at)) throw unknownCursor()
  return { ran_at: toMicroseconds(ran_at), monitor_id }
}

export const RESULTS = { listResults } satisfies Partial<Resource<keyof operations>>
