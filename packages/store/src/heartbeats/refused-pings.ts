// Stores, for each heartbeat, the time of the newest ping that this server could not accept through its own fault.
import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'
import type { HeartbeatPlace } from './heartbeats.ts'

export interface RefusedPing {
  token: string
  refused_at: string
}

// Does not lock heartbeats. Writes in a fixed order, so that two processes that write at once cannot deadlock.
const NOTE = {
  name: 'refused-pings-note',
  text: `
    insert into refused_pings as r (org_id, heartbeat_id, refused_at)
    select k.org_id, k.heartbeat_id, max(given.refused_at)
    from unnest($1::text[], $2::timestamptz[]) as given(token, refused_at) join heartbeat_keys k on k.token = given.token
    group by k.org_id, k.heartbeat_id order by k.org_id, k.heartbeat_id
    on conflict (org_id, heartbeat_id) do update set refused_at = excluded.refused_at
      where excluded.refused_at > r.refused_at`,
}

/** Records that pings of these tokens were refused. Ignores unknown tokens. */
export async function noteRefusedPings({ pools }: Database, refused: readonly RefusedPing[]): Promise<void> {
  const values = [refused.map(({ token }) => token), refused.map(({ refused_at }) => refused_at)]
  await pools.asyncCommit.query({ ...NOTE, values })
}

/** Lists when a ping of each of these heartbeats was last refused. Heartbeats without one are absent. */
export async function listRefusedPings(
  db: Db,
  places: readonly HeartbeatPlace[],
): Promise<(HeartbeatPlace & { refused_at: string })[]> {
  return db
    .selectFrom('refused_pings')
    .select((eb) => ['org_id', 'heartbeat_id', wireTime(eb.ref('refused_at')).as('refused_at')])
    .where(
      sql<boolean>`(org_id, heartbeat_id) in (select * from unnest(${places.map(({ org_id }) => org_id)}::bigint[],
        ${places.map(({ heartbeat_id }) => heartbeat_id)}::bigint[]))`,
    )
    .execute()
}
