// Writes the results of one node where they are distributed over nodes, over a connection to that node.
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { copyIn } from '../../copy-in.ts'
import type { Tables } from '../../tables.ts'
import {
  isMaybeKnown,
  type ResultsToWrite,
  type ResultsTransaction,
  type RowToStore,
  type Way,
  writeResults,
} from '../write-results.ts'
import { askEachOrg, inTransaction } from './layout.ts'

/**
 * Error codes of a node that forwarded rows to another node, because their shard has moved, and lost the original error code
 * (internal error, I/O error). Inserting then reports the original one.
 */
const PASSED_ON = new Set<unknown>(['XX000', '58030'])

const atNode = (client: Pick<pg.ClientBase, 'query'>, db: Kysely<Tables>): ResultsTransaction => ({
  query: async <Row>(text: string, values: unknown[]) => (await client.query({ text, values })).rows as Row[],
  copy: (text, rows) => copyIn(client, text, rows),
  askByOrg: (keys, ask) => askEachOrg(db, client, keys, ask),
})

/**
 * Writes the rows of one node in one transaction of that node, and returns those that were not stored before. `db` builds the
 * statements.
 */
export async function writeAtNode<Row extends RowToStore>(
  pool: pg.Pool,
  db: Kysely<Tables>,
  batch: ResultsToWrite<Row>,
  givenUp?: AbortSignal,
): Promise<readonly Row[]> {
  const writeBy = (way: Way) => inTransaction(pool, (client) => writeResults(atNode(client, db), batch, way), givenUp)
  // Nearly always no row is known, and then COPY costs a node at most a third of what inserting costs. It does so only inside a
  // transaction: outside of one, Citus opens connections of its own for it.
  try {
    return await writeBy('copy')
  } catch (error) {
    if (!isMaybeKnown(error) && !PASSED_ON.has((error as { code?: unknown }).code)) throw error
    return writeBy('insert')
  }
}
