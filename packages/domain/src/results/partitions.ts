// Creates the monthly partitions of results ahead of time, so that no batch lands in the default partition, and drops those whose
// results no plan promises to keep.
import { setTimeout as pause } from 'node:timers/promises'
import { isCrossed, isTimedOut } from '@dogwatch/runtime/database-faults'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type CheckKey, listChecksAfter } from '@dogwatch/store/check-keys'
import { listRetention, readLongestReach } from '@dogwatch/store/results/retention'
import type { MarkedHour } from '@dogwatch/store/results/sealing/marks'
import { listUneven, saveMissed } from '@dogwatch/store/results/sealing/missed'
import {
  canShorten,
  dropRetired,
  insertPartition,
  listPartitions,
  listPartitionsBefore,
  type Month,
  type Partition,
  readBytes,
  retireBefore,
  retirePartition,
  shortenPartition,
} from '@dogwatch/store/results/sealing/partitions'
import {
  awaitSealProgress,
  listOutside,
  NEVER,
  readSealProgress,
  type SealProgress,
  shareSealProgress,
} from '@dogwatch/store/results/sealing/sealing'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { edgeOf, longestOf } from '../retention/edge.ts'
import { openGate } from '../retention/gate.ts'

const MONTHS_BEHIND = 1
const MONTHS_AHEAD = 2
/**
 * Maximum number of attempts to change partitions. Each attempt blocks other transactions for at most 0.1 s, and they run between
 * two attempts.
 */
const TRIES = 10
const PAUSE_MS = 300
/** Maximum number of attempts to drop a partition of sealed hours. Few are enough, because a later run can drop it. */
const DROP_TRIES = 2
const DROPPED_AT_ONCE = 36

type PartitionDeps = Pick<Deps, 'database' | 'clock'>

/**
 * Runs the chore once and returns the months that it created. Several processes may run it at once. Does not create months again
 * whose hours are sealed. While sealing keeps up, makes short partitions for the time ahead.
 */
export async function ensurePartitions(deps: PartitionDeps): Promise<Month[]> {
  const now = deps.clock.now()
  const { sealed_until } = await readSealProgress(deps.database.machines)
  const made: Month[] = []
  for (let offset = -MONTHS_BEHIND; offset <= MONTHS_AHEAD; offset++) {
    const [month, next] = [monthAt(now, offset), monthAt(now, offset + 1)]
    if (`${next}T00:00:00.000000Z` <= sealed_until) continue
    if (await untilFree(deps, (trx) => insertPartition(trx, month, next))) made.push(month)
  }
  await shortenAhead(deps)
  return made
}

/** Length of a short partition, in milliseconds. It has a small index, and is dropped soon after the sealing of its hour. */
const SHORT_MS = 600_000
const SHORT_AHEAD_MS = 3 * 3_600_000
/** Time from now after which no result can exist, in milliseconds, because results run at most ten minutes ahead. */
const FREE_AFTER_MS = 2 * SHORT_MS

/**
 * Maximum lag of sealing that allows short partitions, in milliseconds. Without sealing they are never dropped, and each
 * statement about results locks all of them.
 */
const BEHIND_MS = 4 * 3_600_000

/** Whether sealing has begun and keeps up with time. */
function keepsUp({ is_on, sealed_until }: SealProgress, now: Date): boolean {
  return is_on && sealed_until > fromDate(new Date(now.getTime() - BEHIND_MS))
}

/**
 * Maximum size of a partition in use that can be split, in bytes, because everyone waits while it is searched. A larger one stays
 * whole.
 */
const MOST_BYTES = 32_000_000

/**
 * Splits the partitions ahead into short ones while sealing keeps up. Of a partition in use, splits only a part without results,
 * and nothing if it is large.
 */
