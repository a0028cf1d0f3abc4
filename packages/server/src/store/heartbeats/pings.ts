// The newest pings of each heartbeat, as its page lists them.
import type { Db } from '../database.ts'
import type { HeartbeatPlace } from './heartbeats.ts'
import { wireTime } from '../wire-time.ts'

export interface PingRow {
  /** Number of this ping in its heartbeat, from 1. */
  n: number
  created_at: string
  kind: 'beat' | 'start' | 'fail' | 'log' | 'exit_code'
  exit_code: number | null
  rid: string | null
  duration_ms: number | null
  body: string | null
}

/** The newest pings, newest first. */
export async function listPings(db: Db, place: HeartbeatPlace, limit: number): Promise<PingRow[]> {
  return pingsOf(db, place).orderBy('n', 'desc').limit(limit).execute()
}

/** The newest ping that starts or ends a run. Pings without a `rid` belong to one run. */
export async function findNewestOfRun(db: Db, place: HeartbeatPlace, rid: string | null): Promise<PingRow | undefined> {
  return pingsOf(db, place)
    .where('kind', '<>', 'log')
    .where('rid', 'is not distinct from', rid)
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Stores a ping. Every tenth time it also deletes those that are more than `keep` behind, so a few more than `keep` may remain. */
export async function insertPing(db: Db, place: HeartbeatPlace, ping: PingRow, keep: number): Promise<void> {
  const { org_id, heartbeat_id } = place
  await db
    .insertInto('pings')
    .values({ org_id, heartbeat_id, ...ping })
    .execute()
  if (ping.n % FORGET_EVERY !== 0) return
  await db
    .deleteFrom('pings')
    .where('org_id', '=', org_id)
    .where('heartbeat_id', '=', heartbeat_id)
    .where('n', '<=', ping.n - keep)
    .execute()
}

const FORGET_EVERY = 10

function pingsOf(db: Db, { org_id, heartbeat_id }: HeartbeatPlace) {
  return db
    .selectFrom('pings')
    .select((eb) => [
      'n',
      wireTime(eb.ref('created_at')).as('created_at'),
      'kind',
      'exit_code',
      'rid',
      'duration_ms',
      'body',
    ])
    .where('org_id', '=', org_id)
    .where('heartbeat_id', '=', heartbeat_id)
}
