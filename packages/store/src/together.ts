// Sends several statements to Postgres in one message, so that nothing waits for the results in between.
import type pg from 'pg'
import { runQuery, type Wire, type WireCallback, WireQuery, wireOf } from './postgres/wire.ts'

export interface Statement {
  text: string
  values: unknown[]
  /** Name of the prepared statement. */
  name?: string
}

class Together extends WireQuery {
  readonly #before: readonly WireQuery[]

  constructor(before: readonly Statement[], last: Statement) {
    super(last)
    // Throws if a value cannot be written, because its statement must not be skipped.
    const fail: WireCallback = (error) => {
      throw error ?? new Error('a statement of a batch completed separately from the batch')
    }
    this.#before = before.map((statement) => new WireQuery(statement, undefined, fail))
  }

  /** Requires the extended protocol. pg's own query collects the results in a list as soon as there are several. */
  requiresPreparation(): boolean {
    return true
  }

  /** Prepares all statements with one end, so that a statement that fails keeps those after it from running. */
  override prepare(connection: Wire): void {
    const open = Object.create(connection, { sync: { value: () => {} } }) as Wire
    for (const one of this.#before) one.prepare(open)
    super.prepare(connection)
  }
}

type QueryClient = Pick<pg.ClientBase, 'query'>

/**
 * Whether statements can go in one message. Those with names must already be prepared on this connection, because pg does not
 * learn which statements a failed message prepared.
 */
export function canGoTogether(client: QueryClient, statements: readonly Statement[]): boolean {
  const { parsedStatements } = wireOf(client)
  return statements.every(({ name, text }) => name === undefined || parsedStatements[name] === text)
}

/**
 * Runs statements in order, within a transaction or as one. Each sees what the earlier ones did, and what was committed while
 * they waited.
 */
export async function askTogether(
  client: QueryClient,
  before: readonly Statement[],
  last: Statement,
): Promise<pg.QueryResult[]> {
  const results = await runQuery(client, new Together(before, last))
  return [results].flat() as pg.QueryResult[]
}
