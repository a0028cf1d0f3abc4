// Decides whether a standby has nearly all changes of its primary, so that it can be read from.

import type { Clock } from '@dogwatch/runtime/clock'
import type pg from 'pg'
import type { Connections, Pooler } from './connections.ts'
import { openSparePool } from './spare-pool.ts'

export interface StandbyOptions {
  url: string
  /** Maximum age of changes that the standby may lack, in milliseconds. */
  lag_ms: number
  clock: Pick<Clock, 'monotonicMs'>
  /** Called with the reason when reads stop using the standby, and without one when they use it again. */
  onChange?: (why: StandbyAway | undefined) => void
}

/** Reason why reads do not use a standby. */
export interface StandbyAway {
  reason: 'behind' | 'promoted' | 'away'
  err?: unknown
}

export interface Standby {
  /** Whether reads may use the standby now. */
  isClose(): boolean
  /** Reports that a read on the standby failed, so that reads do not use it before the next successful check. */
  leave(err: unknown): void
  close(): Promise<void>
}

/**
 * Maximum interval between two checks, in milliseconds. The actual interval is a quarter of the allowed lag if that is less.
 */
const LOOK_MS = 2_000

/**
 * Watches a standby. Each check reads the primary's log position and `service_presence.alive_at` as a mark. A standby that has
 * reached both lacks no change from before the mark, so this process's clock alone bounds the age of missing changes.
 */
export function watchStandby(
  options: StandbyOptions,
  primary_url: string,
  connections: Connections,
  pooler?: Pooler,
): Standby {
  // When a standby has lost its primary, the newest mark that it has reached grows old. A standby of another primary
  // can have the same log position, but never the new times in `service_presence`.
  const { url, lag_ms: most, clock, onChange = () => {} } = options
  const every_ms = Math.min(LOOK_MS, most / 4)
  const [ours, theirs] = [openSparePool(primary_url, LOOK_MS, { pooler }), openSparePool(url, LOOK_MS, { pooler })]
  let marks: Mark[] = []
  let reached: number | undefined
  let away: StandbyAway['reason'] | undefined = 'away'
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const ageOf = (at: number) => clock.monotonicMs() - at
  const leave = (why: StandbyAway): void => {
    reached = undefined
    if (away !== why.reason && !isClosed) onChange(why)
    away = why.reason
  }
  const look = async (): Promise<void> => {
    const at = clock.monotonicMs()
    const primary = await readPlace(ours, PRIMARY).catch(() => undefined)
    // Without the primary no token can be verified, so no request can read from the standby either.
    if (!primary) return
    marks = [{ at, ...primary }, ...marks.filter((mark) => ageOf(mark.at) <= most)]
    try {
      const there = await readPlace(theirs, STANDBY)
      const mark = marks.find(({ position, beat }) => there.position >= position && there.beat >= beat)
      if (!there.is_standby) leave({ reason: 'promoted' })
      else if (!mark || ageOf(mark.at) > most) leave({ reason: 'behind' })
      else {
        reached = mark.at
        if (away !== undefined) onChange(undefined)
        away = undefined
      }
    } catch (err) {
      leave({ reason: 'away', err })
      // Otherwise, readers would wait for a standby that does not respond.
      connections.cut()
    }
  }
  const run = async (): Promise<void> => {
    await look()
    if (!isClosed) timer = setTimeout(() => (running = run()), every_ms)
  }
  let running = run()
  return {
    // Ignores what the standby has replayed since the last check, because that can be nothing.
    isClose: () => reached !== undefined && ageOf(reached) <= most,
    leave: (err) => leave({ reason: 'away', err }),
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await running
      await Promise.all([ours.end(), theirs.end(), connections.close()])
    },
  }
}

interface ReplicationStatus {
  is_standby: boolean
  /** Position in the write-ahead log, in bytes. */
  position: number
  /** Time in `service_presence.alive_at`, in seconds since 1970. 0 if there is none yet. */
  beat: number
}

interface Mark extends ReplicationStatus {
  at: number
}

const PLACE = (position: string) => `
  select pg_is_in_recovery() as is_standby, pg_wal_lsn_diff(${position}, '0/0')::float8 as position,
    coalesce((select extract(epoch from alive_at) from service_presence), 0)::float8 as beat`
const PRIMARY = PLACE('pg_current_wal_insert_lsn()')
const STANDBY = PLACE('pg_last_wal_replay_lsn()')

async function readPlace(watch: pg.Pool, statement: string): Promise<ReplicationStatus> {
  const { rows } = await watch.query<ReplicationStatus>(statement)
  const [place] = rows
  if (!place) throw new Error('the database does not report its position in the write-ahead log')
  return place
}
