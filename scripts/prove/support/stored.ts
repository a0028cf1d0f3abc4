// What the server has stored, straight from its database.
import { resultsText } from '../../../packages/server/dist/store/results/stored/results-of.js'
import type { World } from '../../lab/world.ts'

export interface StoredResult {
  guid: string
  /** Milliseconds since the Unix epoch. */
  ran_at: number
  success: boolean
  error: string | null
  monitor_id: string
}

/** Every stored result, those of each check in the order of their time. */
export async function storedResults({ deps }: World): Promise<StoredResult[]> {
  const { rows } = await deps.database.pools.machines.query<StoredResult & { ran_at: string }>(
    `select guid, (extract(epoch from ran_at) * 1000)::bigint::text as ran_at, success, error, monitor_id
     from results join check_guids using (org_id, check_id) order by guid, results.ran_at, monitor_id`,
  )
  return rows.map((row) => ({ ...row, ran_at: Number(row.ran_at) }))
}

export async function countStored({ deps }: World): Promise<number> {
  const { rows } = await deps.database.pools.machines.query<{ count: string }>(
    'select count(*)::text as count from results',
  )
  return Number(rows[0]?.count)
}

/** Wherever they are: hours may be sealed. Where none is, the rows alone, which nodes can be asked for. */
const OF_CHECK = resultsText(
  { columns: ['ran_at', 'monitor_id', 'success'], org: 'g.org_id', check: 'g.check_id' },
  true,
)
const SEALED = `check_guids g cross join lateral (${OF_CHECK}) f where g.org_id = $1`
const ROWS = 'results join check_guids using (org_id, check_id) where org_id = $1'

/** Every stored result of an org by `keyOf`, as often as it is there. A year of them would not fit in memory. */
export async function storedKeys({ database }: World['deps'], org_id: number): Promise<string[]> {
  return (await database.sealing.hasBegun()) ? keysOf(database, SEALED, org_id) : rowKeys({ database }, org_id)
}

/** Counts an org's stored results by check and hour or day, of one server, as `check_id start runs failures`. */
export async function countedRuns(
  { database }: World['deps'],
  org_id: number,
  unit: 'hour' | 'day',
): Promise<string[]> {
  const { rows } = await database.pools.machines.query<{ key: string }>(
    `select check_id || ' ' || wire_time(date_trunc($2, ran_at, 'UTC')) || ' ' || count(*) || ' ' ||
       count(*) filter (where not success) as key
     from ${SEALED} group by check_id, date_trunc($2, ran_at, 'UTC')`,
    [org_id, unit],
  )
  return rows.map(({ key }) => key)
}

/** What a build sees that does not know of sealed hours. */
export function rowKeys({ database }: Pick<World['deps'], 'database'>, org_id: number): Promise<string[]> {
  return keysOf(database, ROWS, org_id)
}

async function keysOf({ pools }: World['deps']['database'], from: string, org_id: number): Promise<string[]> {
  const { rows } = await pools.machines.query<{ key: string }>(
    `select guid || ' ' || monitor_id || ' ' || (extract(epoch from ran_at) * 1000)::bigint as key from ${from}`,
    [org_id],
  )
  return rows.map(({ key }) => key)
}

/** What the monitors last reported of themselves. */
export async function reported({ deps }: World): Promise<{ last_outage_sec: number | null }[]> {
  const { rows } = await deps.database.pools.machines.query<{ last_outage_sec: string | null }>(
    'select last_outage_sec::text from monitors',
  )
  return rows.map(({ last_outage_sec }) => ({
    last_outage_sec: last_outage_sec === null ? null : Number(last_outage_sec),
  }))
}

/** How many of each key there are. */
export function countBy<Thing>(things: Iterable<Thing>, keyOf: (thing: Thing) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const thing of things) counts.set(keyOf(thing), (counts.get(keyOf(thing)) ?? 0) + 1)
  return counts
}