export async function shortenAhead(deps: PartitionDeps): Promise<void> {
  if (!(await canShorten(deps.database.machines))) return
  const now = deps.clock.now()
  if (!keepsUp(await readSealProgress(deps.database.machines), now)) return
  const target = now.getTime() + SHORT_AHEAD_MS
  const begun = Math.floor(now.getTime() / SHORT_MS) * SHORT_MS
  const free = Math.ceil((now.getTime() + FREE_AFTER_MS) / SHORT_MS) * SHORT_MS
  const ahead = fromDate(new Date(target))
  for (const one of await listPartitions(deps.database.machines)) {
    const [from, until] = [Date.parse(one.from), Date.parse(one.until)]
    if (one.from >= ahead || until <= free || until - from <= SHORT_MS) continue
    const bytes = from < free ? await readBytes(deps.database.machines, one.name) : 0
    if (bytes > MOST_BYTES) continue
    // An empty partition is split from now on. One with results is split after the last time that a result can have.
    if (from < begun && bytes === 0 && (await cut(deps, one, begun, target))) continue
    await cut(deps, one, Math.max(from, free), target)
  }
}

/**
 * Splits a partition from an instant on. Returns false and leaves it unchanged if it has results there, or if the search takes
 * too long.
 */
async function cut(deps: PartitionDeps, partition: Partition, from: number, target: number): Promise<boolean> {
  const bounds: { from: string; until: string }[] = []
  for (let at = from; at < Math.min(target, Date.parse(partition.until)); at += SHORT_MS) {
    bounds.push({ from: fromDate(new Date(at)), until: fromDate(new Date(at + SHORT_MS)) })
  }
  try {
    return await untilFree(deps, (trx) => shortenPartition(trx, partition, bounds))
  } catch (error) {
    if (!isTimedOut(error)) throw error
    return false
  }
}

/**
 * Runs the chore once: drops months, and days of sealed hours, that no plan promises and no check is judged by, and returns their
 * names. Fails if they stay busy; the next run tries again. Several processes may run it at once.
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
  const kept = behind.reduce(earlier, edgeOf(longest, now))
  for (const [table, edge] of [
    ['results', earlier(kept, before)],
    ['sealed_hours', kept],
  ] as const) {
    for (const name of await listPartitionsBefore(machines, edge, table)) {
      await untilFree(deps, (trx) => retirePartition(trx, name, table))
      dropped.push(...(await dropRetired(machines)))
    }
  }
  return dropped
}

/**
 * Drops partitions of results that no one reads, because their hours are sealed. Stores unsealed results there, and outside of
 * all partitions, as late ones. A process that was cut off can leave such results.
 */
export async function dropSealed(deps: PartitionDeps, sealed_until: string): Promise<string[]> {
  const { machines } = deps.database
  if (sealed_until === NEVER) return []
  for (let moves = 0; moves < MOVES; moves++) {
    const hours = await withFewer(deps, 'hours', (limit) => moveSome(deps, sealed_until, limit))
    if (!hours) break
  }
  const [oldest] = await listPartitions(machines)
  const edge =
    oldest && oldest.until <= sealed_until ? await lookThrough(deps, oldest.from, sealed_until) : sealed_until
  const names = await listPartitionsBefore(machines, edge)
  // A partition that another process has detached, but not dropped, may have one of the names.
  const dropped = names.length > 0 ? await dropRetired(machines) : []
  for (const name of names.slice(0, DROPPED_AT_ONCE)) {
    await untilFree(
      deps,
      async (trx) => {
        const progress = await shareSealProgress(trx)
        if (!progress.is_held_up) await retireBefore(trx, name, earlier(sealed_until, progress.sealed_until))
      },
      DROP_TRIES,
    )
  }
  return [...dropped, ...(await dropRetired(machines))]
}

/**
 * Progress of the search for unsealed results in this process: the end of the finished part, and the last check of the next day.
 */
interface Look {
  until: string
  after: CheckKey | undefined
}
const looks = new WeakMap<PartitionDeps['database'], Look>()
/**
 * Maximum time of a run for the search, in milliseconds. `RESULTS_AT_ONCE`: approximate number of results that a statement
 * examines.
 */
const LOOK_MS = 5_000
const RESULTS_AT_ONCE = 1_000_000
const MOST_CHECKS = 20_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * Stores the unsealed results of a span by day, and returns the end of the finished part. Compares numbers of runs by hour first.
 */
