// Loads a million results of organisations that no client uses. No change of the database's layout may change these results.
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../../packages/domain/dist/deps.js'
import { addToFleet } from '../../lab/fleet.ts'
import { query } from '../../lab/world.ts'

const [ORGS, CHECKS, AT_ONCE] = [50, 1000, 100_000]
const [TRIES, AGAIN_MS] = [5, 500]

export interface Ballast {
  readonly rows: number
  /** Returns a message for each organisation whose results have changed. */
  faults(when: string): Promise<string[]>
}

/** Checksum of the results of an organisation, which differs if a result is lost, doubled or changed. */
const SUM = `
  select count(*) || ' results, ' ||
    sum(hashtext(concat_ws(' ', check_id, extract(epoch from ran_at), monitor_id, latency_ms, success))) as sum
  from stored_results where org_id = $1`

/** Returns the checksum of an organisation. The first statement after a node was killed can meet its old connection. */
async function sumOf(deps: Deps, org_id: number): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return (await query<{ sum: string }>(deps, SUM, org_id))[0]?.sum
    } catch (error) {
      if (tries === TRIES) throw error
      await pause(AGAIN_MS)
    }
  }
}

export async function loadBallast(deps: Deps, rows: number): Promise<Ballast> {
  const { monitors, org_ids } = await addToFleet(deps, { orgs: ORGS, checks: CHECKS, monitors: 1, groups: 1 })
  const each = Math.ceil(rows / CHECKS)
  const step = AT_ONCE / CHECKS
  for (let from = 1; from <= each; from += step) {
    const text = `
      insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
      select org_id, check_id, now() - interval '2 days' + n * interval '1 minute', n % 900, 200, true, monitor_id
      from assignments, generate_series($2::integer, $3::integer) n where monitor_id = $1`
    await query(deps, text, monitors[0]?.id, from, Math.min(each, from + step - 1))
  }
  await query(deps, 'analyze')
  const sums = async () => {
    const found = new Map<number, string | undefined>()
    for (const org_id of org_ids) found.set(org_id, await sumOf(deps, org_id))
    return found
  }
  const before = await sums()
  return {
    rows: each * CHECKS,
    faults: async (when) => {
      const now = await sums()
      const changed = [...before].filter(([org_id, sum]) => now.get(org_id) !== sum)
      return changed.map(([org_id, sum]) => `${when}: organisation ${org_id}: ${sum} became ${now.get(org_id)}`)
    },
  }
}
