// What a build can do that older builds cannot. Each process records its abilities, so that a change of the database's layout
// can wait until no process runs that would not understand it.
import type pg from 'pg'
import type { Database } from './database.ts'

/**
 * `nodes`: use results that are distributed over several nodes. `sealed_hours`: read hours of results that are one row.
 * `sealed_on_nodes`: both at once.
 */
export type Ability = 'nodes' | 'sealed_hours' | 'sealed_on_nodes'

/** What this build can do. */
export const ABILITIES: readonly Ability[] = ['nodes', 'sealed_hours', 'sealed_on_nodes']

export interface ProcessWithout {
  process_id: string
  role: string
  host: string
  pid: number
}

/** A process reports every five seconds. One that has not done so for this long counts as gone: it was killed. */
const GONE_SEC = 60

// Reads the column only where there is one: `dogwatch shard` may be used before `dogwatch migrate`.
const WITHOUT = `
  select process_id, role, host, pid from processes p
  where abs(extract(epoch from database_time() - seen_at)) <= ${GONE_SEC} and not coalesce(to_jsonb(p) -> 'abilities' ? $1, false)
  order by started_at, process_id limit 1000`

/** The running processes whose builds lack an ability, the oldest first. A command that ends by itself is not known here. */
export async function listWithout(client: Pick<pg.ClientBase, 'query'>, ability: Ability): Promise<ProcessWithout[]> {
  return (await client.query<ProcessWithout>(WITHOUT, [ability])).rows
}

/** The same for a server that asks about the others. */
export function listOthersWithout({ pools }: Database, ability: Ability): Promise<ProcessWithout[]> {
  return listWithout(pools.machines, ability)
}
