// Compares the summarised hours and days of an organisation with its results.
import type { Deps } from '../../packages/domain/dist/deps.js'
import { listDays, listHours } from '../../packages/store/dist/results/history.js'
import { query } from './world.ts'

const COUNTED = `
  select check_id || ' ' || wire_time(date_trunc($2, ran_at, 'UTC')) || ' ' || count(*) || ' ' ||
    count(*) filter (where not success) as key
  from stored_results where org_id = $1 group by check_id, date_trunc($2, ran_at, 'UTC')`

/** Lists the hours and days whose numbers of runs or failures differ from those of the results. */
export async function differingHistory(deps: Pick<Deps, 'database'>, org_id: number): Promise<string[]> {
  const text = 'select check_id::integer from checks where org_id = $1'
  const checks = await query<{ check_id: number }>(deps, text, org_id)
  const check_ids = checks.map(({ check_id }) => check_id)
  const span = { org_id, check_ids, from: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }
  const differing: string[] = []
  for (const [unit, list] of [['hour', listHours] as const, ['day', listDays] as const]) {
    const listed = await list(deps.database, span)
    const history = new Set(listed.map(({ check_id, at, runs, failures }) => `${check_id} ${at} ${runs} ${failures}`))
    const counts = new Set((await query<{ key: string }>(deps, COUNTED, org_id, unit)).map(({ key }) => key))
    const difference = [...history, ...counts].filter((key) => !history.has(key) || !counts.has(key))
    differing.push(...difference.map((key) => `${unit} of org ${org_id}: ${key}`))
  }
  return differing
}
