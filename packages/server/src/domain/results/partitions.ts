// Keeps the months of results made ahead, so that no batch lands in the catch-all, and drops those that are promised to nobody.
import { setTimeout as pause } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { isCrossed } from '../../runtime/database-faults.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import {
  dropRetired,
  insertPartition,
  listPartitionsBefore,
  type Month,
  retirePartition,
} from '../../store/results/partitions.ts'
import { listRetention, readLongestReach } from '../../store/results/retention.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import { edgeOf, longestOf } from '../retention/edge.ts'
import { openGate } from '../retention/gate.ts'

const MONTHS_BEHIND = 1
const MONTHS_AHEAD = 2
/** Each try keeps others waiting for a tenth of a second at most; in between they have their turn. */
const TRIES = 10
const PAUSE_MS = 300

type Given = Pick<Deps, 'database' | 'clock'>

/** One run of the chore; returns the months it made. Safe to run from several processes at once. */
export async function ensurePartitions(deps: Given): Promise<Month[]> {
  const now = deps.clock.now()
  const made: Month[] = []
  for (let offset = -MONTHS_BEHIND; offset <= MONTHS_AHEAD; offset++) {
    const [month, next] = [monthAt(now, offset), monthAt(now, offset + 1)]
    if (await untilFree(deps, (trx) => insertPartition(trx, month, next))) made.push(month)
  }
  return made
}

/**
 * One run of the chore: drops the months that are older than any org's plan promises and any check is judged by; returns
 * them. When they are in use for long, it fails and is tried again at the next run. Safe to run from several processes.
 */
export async function dropPartitions(deps: Deps): Promise<string[]> {
  const { machines } = deps.database
  const { now, held } = await openGate(deps)
  if (held) return []
  const orgs = await listRetention(machines, fromDate(now))
  // Nothing is promised where there is nobody, and nothing is in the way.
  const longest =
    orgs.length === 0 ? Number.POSITIVE_INFINITY : Math.max(longestOf(orgs, now), await readLongestReach(machines))
  const dropped = await dropRetired(machines)
  if (longest === Number.POSITIVE_INFINITY) return dropped
  // What is made ahead would be made again.
  const before = fromDate(new Date(`${monthAt(now, -MONTHS_BEHIND)}T00:00:00Z`))
  // Orgs that are days behind keep what they have, unless an operator let them go on: a month goes when all of them are past it.
  const behind = orgs.flatMap(({ edge, is_confirmed }) => (edge === null || is_confirmed ? [] : [edge]))
  const edge = behind.reduce(earlier, earlier(edgeOf(longest, now), before))
  for (const name of await listPartitionsBefore(machines, edge)) {
    await untilFree(deps, (trx) => retirePartition(trx, name))
    dropped.push(...(await dropRetired(machines)))
  }
  return dropped
}

/** In a transaction that is begun again while others use what it needs. */
async function untilFree<Answer>(
  { database }: Given,
  run: (trx: Transaction<Tables>) => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.people.transaction().execute(run)
    } catch (error) {
      if (!isCrossed(error) || tries === TRIES) throw error
      await pause(PAUSE_MS)
    }
  }
}

function earlier(a: string, b: string): string {
  return a < b ? a : b
}

function monthAt(now: Date, offset: number): Month {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString().slice(0, 10)
}
