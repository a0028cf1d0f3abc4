// The connections of the query builder. By itself it sends one text with values after the other; a COPY, and several statements at once, are
// given to it as values.
import { CompiledQuery, type Kysely, type PostgresPool, type PostgresPoolClient, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { Asking, PREPARED, Rows, Several, statementOf } from './asking.ts'
import type { Tables } from './tables.ts'

/** A list in a statement that is prepared. If Postgres saw the list, it would count its members, and plan anew for each list. */
export const unseen = (list: RawBuilder<unknown>): RawBuilder<unknown> => sql`(select ${list})`

/** As `sql`, for a statement that is prepared: one of few texts, for which one plan serves all values. */
export const prepared = <Row>(text: TemplateStringsArray, ...values: readonly unknown[]): RawBuilder<Row> =>
  sql<Row>`${sql.raw(PREPARED)} ${sql(text, ...values)}`

/** The same for a statement that reads results: where hours are sealed, one plan for all values opens every day, and at nodes the text changes. */
export const preparedUnless = (isSealed: boolean | string): typeof prepared => (isSealed === false ? prepared : sql)

/** A COPY from stdin for the query builder, with all its rows. `isLast`: it also commits its transaction, which has nothing else to do. */
export function copyOf(text: string, rows: Buffer, { isLast = false } = {}): CompiledQuery {
  return CompiledQuery.raw(isLast ? `${text}; commit` : text, [new Rows(rows, isLast)])
}

/**
 * Several statements for the query builder that are sent at once, because none needs the answer of another. Each sees what the ones before it
 * did and waited for. The rows of the answer are lists: those of each statement.
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

/** `isPooled`: a pooler lends the connections, and has its own way to begin a transaction. */
export function builderPool(pool: pg.Pool, { isPooled }: { isPooled: boolean }): PostgresPool {
  // The builder knows its connections by their objects.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    connect: async () => {
      const client = await pool.connect()
      const before = known.get(client)
      if (before) return before
      const asking = new Asking(client, isPooled)
      const query = (text: string, values: unknown[]) => asking.query(text, values)
      const made = { query, release: (error?: boolean) => client.release(error) } as unknown as PostgresPoolClient
      known.set(client, made)
      return made
    },
    end: () => pool.end(),
    options: pool.options,
  }
}
