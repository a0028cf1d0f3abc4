// The names of the monitors of results. They are looked up apart: monitors lie elsewhere when results are distributed, and a page has
// few monitors, so that this is also cheaper than a join.
import type pg from 'pg'

const NAMES = { name: 'monitor-names', text: 'select id, name from monitors where id = any($1::text[])' }

/** A monitor that is gone has an empty name. */
export async function withMonitorNames<Row extends { monitor_id: string }>(
  pool: Pick<pg.Pool, 'query'>,
  rows: readonly Row[],
): Promise<(Row & { monitor_name: string })[]> {
  if (rows.length === 0) return []
  const names = await listMonitorNames(pool, [...new Set(rows.map(({ monitor_id }) => monitor_id))])
  return rows.map((row) => ({ ...row, monitor_name: names.get(row.monitor_id) ?? '' }))
}

/** By id; those that are gone are missing. */
export async function listMonitorNames(
  pool: Pick<pg.Pool, 'query'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; name: string }>({ ...NAMES, values: [ids] })
  return new Map(rows.map(({ id, name }) => [id, name]))
}
