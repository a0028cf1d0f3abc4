// Stores the newest pings of each heartbeat, for its page.
import { type Kysely, sql } from 'kysely'
import { executeTogether, prepared } from '../builder-pool.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { wireTime } from '../wire-time.ts'
import {
  type HeartbeatCase,
  type HeartbeatPlace,
  type HeartbeatStateColumns,
  lockingCase,
  updatingState,
} from './heartbeats.ts'

export interface PingRow {
  /** Number of this ping among the heartbeat's pings, from 1. */
  n: number
  created_at: string
  kind: 'beat' | 'start' | 'fail' | 'log' | 'exit_code'
  exit_code: number | null
  rid: string | null
  duration_ms: number | null
  body: string | null
}

/** Lists the newest pings of a heartbeat, newest first. */
export async function listPings(db: Db, place: HeartbeatPlace, limit: number): Promise<PingRow[]> {
  return pingsOf(db, place).orderBy('n', 'desc').limit(limit).execute()
}

/** Locked heartbeat with its newest pings. */
export interface HeldHeartbeat {
  held: HeartbeatCase
  newest: PingRow | undefined
  /** Newest ping with the given `rid` that starts or ends a run. Pings without a `rid` count as one run. */
  ofRun: PingRow | undefined
}

/**
 * Locks a heartbeat until the transaction ends, like `lockHeartbeatCase`, and reads its newest pings. Returns undefined if there
 * is no such heartbeat.
 */
export async function lockToPing(
  db: Kysely<Tables>,
  place: HeartbeatPlace,
  rid: string | null,
): Promise<HeldHeartbeat | undefined> {
  const { org_id, heartbeat_id } = place
  // Sends all statements at once. The later ones see what was committed while the first one waited for its lock.
  const [found, newest, ofRun] = await executeTogether(db, [
    lockingCase(place),
    prepared`select ${PING} from pings where org_id = ${org_id} and heartbeat_id = ${heartbeat_id} order by n desc limit 1`,
    prepared`
      select ${PING} from pings
      where org_id = ${org_id} and heartbeat_id = ${heartbeat_id} and kind <> 'log' and rid is not distinct from ${rid}
      order by n desc limit 1`,
  ])
  const [held] = (found ?? []) as HeartbeatCase[]
  return held && { held, newest: newest?.[0] as PingRow | undefined, ofRun: ofRun?.[0] as PingRow | undefined }
}

/**
 * Stores a ping, and the new state of the heartbeat if it changes. With every tenth ping, deletes all but the newest `keep` pings,
 * so a few more can exist in between.
 */
export async function insertPing(
  db: Kysely<Tables>,
  place: HeartbeatPlace,
  ping: PingRow,
  { keep, after }: { keep: number; after: HeartbeatStateColumns | undefined },
): Promise<void> {
  const { org_id, heartbeat_id } = place
  await executeTogether(db, [
    prepared`
      insert into pings (org_id, heartbeat_id, n, created_at, kind, exit_code, rid, duration_ms, body)
      values (${org_id}, ${heartbeat_id}, ${ping.n}, ${ping.created_at}::timestamptz, ${ping.kind}, ${ping.exit_code}, ${ping.rid},
        ${ping.duration_ms}, ${ping.body})`,
    ...(ping.n % FORGET_EVERY === 0
      ? [
          prepared`
            delete from pings where org_id = ${org_id} and heartbeat_id = ${heartbeat_id} and n <= ${ping.n - keep}::bigint`,
        ]
      : []),
    ...(after === undefined ? [] : [updatingState(place, after)]),
  ])
}

const PING = sql`n, wire_time(created_at) as created_at, kind, exit_code, rid, duration_ms, body`

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
