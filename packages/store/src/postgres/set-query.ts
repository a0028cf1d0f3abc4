// Sends a statement together with its settings, for connections that a pooler gives to another client right after it.
import type pg from 'pg'
import { type Wire, type WireCallback, WireQuery } from './wire.ts'

/** Postgres settings by name. */
export type Settings = Readonly<Record<string, string>>

/** Name of the prepared statement that applies the settings, if the pooler supports names. */
export const SETTER = 'settings'

/**
 * Returns a statement that applies the settings until the end of the transaction. Without one, they apply to the statements that are
 * sent in the same protocol message.
 */
export function setterOf(settings: Settings): string {
  const each = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return `select ${each.join(', ')}`
}

/** Returns `begin` together with the settings, in one message. */
export function beginOf(begin: string, settings: Settings): string {
  return [begin, ...Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`)].join('; ')
}

/**
 * Query that sends the settings and the statement together: one round trip and one transaction. A statement timeout works,
 * because Postgres checks it separately for each of the two.
 */
export class SetQuery extends WireQuery {
  readonly #setter: string
  #isSet = false

  constructor(
    setter: string,
    statement: string | pg.QueryConfig,
    values: unknown[] | undefined,
    callback: WireCallback,
  ) {
    super(statement, values, callback)
    this.#setter = setter
  }

  /** Returns true, because only the extended protocol can run two statements with parameters in one transaction. */
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
