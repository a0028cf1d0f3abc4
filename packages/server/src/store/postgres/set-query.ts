// A statement that brings its settings with it, for connections that a pooler lends to another client right after.
import pg from 'pg'

/** Settings of Postgres by their names. */
export type Settings = Readonly<Record<string, string>>

/** Under this name the statement that sets them is prepared, where statements may be. */
export const SETTER = 'settings'

/** Sets them until the end of the transaction, which for a statement by itself is its own. */
export function setterOf(settings: Settings): string {
  const each = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return `select ${each.join(', ')}`
}

/** The same beside a `begin`, in one message. */
export function beginOf(begin: string, settings: Settings): string {
  return [begin, ...Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`)].join('; ')
}

/** What pg's own query sends through, and what it is told; its types leave that out. */
interface Wire {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  parse(statement: { text: string; name: string }): void
  bind(portal: { portal: string; statement: string; values: readonly unknown[] }): void
  execute(portal: { portal: string; rows?: number }): void
}
interface Steps {
  prepare(connection: Wire): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Wire): void
}
type Told = (error: Error | null | undefined, result: unknown) => void
const Query = pg.Query as unknown as new (
  statement: string | pg.QueryConfig,
  values: unknown[] | undefined,
  told: Told,
) => Steps

/**
 * Sends the setter and the statement together: one way there and back, and one transaction. A bound on the statement's time counts, since
 * Postgres looks at it once for each of the two.
 */
export class SetQuery extends Query {
  readonly #setter: string
  #isSet = false

  constructor(setter: string, statement: string | pg.QueryConfig, values: unknown[] | undefined, told: Told) {
    super(statement, values, told)
    this.#setter = setter
  }

  /** Two statements in one transaction is what only the extended protocol can do with values. */
  requiresPreparation(): boolean {
    return true
  }

  override prepare(connection: Wire): void {
    const isPrepared = connection.parsedStatements[SETTER] !== undefined
    if (!isPrepared) connection.parse({ text: this.#setter, name: '' })
    connection.bind({ portal: '', statement: isPrepared ? SETTER : '', values: [] })
    connection.execute({ portal: '' })
    super.prepare(connection)
  }

  override handleDataRow(message: unknown): void {
    if (this.#isSet) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#isSet) super.handleCommandComplete(message, connection)
    this.#isSet = true
  }
}
