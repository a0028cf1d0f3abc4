// Declares the internals of pg that our own queries use, because pg's types omit them. No other file may use them. A
// test pins the version of pg.
import type { Socket } from 'node:net'
import pg from 'pg'

/** Connection to Postgres: its socket, the statements that are prepared on it, and the messages that it can send. */
export interface Wire {
  readonly stream: Pick<Socket, 'cork' | 'uncork' | 'write'>
  /** Texts of the prepared statements, by name. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  parse(statement: { text: string; name: string }): void
  bind(portal: { portal: string; statement: string; values: readonly unknown[] }): void
  execute(portal: { portal: string; rows?: number }): void
  sync(): void
}

export type WireCallback = (error: Error | null | undefined, result: unknown) => void

/** Steps of pg's own query that a subclass can override. */
export interface WireQuery {
  submit(connection: Wire): Error | null
  prepare(connection: Wire): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Wire): void
}
export const WireQuery = pg.Query as unknown as new (
  statement: string | pg.QueryConfig,
  values?: unknown[],
  callback?: WireCallback,
) => WireQuery

type Client = Pick<pg.ClientBase, 'query'>

/** Returns the connection of a client. */
export function wireOf(client: Client): Wire {
  return (client as unknown as { connection: Wire }).connection
}

/** Runs a query, and resolves with its result, or with a list if it has several. */
export function runQuery(client: Client, query: WireQuery): Promise<unknown> {
  const run = client.query.bind(client) as (query: WireQuery, values: undefined, callback: WireCallback) => void
  return new Promise((resolve, reject) => {
    run(query, undefined, (error, result) => (error ? reject(error) : resolve(result)))
  })
}
