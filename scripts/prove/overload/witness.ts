// Checks that every result of every upload with a response of 200 is stored as it was sent.
import type { Stage } from '../../lab/stage.ts'
import type { AcknowledgedTick } from '../../lab/traffic/orders.ts'
import { foundIn, type Share, sharesOf } from '../../lab/traffic/rounds.ts'
import type { Unit } from '../../lab/traffic/units.ts'
import { numberOf } from '../../lab/world.ts'

export interface Account {
  acknowledged: number
  lost: number
  /** Stored results whose sender had no response. */
  unconfirmed: number
}

const AT_ONCE = 50_000

export async function settle(
  stage: Stage,
  units: readonly Unit[],
  acknowledged: readonly AcknowledgedTick[],
): Promise<Account> {
  const shares = new Map(units.flatMap((unit) => sharesOf(unit)).map((share) => [share.monitor_id, share]))
  const rows = acknowledged.flatMap(({ monitor_id, ...tick }) =>
    foundIn(shares.get(monitor_id) as Share, tick).map((found) => ({ monitor_id, ...found })),
  )
  let lost = 0
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    lost += await numberOf(stage, MISSING, JSON.stringify(rows.slice(from, from + AT_ONCE)))
  }
  const stored = await numberOf(stage, STORED, [...shares.keys()])
  return { acknowledged: rows.length, lost, unconfirmed: stored - (rows.length - lost) }
}

const MISSING = `
  select count(*)
  from jsonb_to_recordset($1::jsonb) as sent(monitor_id text, guid text, ran_at timestamptz, success boolean)
  join check_guids using (guid)
  left join results r on r.org_id = check_guids.org_id and r.check_id = check_guids.check_id
    and r.ran_at = sent.ran_at and r.monitor_id = sent.monitor_id and r.success = sent.success
  where r.org_id is null`

// The results with which units begin are older.
const STORED = `
  select count(*) from results where monitor_id = any($1::text[]) and ran_at > now() - interval '60 minutes'`
