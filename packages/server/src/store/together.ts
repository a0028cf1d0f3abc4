// Sends several statements to Postgres in one message, so that nothing waits for the results in between.
import pg from 'pg'

export interface Statement {
  text: string
  values: unknown[]
  /** Name of the prepared statement. */
  name?: string
}

// Parts of pg that its types omit.
interface Wire {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  sync(): void
}
type Told = (error: Error | null | undefined, results: unknown) => void
type AskWith = (query: unknown, values: undefined, told: Told) => void
interface Steps {
  prepare(connection: Wire): void
}
const Query = pg.Query as unknown as new (statement: Statement, values?: undefined, told?: Told) => Steps

class Together extends Query {
  readonly #before: readonly Steps[]

  constructor(before: readonly Statement[], last: Statement) {
    super(last)
    // Throws if a value cannot be written, because its statement must not be skipped.
    const fail: Told = (error) => {
      throw error ?? new Error('a statement of a batch completed separately from the batch')
    }
    this.#before = before.map((statement) => new Query(statement, undefined, fail))
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

type Client = Pick<pg.ClientBase, 'query'>

/**
 * Whether statements can go in one message. Those with names must already be prepared on this connection, because pg does not
 * learn which statements a failed message prepared.
 */
export function canGoTogether(client: Client, statements: readonly Statement[]): boolean {
  const { parsedStatements } = (client as unknown as { connection: Wire }).connection
  return statements.every(({ name, text }) => name === undefined || parsedStatements[name] === text)
}

/**
 * Runs statements in order, within a transaction or as one. Each sees what the earlier ones did, and what was committed while
 * they waited.
 */
export function askTogether(client: Client, before: readonly Statement[], last: Statement): Promise<pg.QueryResult[]> {
  const ask = client.query.bind(client) as AskWith
  return new Promise((resolve, reject) => {
    ask(new Together(before, last), undefined, (error, results) =>
      error ? reject(error) : resolve([results].flat() as pg.QueryResult[]),
    )
  })
}