async function lookThrough(given: PartitionDeps, from: string, until: string): Promise<string> {
  const { database, clock } = given
  // An hour that lacks its beginning was searched when that was dropped.
  const begin = fromDate(new Date(Math.ceil(Date.parse(from) / HOUR_MS) * HOUR_MS))
  const known = looks.get(database)
  // Does not search again what an earlier run of this process searched.
  let look = known && known.until >= begin && known.until <= until ? known : { until: begin, after: undefined }
  const began = clock.monotonicMs()
  while (look.until < until && clock.monotonicMs() - began <= LOOK_MS) {
    const span = { from: look.until, until: earlier(midnightAfter(look.until), until) }
    const minutes = (Date.parse(span.until) - Date.parse(span.from)) / 60_000
    const most = Math.min(Math.ceil(RESULTS_AT_ONCE / minutes), MOST_CHECKS)
    const { after } = look
    const { keys, limit, uneven } = await withFewer(given, 'checks', async (some) => {
      const limit = Math.min(some, most)
      const keys = await listChecksAfter(database.machines, after, limit)
      return { keys, limit, uneven: await listUneven(database.machines, keys, span) }
    })
    if (!uneven) break
    while (uneven.length > 0) {
      const saved = await withFewer(given, 'hours', (limit) => saveSome(given, uneven.slice(0, limit), span.until))
      if (saved === 0) return look.until
      uneven.splice(0, saved)
    }
    look = keys.length < limit ? { until: span.until, after: undefined } : { until: look.until, after: keys.at(-1) }
    looks.set(database, look)
  }
  return earlier(look.until, until)
}

/** Stores the unsealed results of some hours. Returns the number of hours, or 0 if the search has to stop for now. */
async function saveSome({ database }: PartitionDeps, hours: readonly MarkedHour[], until: string): Promise<number> {
  return database.machines.transaction().execute(async (trx) => {
    const { is_held_up, sealed_until } = await awaitSealProgress(trx)
    if (is_held_up || sealed_until < until) return 0
    return (await saveMissed(trx, hours, { outside: false })).size > 0 ? 0 : hours.length
  })
}

const midnightAfter = (at: string): string => fromDate(new Date(Math.floor(Date.parse(at) / DAY_MS) * DAY_MS + DAY_MS))

/**
 * Number of hours for one transaction that moves results from outside of all partitions. For many more, Postgres would compare
 * each result with each sealed one. `MOVES`: transactions in a run.
 */
const MOVED_AT_ONCE = 50
const MOVES = 20

/** Maximum sizes of slow batches. `sizes`: what this process has learned of them. */
const MOST = { hours: MOVED_AT_ONCE, checks: MOST_CHECKS }
const sizes = new WeakMap<PartitionDeps['database'], typeof MOST>()

/**
 * Runs `work` with as many items as this process has learned to be fast: half of them after a timeout, a little more after a
 * success. Very few never grow, because each attempt takes as long.
 */
async function withFewer<Answer>(
  { database }: PartitionDeps,
  what: keyof typeof MOST,
  work: (limit: number) => Promise<Answer>,
): Promise<Answer> {
  const size = sizes.get(database) ?? { ...MOST }
  sizes.set(database, size)
  for (;;) {
    try {
      const answer = await work(size[what])
      size[what] = Math.min(size[what] + Math.floor(size[what] / 16), MOST[what])
      return answer
    } catch (error) {
      if (!isTimedOut(error) || size[what] === 1) throw error
      size[what] = Math.ceil(size[what] / 2)
    }
  }
}

/** Moves some results from outside of all partitions. Returns false if there is no more to do for now. */
async function moveSome({ database: { machines } }: PartitionDeps, before: string, limit: number): Promise<boolean> {
  if ((await listOutside(machines, before, 1)).length === 0) return false
  return machines.transaction().execute(async (trx) => {
    const { is_held_up, sealed_until } = await awaitSealProgress(trx)
    const hours = is_held_up ? [] : await listOutside(trx, earlier(before, sealed_until), limit)
    if (hours.length === 0) return false
    return (await saveMissed(trx, hours, { outside: true })).size === 0
  })
}

/** Runs a transaction, and repeats it while others hold the locks that it needs. `most`: maximum number of attempts. */
export async function untilFree<Answer>(
  { database }: PartitionDeps,
  run: (trx: Transaction<Tables>) => Promise<Answer>,
  most = TRIES,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.people.transaction().execute(run)
    } catch (error) {
      if (!isCrossed(error) || tries === most) throw error
      await pause(PAUSE_MS)
    }
  }
}

function earlier(a: string, b: string): string {
  return a < b ? a : b
}

export function monthAt(now: Date, offset: number): Month {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString().slice(0, 10)
}
