// Decides whether a standby is close enough behind its primary to read from it.

import type { Clock } from '@dogwatch/runtime/clock'
import type pg from 'pg'
import type { Connections, Pooler } from './connections.ts'
import { openSparePool } from './spare-pool.ts'

export interface StandbyOptions {
  url: string
  /** Maximum age of changes that the standby can lack, in milliseconds. */
  lag_ms: number
  clock: Pick<Clock, 'monotonicMs'>
  /** Called when reads leave the standby, with the reason, and when they come back. */
  onChange?: (why: StandbyAway | undefined) => void
}

/** Reason why reads do not use a standby. */
export interface StandbyAway {
  reason: 'behind' | 'promoted' | 'away'
  err?: unknown
}

export interface Standby {
  /** Whether it may be read from now. */
  isClose(): boolean
  /** Reports that a read failed there, so that it is not used again before the next check. */
  leave(err: unknown): void
  close(): Promise<void>
}

/** Maximum interval between two checks, in milliseconds. A quarter of the allowed lag is used if that is less. */
const LOOK_MS = 2_000

/**
 * Watches a standby. Each check marks the primary's log position and its heartbeat in `service_presence`. A standby that has both
 * has everything from before the mark, so our own clock alone bounds the age of the changes that it lacks.
 */
export function watchStandby(
  options: StandbyOptions,
  primary_url: string,
  connections: Connections,
  pooler?: Pooler,
): Standby {
  // When a standby has lost its primary, its newest mark grows old. A standby that follows another primary can get as far in the
  // log, but never gets the heartbeats.
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
    // Without the primary no token can be verified, so there is nothing to read for.
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
      // Readers would otherwise wait long for it.
      connections.cut()
    }
  }
  const run = async (): Promise<void> => {
    await look()
    if (!isClosed) timer = setTimeout(() => (running = run()), every_ms)
  }
  let running = run()
  return {
    // What it replayed since the last check does not count, because that can be nothing.
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
  /** Position in the log, in bytes. */
  position: number
  /** Heartbeat of the primary, in seconds since 1970. 0 if there is none yet. */
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
