// Handles the operations on the results of a check.
import type { operations } from '@dogwatch/contract/config'
import { readResultsPage } from '@dogwatch/domain/configuration/results'
import type { Deps } from '@dogwatch/domain/deps'
import { FieldError } from '@dogwatch/domain/errors'
import { isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { toResult } from '../account-api/wire.ts'
import type { ConfigAnswer, ConfigInput, Resource } from './contract.ts'

type Position = NonNullable<Awaited<ReturnType<typeof readResultsPage>>['next']>

async function listResults(
  deps: Deps,
  { caller, path, query, reply }: ConfigInput<'listResults'>,
): ConfigAnswer<'listResults'> {
  const { limit = 100, success, monitor, after } = query
  const [since, until] = [instantOf(query.since), instantOf(query.until)]
  const wanted = { limit, success, monitor, since, until, after: positionOf(after) }
  const { results, next } = await readResultsPage(deps, caller.org_id, path.guid, wanted)
  return reply(200, { results: results.map(toResult), ...(next && { next: cursorOf(next) }) })
}

function instantOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : toMicroseconds(text)
}

/**
 * Returns a cursor such as `2026-11-20T10~00~00.000000Z_7k2m9x0c4v5b`: the time and monitor of the last run on a page. Uses `~`,
 * because a colon would need encoding in a URL.
 */
function cursorOf({ ran_at, monitor_id }: Position): string {
  return `${ran_at.replaceAll(':', '~')}_${monitor_id}`
}

function positionOf(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const at = cursor.indexOf('_')
  const ran_at = cursor.slice(0, at).replaceAll('~', ':')
  if (at < 0 || !isDateTime(ran_at))
    throw new FieldError('invalid', 'after', 'must be the value of "next" from the previous page')
  return { ran_at: toMicroseconds(ran_at), monitor_id: cursor.slice(at + 1) }
}

export const RESULTS = { listResults } satisfies Partial<Resource<keyof operations>>
