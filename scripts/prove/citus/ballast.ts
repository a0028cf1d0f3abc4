// A million results of organisations that nobody works with: they must come out of every change of layout as they went in.
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { addToFleet } from '../../lab/fleet.ts'
import type { Stage } from '../../lab/stage.ts'

const ORGS = 50
const CHECKS = 1000
/** Of all checks together in one statement. */
const AT_ONCE = 100_000

export interface Ballast {
  readonly rows: number
  /** Organisations whose results are not what they were, in words. */
  faults(when: string): Promise<string[]>
}

/** A sum that a lost, doubled or changed row changes. */
const SUMS = `
  select org_id, count(*)::integer as count,
    sum(hashtext(concat_ws(' ', check_id, extract(epoch from ran_at), monitor_id, latency_ms, success)))::text as sum
  from results where org_id = any($1) group by org_id`

export async function loadBallast({ database }: Deps, rows: number): Promise<Ballast> {
  const { machines } = database.pools
  const { monitors, org_ids } = await addToFleet({ database } as Stage, {
    orgs: ORGS,
    checks: CHECKS,
    monitors: 1,
    groups: 1,
  })
  const [monitor] = monitors
  const each = Math.ceil(rows / CHECKS)
  const step = AT_ONCE / CHECKS
  for (let from = 1; from <= each; from += step) {
    const until = Math.min(each, from + step - 1)
    await machines.query(
      `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
       select org_id, check_id, now() - interval '2 days' + n * interval '1 minute', n % 900, 200, true, monitor_id
       from assignments, generate_series($2::integer, $3::integer) n where monitor_id = $1`,
      [monitor?.id, from, until],
    )
  }
  await machines.query('analyze')
  const sums = async (): Promise<Map<number, string>> => {
    const { rows: found } = await machines.query<{ org_id: number; count: number; sum: string }>(SUMS, [org_ids])
    return new Map(found.map(({ org_id, count, sum }) => [org_id, `${count} results, ${sum}`]))
  }
  const before = await sums()
  return {
    rows: each * CHECKS,
    faults: async (when) => {
      const now = await sums()
      const changed = [...before].filter(([org_id, sum]) => now.get(org_id) !== sum)
      return changed.map(
        ([org_id, sum]) => `${when}: organisation ${org_id}: ${sum} became ${now.get(org_id) ?? 'nothing'}`,
      )
    },
  }
}
