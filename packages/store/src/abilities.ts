// Lists the abilities of this build that earlier builds lack. Each process records its abilities, so that a change of the
// database's layout can wait until every running process understands it.
import type pg from 'pg'

/**
 * Ability of a build of the server. `nodes`: works with results that are distributed over several nodes. Processes of the previous
 * version wait for the other two.
 */
export type Ability = 'nodes' | 'sealed_hours' | 'sealed_on_nodes'

/** Abilities of this build. */
export const ABILITIES: readonly Ability[] = ['nodes', 'sealed_hours', 'sealed_on_nodes']

export interface OutdatedProcess {
  process_id: string
  role: string
  host: string
  pid: number
}

/** Time without a report after which a process counts as killed, in seconds. Processes report every five seconds. */
const GONE_SEC = 60

// Reads the column `abilities` only if it exists, because `dogwatch shard` can run before `dogwatch migrate`.
const WITHOUT = `
  select process_id, role, host, pid from processes p
  where abs(extract(epoch from database_time() - seen_at)) <= ${GONE_SEC} and not coalesce(to_jsonb(p) -> 'abilities' ? $1, false)
  order by started_at, process_id limit 1000`

/**
 * Lists the running processes whose builds lack an ability, the oldest first. Excludes commands that end by themselves, because
 * they have no row in `processes`.
 */
export async function listWithout(client: Pick<pg.ClientBase, 'query'>, ability: Ability): Promise<OutdatedProcess[]> {
  return (await client.query<OutdatedProcess>(WITHOUT, [ability])).rows
}
