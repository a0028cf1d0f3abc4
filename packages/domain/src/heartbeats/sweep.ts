// Finds heartbeats whose ping did not come in time.
import { setImmediate as pause } from 'node:timers/promises'
import { isCrossed } from '@dogwatch/runtime/database-faults'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Db } from '@dogwatch/store/database'
import {
  claimDueHeartbeats,
  type DueHeartbeat,
  type HeartbeatPlace,
  listDueHeartbeats,
  readNextDueAt,
  updateHeartbeatsDueAt,
  updateHeartbeatsOverdue,
} from '@dogwatch/store/heartbeats/heartbeats'
import { listRefusedPings } from '@dogwatch/store/heartbeats/refused-pings'
import { AHEAD_MS, type Availability, readAvailability } from '../availability.ts'
import type { Deps } from '../deps.ts'
import { deadlineOf } from './heartbeat.ts'
import { openIncidents } from './incidents.ts'

// Maximum number of heartbeats per transaction, so that a job that pings in the meantime does not wait long for its row.
const AT_ONCE = 100
/**
 * Number of heartbeats to judge before pings have their turn. Each heartbeat can be the first in its time zone, which takes
 * milliseconds to read.
 */
const JUDGED_AT_ONCE = 10

/** Runs the chore once: marks overdue heartbeats as down, and returns their number. Several processes may run it at once. */
export async function sweepHeartbeats(deps: Deps): Promise<number> {
  let overdue = 0
  for (;;) {
    const swept = await sweepSome(deps).catch((err: unknown) => {
      deps.log.error({ err }, 'could not judge a batch of due heartbeats; judging each on its own')
      return undefined
    })
    if (!swept) return overdue + (await sweepOneByOne(deps))
    overdue += swept.overdue
    if (swept.claimed < AT_ONCE) return overdue
  }
}

/**
 * Returns the milliseconds until a sweep can find something: 0 or less if a heartbeat is due, Infinity if none waits for a ping.
 */
export async function untilNextDue({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<number> {
  const due_at = await readNextDueAt(database.machines)
  return due_at === undefined ? Infinity : Date.parse(due_at) - clock.now().getTime()
}

/** Judges each due heartbeat in its own transaction, so that a failure is logged and does not stop the others. */
async function sweepOneByOne(deps: Deps): Promise<number> {
  let overdue = 0
  const held = new Set<number>()
  for (const place of await listDueHeartbeats(deps.database.machines, fromDate(deps.clock.now()))) {
    // A transaction that blocks one heartbeat of an organisation may block all of them, and waiting for each would delay the
    // others.
    if (held.has(place.org_id)) continue
    try {
      overdue += (await sweepSome(deps, place)).overdue
    } catch (err) {
      if (isCrossed(err)) held.add(place.org_id)
      deps.log.error({ err, ...place }, 'could not judge a heartbeat; will retry')
    }
  }
  return overdue
}

async function sweepSome(deps: Deps, only?: HeartbeatPlace): Promise<{ claimed: number; overdue: number }> {
  const now = deps.clock.now()
  return deps.database.machines.transaction().execute(async (trx) => {
    const claimed = await claimDueHeartbeats(trx, fromDate(now), AT_ONCE, only)
    if (claimed.length === 0) return { claimed: 0, overdue: 0 }
    const availability = await readAvailability(trx, now, earliestPing(claimed), { includeShort: true, ofEach: true })
    // While the service is unreachable, no job counts as silent. Heartbeats that fall due in the meantime are judged once it is
    // back.
    if (!availability.isUp) return { claimed: 0, overdue: 0 }
    // Runs after reading the availability, because a process stores which pings it refused before it reports that it is running.
    const { overdue, later } = await judge(claimed, availability, await readRefused(trx, claimed, now))
    if (later.length > 0) await updateHeartbeatsDueAt(trx, later)
    if (overdue.length > 0) {
      await updateHeartbeatsOverdue(trx, overdue)
      await openIncidents(trx, deps, overdue)
    }
    // Heartbeats that cannot be judged yet would be claimed again, with everything that was due after them: stop, or
    // this would never end.
    const isStuck = overdue.length === 0 && later.every(({ due_at }) => due_at <= fromDate(now))
    return { claimed: isStuck ? 0 : claimed.length, overdue: overdue.length }
  })
}

/** Reads when the newest refused ping of each heartbeat came. Ignores times far ahead, because a wrong clock noted them. */
async function readRefused(db: Db, claimed: readonly HeartbeatPlace[], now: Date): Promise<Map<number, string>> {
  const rows = await listRefusedPings(db, claimed)
  const told = rows.filter(({ refused_at }) => Date.parse(refused_at) - now.getTime() <= AHEAD_MS)
  return new Map(told.map(({ heartbeat_id, refused_at }) => [heartbeat_id, refused_at]))
}

async function judge(
  claimed: readonly DueHeartbeat[],
  { seen_until, outages }: Availability,
  refused: ReadonlyMap<number, string>,
) {
  const judged = []
  for (const [at, one] of claimed.entries()) {
    if (at % JUDGED_AT_ONCE === JUDGED_AT_ONCE - 1) await pause()
    const refused_at = refused.get(one.heartbeat_id)
    const { due, outages: counted } = deadlineOf(one, one.last_heartbeat_at, outages, refused_at)
    // `seen_until` counts, because Dogwatch does not know yet whether a ping came after the service last accepted pings.
    judged.push({ ...one, isOverdue: due <= seen_until, due_at: fromDate(new Date(due)), counted })
  }
  const [overdue, later] = [judged.filter(({ isOverdue }) => isOverdue), judged.filter(({ isOverdue }) => !isOverdue)]
  return {
    overdue: overdue.map((one) => ({
      ...one,
      since: one.due_at,
      change: {
        kind: 'down',
        since: one.due_at,
        reason: 'overdue',
        ...(one.counted.length > 0 && { outages: one.counted }),
      } as const,
    })),
    later,
  }
}

function earliestPing(claimed: readonly DueHeartbeat[]): Date {
  return new Date(Math.min(...claimed.map(({ last_heartbeat_at }) => Date.parse(last_heartbeat_at))))
}
