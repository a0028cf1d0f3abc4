// Reads the time from the database, and sets the clock of this process by it.

import type { DatabaseClock } from '@dogwatch/runtime/database-clock'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { SparePool } from '../postgres/spare-pool.ts'
import { reportClock, type ServerProcess } from './processes.ts'

/** Query for the time in microseconds since the epoch, because whole numbers look the same under all settings. */
const NOW = 'select (extract(epoch from database_time()) * 1000000)::bigint as us'

type TimeQueryPool = Pick<SparePool, 'query'>

/** Reads the time once and sets the clock. */
async function sampleDatabaseTime(pool: TimeQueryPool, clock: DatabaseClock): Promise<void> {
  const sent_ms = clock.monotonicMs()
  const { rows } = await pool.query<{ us: string }>(NOW)
  clock.add({ sent_ms, received_ms: clock.monotonicMs(), database_ms: Number(rows[0]?.us) / 1000 })
}

/** Reads the time, sets the clock, and exchanges reports about the clocks with the other processes. */
async function exchange(sparePool: TimeQueryPool, clock: DatabaseClock, self: ServerProcess): Promise<void> {
  const { isParted } = clock
  const report = clock.report()
  if (!report) return sampleDatabaseTime(sparePool, clock)
  const sent_ms = clock.monotonicMs()
  const { us, others } = await reportClock(sparePool, self, report)
  clock.witnesses.readOthers(others, isParted)
  clock.add({ sent_ms, received_ms: clock.monotonicMs(), database_ms: us / 1000 })
}

/** Reads the time at this moment of a transaction from the database alone. Deletion by age uses this time. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ us: number }>`
    select (extract(epoch from database_time()) * 1000000)::bigint as us`.execute(db)
  return new Date(Number(rows[0]?.us) / 1000)
}

export interface FollowOptions {
  /** Called after each response of the database. */
  onAnswer?: () => void
  every_ms?: number
  /** Process that the clock belongs to, for the reports to other processes. Absent if it does not report. */
  self?: ServerProcess
}

const EVERY_MS = 1_000
/** Number of readings per report to the other processes, because writing costs more than reading. */
const TOLD_EVERY = 5
/** Number of readings at the start. Several, so that one slow response does not decide the time. */
const FIRST_SAMPLES = 3

/** Sets the clock from several readings in a row. */
export async function setByDatabase(pool: TimeQueryPool, clock: DatabaseClock, samples = FIRST_SAMPLES): Promise<void> {
  for (let count = 0; count < samples; count++) await sampleDatabaseTime(pool, clock)
}

/**
 * Reads the database's time again and again to correct the clock, until the caller calls the returned function. Ignores failed
 * readings.
 */
export function followDatabase(
  sparePool: SparePool,
  clock: DatabaseClock,
  { onAnswer = () => {}, every_ms = EVERY_MS, self }: FollowOptions = {},
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let isEnded = false
  let readings = 0
  const read = async (): Promise<void> => {
    const isTelling = self !== undefined && readings++ % TOLD_EVERY === 0
    if (!isTelling) return sampleDatabaseTime(sparePool, clock)
    // A read-only database accepts no report, but still has the time.
    await exchange(sparePool, clock, self).catch(() => sampleDatabaseTime(sparePool, clock))
  }
  const run = async (): Promise<void> => {
    // Other code reports an unreachable database. In the meantime, the clock continues by the monotonic clock alone.
    await read().then(onAnswer, () => {})
    if (!isEnded) timer = setTimeout(() => (running = run()), every_ms)
  }
  let running = run()
  return async () => {
    isEnded = true
    clearTimeout(timer)
    await running
  }
}
