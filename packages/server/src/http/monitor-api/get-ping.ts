// GET /ping: authentication has done all there is to do, unless the caller wants to wait for what a person asks it for.
import { hasAskedRuns } from '../../domain/checks/asked-runs.ts'
import type { Deps } from '../../domain/deps.ts'
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
  // What was asked for before the request was held rings nobody any more.
  const isAsked = await hasAskedRuns(deps, caller)
  if (isAsked) holds.ring(caller.id)
  if (rung) connection.rest()
  return reply(200, { status: 'ok', ...((isAsked || (await rung)) && { sync: true }) })
}
