// Writes sealed hours back as rows, while servers use them, so that a server of an earlier build can read them again.
import { setTimeout as pause } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { CheckKey } from '../../store/checks/check-health.ts'
import type { Db } from '../../store/database.ts'
import { listStoring } from '../../store/results/arrivals.ts'
import {
  dropRetired,
  insertMissing,
  listPartitions,
  type Partition,
  retirePartition,
} from '../../store/results/partitions.ts'
import {
  awaitSealProgress,
  isHeldUp,
  listChecksAfter,
  NEVER,
  readSealProgress,
  type SealProgress,
  updateSealProgress,
} from '../../store/results/sealing.ts'
import { insertUnsealed, moveReopened, moveReopenedOf } from '../../store/results/unsealing.ts'
import { listStoringAtNodes } from '../../store/results/sealing-on-nodes.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import { monthAt, untilFree } from './partitions.ts'

/** Of a day, so many checks in a transaction: whoever wipes or deletes results waits for it. */
const CHECKS_AT_ONCE = 50
const RESULTS_AT_ONCE = 5_000
const LOOK_MS = 50

export interface Unsealed {
  /** Days that were written back. */
  days: number
  /** Results that were written. */
  results: number
}

/** Statements on nodes were told until when hours are sealed. Those that were told another instant than now have ended by then. */
const NOTICED_MS = 60_000

/**
 * Writes all sealed hours back, the newest day first, and forbids sealing until `allowSealing`. It can be cut off anywhere and run
 * again. Readers see every result once at any moment.
 */
export async function unsealHours(deps: Deps, { noticed_ms = NOTICED_MS } = {}): Promise<Unsealed> {
  const done: Unsealed = { days: 0, results: 0 }
  await requireInPlace(deps.database.machines)
  // Whoever seals or merges holds the progress, so from here on nobody does.
  await change(deps, { is_barred: true, noticed_until: NEVER, noticing_until: NEVER, noticing_since: null })
  for (let day = await newestSealed(deps); day; day = await newestSealed(deps)) {
    done.results += await unsealDay(deps, day)
    done.days++
  }
  await change(deps, { sealed_until: NEVER, sealing_until: null, sealing_org_id: null, sealing_check_id: null })
  deps.database.sealing.forget()
  if (await deps.database.nodes.isDistributed()) await pause(noticed_ms)
  for (const { name } of await listPartitions(deps.database.machines, 'sealed_hours')) await drop(deps, name)
  done.results += await openAll(deps)
  const now = deps.clock.now()
  for (const offset of [-1, 0]) {
    await untilFree(deps, (trx) => insertMissing(trx, monthAt(now, offset), monthAt(now, offset + 1)))
  }
  return done
}

/** Hours may be sealed again by servers with the setting. */
export async function allowSealing(deps: Deps): Promise<void> {
  await change(deps, { is_barred: false })
}

/** The last day with sealed hours, and until when they are. */
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
  // Where results are distributed, some still read of it.
  if (!(await deps.database.nodes.isDistributed())) await drop(deps, name)
  return written
}

async function drop(deps: Deps, name: string): Promise<void> {
  await untilFree(deps, (trx) => retirePartition(trx, name, 'sealed_hours'))
  await dropRetired(deps.database.machines)
}

/**
 * Late results are rows among the others again. As long as `announced` stays, whoever stores one looks for it in all tables.
 */
async function openAll(deps: Deps): Promise<number> {
  const { machines } = deps.database
  await change(deps, { closed: NEVER, settled: NEVER, waits_for: null })
  const isDistributed = await deps.database.nodes.isDistributed()
  await untilStored(deps, listStoring)
  // What a process that was killed has left at nodes.
  if (isDistributed) await untilStored(deps, listStoringAtNodes)
  let moved = isDistributed ? await walkChecks(deps, moveReopenedOf) : 0
  const moveSome = async (trx: Transaction<Tables>) => {
    await awaitSealProgress(trx)
    return moveReopened(trx, RESULTS_AT_ONCE)
  }
  for (let count = isDistributed ? 0 : 1; count > 0; moved += count)
    count = await machines.transaction().execute(moveSome)
  await change(deps, { announced: NEVER, is_on: false, turned_on_at: null })
  return moved
}

/** Until every transaction has ended that stores results now. */
async function untilStored(
  { database }: Deps,
  list: (trx: Transaction<Tables>) => Promise<string[] | undefined>,
): Promise<void> {
  const storing = () => database.machines.transaction().execute(list)
  let last = await storing()
  while (last === undefined || last.length > 0) {
    await pause(LOOK_MS)
    const now = await storing()
    // A node that does not answer may have some.
    last = last === undefined ? now : last.filter((one) => now?.includes(one) !== false)
  }
}

/** Tables stay where they are until the transaction ends. */
async function requireInPlace(db: Db): Promise<void> {
  if (await isHeldUp(db))
    throw new Error(
      'dogwatch shard is running on this database; run dogwatch results unseal again when dogwatch shard has finished',
    )
}

/** Some checks at a time, in a transaction each that holds the progress; returns the sum of what was done. */
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
