// Several statements that go to Postgres in one message, so that nobody waits for the answers in between.
import pg from 'pg'

export interface Statement {
  text: string
  values: unknown[]
  /** Under which it is prepared. */
  name?: string
}

// The parts of pg that its types leave out.
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
    // What cannot be written as a value must not be left out.
    const fail: Told = (error) => {
      throw error ?? new Error('a statement of a batch completed separately from the batch')
    }
    this.#before = before.map((statement) => new Query(statement, undefined, fail))
  }

  /** The results of pg's own query are a list as soon as several statements are answered. */
  requiresPreparation(): boolean {
    return true
  }

  /** One end for all: when one of them fails, those after it are not run. */
  override prepare(connection: Wire): void {
    const open = Object.create(connection, { sync: { value: () => {} } }) as Wire
    for (const one of this.#before) one.prepare(open)
    super.prepare(connection)
  }
}

type Client = Pick<pg.ClientBase, 'query'>

/**
 * Whether statements can go in one message: those with names must be prepared on this connection already. Of a message that fails, pg does
 * not learn which of its statements were prepared.
 */
export function canGoTogether(client: Client, statements: readonly Statement[]): boolean {
  const { parsedStatements } = (client as unknown as { connection: Wire }).connection
  return statements.every(({ name, text }) => name === undefined || parsedStatements[name] === text)
}

/** Runs them in their order, within a transaction or as one. Each sees what those before it did, and what was committed while they waited. */
export function askTogether(client: Client, before: readonly Statement[], last: Statement): Promise<pg.QueryResult[]> {
  const ask = client.query.bind(client) as AskWith
  return new Promise((resolve, reject) => {
    ask(new Together(before, last), undefined, (error, results) =>
      error ? reject(error) : resolve([results].flat() as pg.QueryResult[]),
    )
  })
}
