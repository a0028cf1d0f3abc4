// Stores, for each monitor, the time of the newest request that this server could not accept through its own fault.
import type { Database } from '../database.ts'

export interface RefusedRequest {
  /** Hash of the API key, in hex. */
  key_hash: string
  refused_at: string
}

// Does not lock monitors. Writes in a fixed order, so that two processes that write at once cannot deadlock.
const NOTE = {
  name: 'refused-requests-note',
  text: `
    insert into refused_requests as r (monitor_id, refused_at)
    select m.id, max(given.refused_at)
    from unnest($1::text[], $2::timestamptz[]) as given(key_hash, refused_at)
    join monitors m on m.key_hash = decode(given.key_hash, 'hex')
    group by m.id order by m.id
    on conflict (monitor_id) do update set refused_at = excluded.refused_at
      where excluded.refused_at > r.refused_at`,
}

/** Records that requests with these keys were refused. Ignores keys that no monitor has. */
export async function noteRefusedRequests({ pools }: Database, refused: readonly RefusedRequest[]): Promise<void> {
  const values = [refused.map(({ key_hash }) => key_hash), refused.map(({ refused_at }) => refused_at)]
  await pools.asyncCommit.query({ ...NOTE, values })
}
