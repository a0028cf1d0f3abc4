// Writes sealed hours back as rows while servers use them, so that a server of an earlier version can read them again.
import { setTimeout as pause } from 'node:timers/promises'
import type { CheckKey } from '@dogwatch/store/check-keys'
import type { Db } from '@dogwatch/store/database'
import {
  dropRetired,
  insertMissing,
  listPartitions,
  type Partition,
  retirePartition,
} from '@dogwatch/store/results/sealing/partitions'
import {
  awaitSealProgress,
  isHeldUp,
  listChecksAfter,
  NEVER,
  readSealProgress,
  type SealProgress,
  updateSealProgress,
} from '@dogwatch/store/results/sealing/sealing'
import { insertUnsealed, moveReopened } from '@dogwatch/store/results/sealing/unsealing'
import { awaitStoring, isWatermarkCopied } from '@dogwatch/store/results/sealing/waits'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { monthAt, untilFree } from './partitions.ts'

/** Number of checks of a day in one transaction. Wiping and deleting results wait for it. */
const CHECKS_AT_ONCE = 50

export interface UnsealCounts {
  /** Number of days that were written back. */
  days: number
  /** Number of results that were written. */
  results: number
}

/** Time until statements with an earlier watermark have ended, in milliseconds. */
const NOTICED_MS = 60_000

/**
 * Writes all sealed hours back, the newest day first, and bars sealing until {@link allowSealing}. It can be interrupted anywhere
 * and run again. Readers see every result once at any moment.
 */
export async function unsealHours(deps: Deps, { noticed_ms = NOTICED_MS } = {}): Promise<UnsealCounts> {
  const done: UnsealCounts = { days: 0, results: 0 }
  await requireInPlace(deps.database.machines)
  // Sealing and merging lock the row of `seal_progress`, so neither runs from here on.
  await change(deps, { is_barred: true, noticed_until: NEVER, noticing_until: NEVER, noticing_since: null })
  for (let day = await newestSealed(deps); day; day = await newestSealed(deps)) {
    done.results += await unsealDay(deps, day)
    done.days++
  }
  await change(deps, { sealed_until: NEVER, sealing_until: null, sealing_org_id: null, sealing_check_id: null })
  deps.database.sealing.forget()
  if (await isWatermarkCopied(deps.database.machines)) await pause(noticed_ms)
  for (const { name } of await listPartitions(deps.database.machines, 'sealed_hours')) await drop(deps, name)
  done.results += await openAll(deps)
  const now = deps.clock.now()
  for (const offset of [-1, 0]) {
    await untilFree(deps, (trx) => insertMissing(trx, monthAt(now, offset), monthAt(now, offset + 1)))
  }
  return done
}

/** Allows servers with the setting to seal hours again. */
export async function allowSealing(deps: Deps): Promise<void> {
  await change(deps, { is_barred: false })
}

/** Returns the last day with sealed hours, and the end of the sealed hours. */
async function newestSealed({ database: { machines } }: Deps): Promise<Day | undefined> {
  const { sealed_until } = await readSealProgress(machines)
  const day = (await listPartitions(machines, 'sealed_hours')).findLast(({ from }) => from < sealed_until)
  return day && { ...day, sealed_until }
}

type Day = Partition & { sealed_until: string }

async function change({ database }: Deps, changed: Partial<SealProgress>): Promise<void> {
  await database.machines.transaction().execute(async (trx) => {
    await awaitSealProgress(trx)
    await updateSealProgress(trx, changed)
  })
}

async function unsealDay(deps: Deps, { name, from, sealed_until }: Day): Promise<number> {
  await untilFree(deps, (trx) => insertMissing(trx, monthAt(new Date(from), 0), monthAt(new Date(from), 1)))
  const written = await walkChecks(deps, (trx, keys) => insertUnsealed(trx, keys, from, sealed_until))
  await change(deps, { sealed_until: from, sealing_until: null, sealing_org_id: null, sealing_check_id: null })
  // If statements have copies of the watermark, some still read from the partition.
  if (!(await isWatermarkCopied(deps.database.machines))) await drop(deps, name)
  return written
}

async function drop(deps: Deps, name: string): Promise<void> {
  await untilFree(deps, (trx) => retirePartition(trx, name, 'sealed_hours'))
  await dropRetired(deps.database.machines)
}

/**
 * Turns late results into rows among the other results again. `announced` stays as it is, so that each process that stores a
 * result searches all tables for it.
 */
async function openAll(deps: Deps): Promise<number> {
  await change(deps, { closed: NEVER, settled: NEVER, waits_for: null })
  await awaitStoring(deps.database.machines)
  const moved = await walkChecks(deps, moveReopened)
  await change(deps, { announced: NEVER, is_on: false, turned_on_at: null })
  return moved
}

/** Throws if `dogwatch shard` is running. Otherwise tables stay where they are until the transaction ends. */
async function requireInPlace(db: Db): Promise<void> {
  if (await isHeldUp(db))
    throw new Error(
      'dogwatch shard is running on this database; run dogwatch results unseal again when dogwatch shard has finished',
    )
}

/**
 * Runs `work` for some checks at a time, in transactions that lock the row of `seal_progress`. Returns the sum of its results.
 */
async function walkChecks(
  { database: { machines } }: Deps,
  work: (trx: Transaction<Tables>, keys: readonly CheckKey[]) => Promise<number>,
): Promise<number> {
  let done = 0
  let after: CheckKey | undefined
  do {
    const last = after
    after = await machines.transaction().execute(async (trx) => {
      await awaitSealProgress(trx)
      await requireInPlace(trx)
      const keys = await listChecksAfter(trx, last, CHECKS_AT_ONCE)
      done += await work(trx, keys)
      return keys.at(-1)
    })
  } while (after)
  return done
}
