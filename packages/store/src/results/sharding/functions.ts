// Distributes the functions of the schema to the nodes of a sharded database.
import type pg from 'pg'
import { readNodes } from './cluster.ts'
import { connect } from './session.ts'

/**
 * Distributes the functions that statements on results call, because these run on the nodes. Functions that are already there
 * stay.
 */
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

/** Distributes functions that migrations might have added. Does nothing if the database is not sharded. */
export async function distributeNewFunctions(url: string): Promise<void> {
  const client = await connect(url)
  try {
    if (await readNodes(client)) await distributeFunctions(client)
  } finally {
    await client.end()
  }
}
