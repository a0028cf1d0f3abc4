// Looks at everything that belongs to an organisation, to see whether anything changed.
import type { Org, World } from './world.ts'

/** Tables that change by themselves: when something was last used or seen, and the order of changes. */
const RESTLESS = ['configuration_tokens', 'personal_access_tokens', 'sessions', 'monitors', 'changes']

/** Returns a function that sums up all rows of an organisation in a text that is the same while they are. */
export async function lookAtAll({ rows }: World): Promise<(org: Org) => Promise<string>> {
  const tables = await rows(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and not c.relname = any($1)
     order by 1`,
    RESTLESS,
  )
  if (tables.length <= 30) throw new Error('most tables of organisations are not found')
  const parts = tables.map(
    ({ name }) =>
      `select '${String(name)}' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as one from ${String(name)} t where org_id = $1`,
  )
  const statement = `select string_agg(one, ' ' order by one) as all from (${parts.join(' union all ')}) looked`
  return async ({ org_id }) => String((await rows(statement, org_id))[0]?.all)
}
