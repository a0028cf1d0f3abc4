// Reads every statement about distributed tables that the code under test sends, each once, by the rules of distributed.ts.
import { type CompiledQuery, DefaultQueryExecutor } from 'kysely'
import pg from 'pg'
import { findBreaches, mayNameDistributed } from './distributed.ts'

interface Recorded {
  /** All texts that were sent, so that each is read once. */
  seen: Set<string>
  /** Those that were not read yet. */
  unread: string[]
}

const KEY = Symbol.for('dogwatch.recorded-statements')
const shared = globalThis as unknown as Record<symbol, Recorded | undefined>

/** From now on. What tests send by themselves is left out: they give a text, and the code under test a query. */
export function recordStatements(): void {
  if (shared[KEY]) return
  const recorded: Recorded = { seen: new Set(), unread: [] }
  shared[KEY] = recorded
  const record = (text: unknown): void => {
    if (typeof text !== 'string' || recorded.seen.has(text) || !mayNameDistributed(text)) return
    recorded.seen.add(text)
    recorded.unread.push(text)
  }
  const builder = Object.getPrototypeOf(DefaultQueryExecutor.prototype) as Pick<DefaultQueryExecutor, 'executeQuery'>
  const { executeQuery } = builder
  builder.executeQuery = function (this: DefaultQueryExecutor, compiled: CompiledQuery, ...rest: never[]) {
    record(compiled.sql)
    return executeQuery.call(this, compiled, ...rest) as never
  }
  const client = pg.Client.prototype as unknown as { query(...given: unknown[]): unknown }
  const { query } = client
  client.query = function (this: unknown, ...given: unknown[]) {
    const [statement] = given
    if (typeof statement === 'object' && statement && 'text' in statement) record(statement.text)
    return query.apply(this, given)
  }
}

/** Throws if any of them cannot run where results are distributed over several nodes. */
export async function readStatements(): Promise<void> {
  const unread = shared[KEY]?.unread.splice(0) ?? []
  if (unread.length === 0) return
  const { loadModule, parseSync } = await import('libpg-query')
  await loadModule()
  const breaches = unread.flatMap((text) =>
    findBreaches(text, parseSync).map((breach) => `a statement ${breach}:\n${text}`),
  )
  if (breaches.length > 0) throw new Error(`statements cannot run on several nodes:\n${breaches.join('\n')}`)
}
