// Changes one field in many checks of an organisation at once. The callers must hold the checks' locks.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'

/** Enables or disables checks, and returns those that changed. */
export async function updateEnabled(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  enabled: boolean,
): Promise<number[]> {
  const { rows } = await sql<{ check_id: number }>`
    update checks set enabled = ${enabled}
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[]) and enabled <> ${enabled}
    returning check_id`.execute(db)
  return rows.map(({ check_id }) => check_id)
}

export async function updateIntervals(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  interval_sec: number,
): Promise<void> {
  await sql`
    update checks set interval_sec = ${interval_sec}
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[]) and interval_sec <> ${interval_sec}`.execute(
    db,
  )
}

export async function listTags(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
): Promise<{ check_id: number; name: string; tags: string[] }[]> {
  const { rows } = await sql<{ check_id: number; name: string; tags: string[] }>`
    select check_id, name, tags from checks
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[]) order by check_id`.execute(db)
  return rows
}

export async function updateTags(
  db: Db,
  org_id: number,
  changed: readonly { check_id: number; tags: readonly string[] }[],
): Promise<void> {
  if (changed.length === 0) return
  await sql`
    update checks c set tags = array(select jsonb_array_elements_text(given.one -> 'tags'))
    from jsonb_array_elements(${JSON.stringify(changed)}::jsonb) as given(one)
    where c.org_id = ${org_id} and c.check_id = (given.one ->> 'check_id')::bigint`.execute(db)
}

/** Lists the checks of an organisation that are assigned to a monitor. */
export async function listRunBy(db: Db, org_id: number, monitor_id: string): Promise<number[]> {
  const { rows } = await sql<{ check_id: number }>`
    select check_id from assignments a
    where org_id = ${org_id} and monitor_id = ${monitor_id} and ${IS_ASSIGNED_SQL}`.execute(db)
  return rows.map(({ check_id }) => check_id)
}
