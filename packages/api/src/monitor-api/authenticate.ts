// Authenticates the monitor of each request. A ping of a disabled monitor waits until that changes.
import type { Deps } from '@dogwatch/domain/deps'
import { authenticateMonitor } from '@dogwatch/domain/monitors/authenticate'
import type { Caller } from '@dogwatch/domain/monitors/monitor'
import type { AskedRoute } from '../implement.ts'
import { HOLD_SEC, type Holds } from './holds.ts'

/**
 * Authenticates a monitor. Holds the request of a disabled or suspended one until that changes, and then reports that a sync is
 * due. If it were refused at once, its agent would pause and miss the change.
 */
export async function authenticateWaiting(
  deps: Deps,
  holds: Holds,
  key: string,
  { operationId, query, connection }: AskedRoute,
): Promise<Caller> {
  const wait_sec = operationId === 'ping' && typeof query.wait_sec === 'string' ? Number(query.wait_sec) : 0
  if (!(wait_sec >= 1)) return authenticateMonitor(deps, key)
  const refusal = { isHeld: false }
  const until = deps.clock.monotonicMs() + Math.min(wait_sec, HOLD_SEC) * 1000
  const caller = await authenticateMonitor(deps, key, async (refused) => {
    const rung = holds.wait(refused, Math.max(0, until - deps.clock.monotonicMs()), connection.closed())
    if (!rung) return false
    refusal.isHeld = true
    connection.rest()
    return rung
  })
  if (refusal.isHeld) holds.ring(caller.id)
  return caller
}
