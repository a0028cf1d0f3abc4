// Handles GET /ping: it can wait until there is something to sync.
import { hasAskedRuns } from '@dogwatch/domain/checks/asked-runs'
import type { Deps } from '@dogwatch/domain/deps'
import type { MonitorAnswer, MonitorInput } from './contract.ts'
import { HOLD_SEC, type Holds } from './holds.ts'

export async function getPing(
  deps: Deps,
  holds: Holds,
  { caller, query, connection, reply }: MonitorInput<'ping'>,
): MonitorAnswer<'ping'> {
  const wait_sec = Math.min(query.wait_sec ?? 0, HOLD_SEC)
  if (wait_sec <= 0) return reply(200, { status: 'ok' })
  const rung = holds.wait(caller, wait_sec * 1000, connection.closed())
  // Looks for earlier requests, because a run that was requested before the hold began causes no further event.
  const isAsked = await hasAskedRuns(deps, caller)
  if (isAsked) holds.answer(caller.id)
  if (rung) connection.rest()
  return reply(200, { status: 'ok', ...((isAsked || (await rung)) && { sync: true }) })
}
