// Checks that everything acknowledged is stored: every result of every upload that was answered with 200, and nothing
// that was never sent.
import type { Stage } from '../../lab/stage.ts'
import type { Acknowledged } from '../../lab/traffic/orders.ts'
import { foundIn, type Share, sharesOf } from '../../lab/traffic/rounds.ts'
import type { Unit } from '../../lab/traffic/units.ts'

export interface Account {
  acknowledged: number
  lost: number
  /** Stored, although its sender was not told so. */
  untold: number
}

const AT_ONCE = 50_000

export async function settle(
  stage: Stage,
  units: readonly Unit[],
  acknowledged: readonly Acknowledged[],
): Promise<Account> {
  const { machines } = stage.database.pools
  const shares = new Map(units.flatMap((unit) => sharesOf(unit)).map((share) => [share.monitor_id, share]))
  const rows = acknowledged.flatMap(({ monitor_id, ...tick }) =>
    foundIn(shares.get(monitor_id) as Share, tick).map(({ guid, ran_at, success }) => ({
      monitor_id,
      guid,
      ran_at,
      success,
    })),
  )
  let missing = 0
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE)
    const columns = [
      some.map(({ monitor_id }) => monitor_id),
      some.map(({ guid }) => guid),
      some.map(({ ran_at }) => ran_at),
      some.map(({ success }) => success),
    ]
    missing += (await machines.query<{ count: number }>(MISSING, columns)).rows[0]?.count ?? 0
  }
  const monitors = [...shares.keys()]
  const stored = (await machines.query<{ count: number }>(STORED, [monitors])).rows[0]?.count ?? 0
  return { acknowledged: rows.length, lost: missing, untold: stored - (rows.length - missing) }
}

// The table's key allows a check, an instant and a monitor once. A result that is stored otherwise than sent counts as
// missing.
const MISSING = `
  select count(*)::integer as count
  from unnest($1::text[], $2::text[], $3::timestamptz[], $4::boolean[]) as sent(monitor_id, guid, ran_at, success)
  join check_guids using (guid)
  left join results r on r.org_id = check_guids.org_id and r.check_id = check_guids.check_id
    and r.ran_at = sent.ran_at and r.monitor_id = sent.monitor_id and r.success = sent.success
  where r.org_id is null`

// What units are made with is older.
const STORED = `
  select count(*)::integer as count from results
  where monitor_id = any($1::text[]) and ran_at > now() - interval '60 minutes'`
