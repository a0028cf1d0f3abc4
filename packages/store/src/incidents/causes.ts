// Reads why incidents began, according to their first alert or the failing result.
import { sql } from 'kysely'
import { unseen } from '../builder-pool.ts'
import type { Db } from '../database.ts'
import { openReader } from '../results/reader.ts'
import { firstFailureOf, type ToldCause } from './incident-list.ts'

/** Lists what the first alert about each of these incidents says. Incidents without a stored alert are absent. */
export async function listToldCauses(
  db: Db,
  org_id: number,
  incident_ids: readonly string[],
): Promise<(ToldCause & { incident_id: string })[]> {
  const { rows } = await sql<ToldCause & { incident_id: string }>`
    select k.incident_id, e.data ->> 'error' as error, e.data ->> 'reason' as reason, (e.data ->> 'exit_code')::integer as exit_code
    from unnest(${[...incident_ids]}::text[]) as k(incident_id) cross join lateral (
      select data from events where org_id = ${org_id} and incident_id = k.incident_id and type in ('check.down', 'heartbeat.down')
      order by created_at limit 1) e`.execute(db)
  return rows
}

export interface FirstError {
  incident_id: string
  org_id: number
  check_id: number
  /** Time of the result, by the server's clock. */
  ran_at: string
  /** Target of the check. Empty if the definition is private. */
  url: string
  error: string | null
}

/**
 * Lists the errors of the results that began the given incidents of checks. Omits incidents whose result is no longer stored.
 */
export async function listFirstErrors(
  db: Db,
  org_id: number,
  incident_ids: readonly string[],
  { from, until }: { from: string; until: string },
): Promise<FirstError[]> {
  const results = await openReader(db)
  const org = unseen(sql`${org_id}::bigint`)
  const { rows } = await results.sql<FirstError>`
    with named as materialized (
      select incident_id, check_id, began_at from incidents
      where org_id = ${org} and incident_id = any(${unseen(sql`${[...incident_ids]}::text[]`)}::text[]) and check_id is not null
    ), first as materialized (
      select i.incident_id, i.check_id, i.began_at, first.error
      from named i cross join lateral (${firstFailureOf(results, org_id, from, until, 'error')}) first)
    select first.incident_id, c.org_id, c.check_id, wire_time(first.began_at) as ran_at, c.url, nullif(left(first.error, c.result_detail_max_chars), '') as error
    from first join checks c on c.org_id = ${org} and c.check_id = first.check_id`.execute(db)
  return rows
}
