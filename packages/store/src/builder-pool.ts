// Adapts a pool of connections to the query builder. The builder sends one text with values at a time, so a COPY, and several
// statements at once, are passed to it as values.
import { CompiledQuery, type Kysely, type PostgresPool, type PostgresPoolClient, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { PREPARED, RowsToCopy, Several, StatementSender, statementOf } from './asking.ts'
import type { Tables } from './tables.ts'

/** Hides the length of a list from the planner, which would otherwise make a new plan of a prepared statement for each list. */
export const unseen = (list: RawBuilder<unknown>): RawBuilder<unknown> => sql`(select ${list})`

/**
 * Builds a prepared statement from a template, like `sql`. Only for a small, fixed number of texts, so that one plan serves all
 * values.
 */
export const prepared = <Row>(text: TemplateStringsArray, ...values: readonly unknown[]): RawBuilder<Row> =>
  sql<Row>`${sql.raw(PREPARED)} ${sql(text, ...values)}`

/** Builds a COPY from stdin with all its rows. With `isLast`, it also commits its transaction. */
export function copyOf(text: string, rows: Buffer, { isLast = false } = {}): CompiledQuery {
  return CompiledQuery.raw(isLast ? `${text}; commit` : text, [new RowsToCopy(rows, isLast)])
}

/**
 * Sends several statements at once, because none needs the result of another. Each sees the effects of the earlier ones. Returns a
 * list of rows for each statement.
 */
export async function executeTogether(
  db: Kysely<Tables>,
  asks: readonly (RawBuilder<unknown> | CompiledQuery)[],
): Promise<unknown[][]> {
  const statements = asks
    .map((ask) => ('compile' in ask ? ask.compile(db) : ask))
    .map(({ sql: text, parameters }) => statementOf(text, [...parameters]))
  const text = statements.map((one) => one.text).join(';\n')
  const { rows } = await db.executeQuery(CompiledQuery.raw(text, [new Several(statements)]))
  return rows as unknown[][]
}

/**
 * Adapts a pool to the query builder. `isPooled`: whether a pooler lends the connections, which changes how a transaction begins.
 */
export function builderPool(pool: pg.Pool, { isPooled }: { isPooled: boolean }): PostgresPool {
  // The builder recognises its connections by their objects.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    connect: async () => {
      const client = await pool.connect()
      const before = known.get(client)
      if (before) return before
      const asking = new StatementSender(client, isPooled)
      const query = (text: string, values: unknown[]) => asking.query(text, values)
      const made = { query, release: (error?: boolean) => client.release(error) } as unknown as PostgresPoolClient
      known.set(client, made)
      return made
    },
    end: () => pool.end(),
    options: pool.options,
  }
}
