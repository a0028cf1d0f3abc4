// Seals hours where results are distributed, in transactions of the nodes, each committed before the coordinator's. So the coordinator
// is never ahead of a node: one transaction over all of them would become visible at one node first and at another a moment later, or
// much later if that becomes unreachable in between. Everything here can be done twice.
import { sql, type Transaction } from 'kysely'
import type { CheckKey } from '../../check-keys.ts'
import type { Tables } from '../../tables.ts'
import {
  COLUMNS,
  constant,
  idsOf,
  REPLACED,
  RUNS,
  SEALED,
  sealingOf,
  spanRows,
  unsealedOf,
  within,
} from '../sealing/fragments.ts'
import { hourRows, listOrgs, type MarkedHour } from '../sealing/marks.ts'
import { askEachNode, forEachOrg } from './layout.ts'

/**
 * Lists the transactions that store results at nodes. Returns undefined if a node does not respond. The coordinator's own have
 * ended, but one at a node can last longer if the storing process was killed.
 */
export async function listStoringAtNodes(trx: Transaction<Tables>): Promise<string[] | undefined> {
  const { rows, away } = await askEachNode(
    trx,
    await listOrgs(trx),
    (_, node) => sql<{ transaction: string }>`
    select distinct ${node}::text || ' ' || l.virtualtransaction as transaction
    from pg_locks l join pg_class c on c.oid = l.relation
    where l.locktype = 'relation' and starts_with(c.relname, 'results') and l.mode = 'RowExclusiveLock'
      and l.database = (select oid from pg_database where datname = current_database())`,
  )
  return away.size > 0 ? undefined : rows.map(({ transaction }) => transaction)
}

/**
 * Makes the sealed rows of some checks for the hours of a span. Replaces existing ones, because the process that made them did
 * not finish. Returns how many, or undefined if a node does not respond.
 */
export async function insertSealedOnNodes(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
  { from, until, most_ms }: { from: string; until: string; most_ms: number | undefined },
): Promise<number | undefined> {
  let hours = 0
  const away = await forEachOrg(trx, keys, async (ask, some, org_id) => {
    if (most_ms !== undefined) await ask(sql`set local statement_timeout = ${sql.lit(most_ms)}`)
    const runs = sql`
      select ${RUNS} from results r
      where r.org_id = ${constant(org_id)} and r.check_id = any(${idsOf(some)})
        and r.ran_at >= ${from}::timestamptz and r.ran_at < ${until}::timestamptz`
    const { changed } = await ask(sql`
      insert into sealed_hours (${SEALED}) ${sealingOf(runs)}
      on conflict (org_id, check_id, since) do update set ${REPLACED}`)
    hours += changed
  })
  return away.size > 0 ? undefined : hours
}

/**
 * Merges late results into the sealed rows of marked hours, if no other process has locked the mark, which stays. The caller must
 * hold the lock of the progress. Returns the number of hours.
 */
export async function mergeOnNodes(trx: Transaction<Tables>, marked: readonly MarkedHour[]): Promise<number> {
  let merged = 0
  await forEachOrg(trx, marked, async (ask, some, org_id) => {
    const org = constant(org_id)
    // A process that adds to an hour locks its mark.
    const { rows: held } = await ask(sql<MarkedHour>`
      select m.org_id, m.check_id, wire_time(m.hour) as hour from ${hourRows(some)}
      join rollup_marks m on m.org_id = ${org} and m.check_id = k.check_id and m.hour = k.hour
      order by m.org_id, m.check_id, m.hour for update of m skip locked`)
    if (held.length === 0) return
    const { rows: hours } = await ask(sql<MarkedHour>`
      select k.org_id, k.check_id, wire_time(k.hour) as hour from ${spanRows(held)}
      where exists (select 1 from reopened_results r where ${within(org_id)})`)
    if (hours.length === 0) return
    const sealed = sql`
        select s.* from ${hourRows(hours)}
        join sealed_hours s on s.org_id = ${org} and s.check_id = k.check_id and s.since = k.hour`
    const runs = sql`
      select ${COLUMNS} from (${unsealedOf(sealed)}) u
      union all
      select ${RUNS} from ${spanRows(hours)} join reopened_results r on ${within(org_id)}`
    await ask(sql`
      insert into sealed_hours (${SEALED}) ${sealingOf(runs)}
      on conflict (org_id, check_id, since) do update set ${REPLACED}`)
    await ask(sql`delete from reopened_results r using ${spanRows(hours)} where ${within(org_id)}`)
    merged += hours.length
  })
  return merged
}
