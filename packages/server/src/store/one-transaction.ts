// Several use cases in one transaction: each opens a transaction of its own, and here gets the one that is open.
import { sql, type Transaction } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

/**
 * The database as the use cases of one transaction see it: what people change goes through `trx`. A use case that throws must end the
 * whole transaction.
 */
export function joinTransaction(database: Database, trx: Transaction<Tables>): Database {
  const people = new Proxy(trx, {
    get(target, property) {
      if (property === 'transaction') return () => ({ execute: (work: (trx: unknown) => unknown) => work(trx) })
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  return { ...database, people }
}

/**
 * Does a part of an open transaction. What it changed is undone when it throws, or when `isKept` says so of its result; the transaction goes on
 * in both cases.
 */
export async function attempt<Result>(
  trx: Transaction<Tables>,
  work: () => Promise<Result>,
  isKept: (result: Result) => boolean = () => true,
): Promise<Result> {
  await sql`savepoint attempt`.execute(trx)
  try {
    const result = await work()
    await (isKept(result) ? sql`release savepoint attempt`.execute(trx) : undo(trx))
    return result
  } catch (error) {
    // On a broken connection there is nothing to go back to: the error that broke it is the one to tell.
    await undo(trx).catch(() => {})
    throw error
  }
}

/** Going back to a savepoint keeps it: without its release, each part that fails would leave one open. */
async function undo(trx: Transaction<Tables>): Promise<void> {
  await sql`rollback to savepoint attempt`.execute(trx)
  await sql`release savepoint attempt`.execute(trx)
}
