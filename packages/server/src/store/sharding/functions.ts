// The functions of the schema on the nodes of a sharded database.
import type pg from 'pg'
import { readNodes } from './cluster.ts'
import { connect } from './session.ts'

/** Statements on results call them, and run on the nodes. Functions that are there already stay. */
export async function distributeFunctions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_proc p
     where p.pronamespace = current_schema()::regnamespace and p.provolatile <> 'v' and p.prokind = 'f'
       and p.prorettype <> 'trigger'::regtype
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
     order by 1`,
  )
  for (const { signature } of rows) await client.query('select create_distributed_function($1)', [signature])
}

/** After migrations, which may have made new ones. Does nothing where the database is not sharded. */
export async function distributeNewFunctions(url: string): Promise<void> {
  const client = await connect(url)
  try {
    if (await readNodes(client)) await distributeFunctions(client)
  } finally {
    await client.end()
  }
}
