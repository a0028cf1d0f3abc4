// Finds results that are not sealed although their hours are, and stores them as late ones.
import { sql, type Transaction } from 'kysely'
import { type CheckKey, keyRows } from '../../check-keys.ts'
import type { Db } from '../../database.ts'
import type { Tables } from '../../tables.ts'
import { askWhoAnswers, forEachOrg } from '../nodes/layout.ts'
import { HOUR_OF, type RunColumn } from '../stored/sealed-form.ts'
import { COLUMNS, constant, RUNS, spanRows, unsealedOf, within } from './fragments.ts'
import { hourRows, type MarkedHour, marking } from './marks.ts'

const KEY: readonly RunColumn[] = ['org_id', 'check_id', 'ran_at', 'monitor_id']

/**
 * Marks hours, and stores as late results those that are neither sealed nor waiting. `outside`: those outside all partitions,
 * which it deletes there. The caller must hold the progress. Returns organisations whose node does not respond.
 */
export async function saveMissed(
  trx: Transaction<Tables>,
  hours: readonly MarkedHour[],
  { outside }: { outside: boolean },
): Promise<ReadonlySet<number>> {
  const { rows: checks } = await sql<CheckKey>`
    select c.org_id, c.check_id from checks c
    where (c.org_id, c.check_id) in (select org_id, check_id from ${hourRows(hours)})`.execute(trx)
  // The results of a check that no longer exists are not stored.
  const ids = new Set(checks.map(({ check_id }) => check_id))
  const table = sql.table(outside ? 'results_default' : 'results')
  return forEachOrg(trx, hours, async (ask, some, org_id) => {
    const org = constant(org_id)
    const wanted = some.filter(({ check_id }) => ids.has(check_id))
    if (wanted.length > 0) {
      await ask(marking(wanted, org))
      const sealed = sql`
        select s.* from ${hourRows(wanted)}
        join sealed_hours s on s.org_id = ${org} and s.check_id = k.check_id and s.since = k.hour`
      await ask(sql`
        insert into reopened_results (${COLUMNS})
        select ${RUNS} from ${spanRows(wanted)} join ${table} r on ${within(org_id)}
        where (r.check_id, r.ran_at, r.monitor_id) not in (
          select check_id, ran_at, monitor_id from (${unsealedOf(sealed, KEY)}) u)
        order by r.org_id, r.check_id, r.ran_at, r.monitor_id
        on conflict do nothing`)
    }
    if (outside) await ask(sql`delete from ${table} r using ${spanRows(some)} where ${within(org_id)}`)
  })
}

/**
 * Lists the hours of a span whose sealed row has another number of runs than there are rows, because of merged late results or
 * later rows. Returns undefined if a node does not respond.
 */
export async function listUneven(
  db: Db,
  keys: readonly CheckKey[],
  { from, until }: { from: string; until: string },
): Promise<MarkedHour[] | undefined> {
  const bounds = [sql`${from}::timestamptz`, sql`${until}::timestamptz`] as const
  const { rows, away } = await askWhoAnswers(
    db,
    keys,
    (some, org) => sql<MarkedHour>`
    select k.org_id, k.check_id, wire_time(r.hour) as hour from ${keyRows(some)}
    cross join lateral (
      select ${sql.raw(HOUR_OF('ran_at'))} as hour, count(*) as runs from results
      where org_id = ${org} and check_id = k.check_id and ran_at >= ${bounds[0]} and ran_at < ${bounds[1]}
      group by 1) r
    left join sealed_hours h on h.org_id = ${org} and h.check_id = k.check_id and h.since = r.hour
      and h.since >= ${bounds[0]} and h.since < ${bounds[1]}
    where h.runs is distinct from r.runs`,
  )
  return away.size > 0 ? undefined : rows
}
