// Creates the monthly partitions of results ahead of time, so that no batch lands in the default partition, and drops
// those that no plan promises.
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
/** Each attempt blocks others for a tenth of a second at most; in between they have their turn. */
const TRIES = 10
const PAUSE_MS = 300

type Given = Pick<Deps, 'database' | 'clock'>

/** One run of the chore; returns the months it created. Several processes may run it at once. */
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
 * One run of the chore: drops the months that are older than what any org's plan promises and any check is judged by,
 * and returns them. When they are busy for long, it fails and the next run tries again. Several processes may run it at
 * once.
 */
export async function dropPartitions(deps: Deps): Promise<string[]> {
  const { machines } = deps.database
  const { now, held } = await openGate(deps)
  if (held) return []
  const orgs = await listRetention(machines, fromDate(now))
  // Without any org, nothing is promised and nothing needs to go.
  const longest =
    orgs.length === 0 ? Number.POSITIVE_INFINITY : Math.max(longestOf(orgs, now), await readLongestReach(machines))
  const dropped = await dropRetired(machines)
  if (longest === Number.POSITIVE_INFINITY) return dropped
  // A month that is created ahead would be created again.
  const before = fromDate(new Date(`${monthAt(now, -MONTHS_BEHIND)}T00:00:00Z`))
  // Orgs whose deletion is days behind keep what they have, unless an operator let it proceed: a month is dropped when
  // all orgs are past it.
  const behind = orgs.flatMap(({ edge, is_confirmed }) => (edge === null || is_confirmed ? [] : [edge]))
  const edge = behind.reduce(earlier, earlier(edgeOf(longest, now), before))
  for (const name of await listPartitionsBefore(machines, edge)) {
    await untilFree(deps, (trx) => retirePartition(trx, name))
    dropped.push(...(await dropRetired(machines)))
  }
  return dropped
}

/** Runs a transaction, again and again while others hold the locks it needs. */
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
