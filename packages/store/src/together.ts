// Sends several statements to Postgres in one message, without waiting for the result of each.
import type pg from 'pg'
import { runQuery, type Wire, type WireCallback, WireQuery, wireOf } from './postgres/wire.ts'

export interface Statement {
  text: string
  values: unknown[]
  /** Name of the statement, if it is to stay prepared on the connection. */
  name?: string
}

class Together extends WireQuery {
  readonly #before: readonly WireQuery[]

  constructor(before: readonly Statement[], last: Statement) {
    super(last)
    // Throws if a value cannot be encoded, because the batch would otherwise run without this statement.
    const fail: WireCallback = (error) => {
      throw error ?? new Error('a statement of a batch completed separately from the batch')
    }
    this.#before = before.map((statement) => new WireQuery(statement, undefined, fail))
  }

  /**
   * Returns true, because only the extended protocol can send several statements with values in one message. pg's own query
   * returns a list of results if there are several.
   */
  requiresPreparation(): boolean {
    return true
  }

  /** Sends all statements with a single sync message at the end, so that Postgres skips the statements after one that fails. */
  override prepare(connection: Wire): void {
    const open = Object.create(connection, { sync: { value: () => {} } }) as Wire
    for (const one of this.#before) one.prepare(open)
    super.prepare(connection)
  }
}

type QueryClient = Pick<pg.ClientBase, 'query'>

/**
 * Whether statements can go in one message. Named statements must already be prepared on the connection, because pg does not learn
 * which ones a failed message prepared.
 */
export function canGoTogether(client: QueryClient, statements: readonly Statement[]): boolean {
  const { parsedStatements } = wireOf(client)
  return statements.every(({ name, text }) => name === undefined || parsedStatements[name] === text)
}

/**
 * Runs statements in order. They form one transaction if none is open. Each sees what the earlier ones changed, and what others
 * committed while it waited for them.
 */
export async function askTogether(
  client: QueryClient,
  before: readonly Statement[],
  last: Statement,
): Promise<pg.QueryResult[]> {
  const results = await runQuery(client, new Together(before, last))
  return [results].flat() as pg.QueryResult[]
}
