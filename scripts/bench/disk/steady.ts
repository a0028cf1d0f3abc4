// What the next sealed hour adds to the log where a table holds earlier ones already: each check has its place in the index, and
// after a checkpoint a page is written whole to the log with its first change.
import type { Ground } from './ground.ts'
import type { Sealed } from './seal.ts'

export interface Steady {
  name: string
  results: number
  log: number
}

/** Partitions of sealed hours, each when it is half full. */
const HALF_FULL = [
  ['a day', 12],
  ['a week', 84],
  ['a month', 360],
] as const

/** Seals once more what is sealed in a table, beside so many hours of history in it. */
export async function sealBesideHistory({ database, log }: Ground, { name, results }: Sealed): Promise<Steady[]> {
  const query = (text: string) => database.pools.machines.query<{ columns: string }>(text)
  const source = `sealed_${name.replaceAll(/\W+/g, '_')}`
  const taken: Steady[] = []
  for (const [what, hours] of HALF_FULL) {
    const table = `steady_${hours}`
    await query(`create table ${table} (like ${source} including all)`)
    // Keys alone: what else is in the rows of the history has no part in it.
    await query(`alter table ${table} alter runs drop not null`)
    await query(`insert into ${table} (org_id, check_id, since)
      select org_id, check_id, since - h * interval '1 hour' from ${source} cross join generate_series(1, ${hours}) h
      order by 3, 1, 2`)
    await query('checkpoint')
    const before = await log()
    await query(`insert into ${table} select * from ${source} order by org_id, check_id`)
    taken.push({ name: `into a partition of ${what}`, results, log: (await log()) - before })
    await query(`drop table ${table}`)
  }
  return taken
}
