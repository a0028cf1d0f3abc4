// Pings: the newest calls of each heartbeat, as its page lists them.
import type { Db } from '../database.ts'
import type { HeartbeatPlace } from './heartbeats.ts'
import { wireTime } from '../wire-time.ts'

export interface PingRow {
  /** The how-manieth call of this heartbeat it is. */
  n: number
  created_at: string
  kind: 'beat' | 'start' | 'fail' | 'log' | 'exit_code'
  exit_code: number | null
  rid: string | null
  duration_ms: number | null
  body: string | null
}

/** The newest calls, newest first. */
export async function listPings(db: Db, place: HeartbeatPlace, limit: number): Promise<PingRow[]> {
  return pingsOf(db, place).orderBy('n', 'desc').limit(limit).execute()
}

/** The newest call of a run that starts or ends it; those without a `rid` are runs of one name. */
export async function findNewestOfRun(db: Db, place: HeartbeatPlace, rid: string | null): Promise<PingRow | undefined> {
  return pingsOf(db, place)
    .where('kind', '<>', 'log')
    .where('rid', 'is not distinct from', rid)
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Writes a call and forgets those that are more than `keep` behind it, now and then: there may be a few more. */
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
