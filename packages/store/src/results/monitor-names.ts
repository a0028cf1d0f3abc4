// Looks up the names of the monitors of results, by a statement of its own: monitors are elsewhere when results are distributed, and a
// page has few monitors, so that this is also cheaper than a join.
import type pg from 'pg'

const NAMES = { name: 'monitor-names', text: 'select id, name from monitors where id = any($1::text[])' }

/** Adds the name of its monitor to each row. The name is empty if the monitor no longer exists. */
export async function withMonitorNames<Row extends { monitor_id: string }>(
  pool: Pick<pg.Pool, 'query'>,
  rows: readonly Row[],
): Promise<(Row & { monitor_name: string })[]> {
  if (rows.length === 0) return []
  const names = await listMonitorNames(pool, [...new Set(rows.map(({ monitor_id }) => monitor_id))])
  return rows.map((row) => ({ ...row, monitor_name: names.get(row.monitor_id) ?? '' }))
}

/** Looks up the names of monitors by id. Omits monitors that no longer exist. */
export async function listMonitorNames(
  pool: Pick<pg.Pool, 'query'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; name: string }>({ ...NAMES, values: [ids] })
  return new Map(rows.map(({ id, name }) => [id, name]))
}
