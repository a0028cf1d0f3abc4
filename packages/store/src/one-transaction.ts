// Runs several use cases in one transaction: each tries to open its own, and gets the open one instead.
import { sql, type Transaction } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

/**
 * Returns a database for use cases that share one transaction: all changes of people go through `trx`. If a use case throws, the
 * caller must end the whole transaction.
 */
export function joinTransaction(database: Database, trx: Transaction<Tables>): Database {
  const people = new Proxy(trx, {
    get(target, property) {
      if (property === 'transaction') return () => ({ execute: (work: (trx: unknown) => unknown) => work(trx) })
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  return { ...database, people, joined: database.joined ?? { after_commit: new Set() } }
}

/**
 * Runs a part of an open transaction. Undoes the part's changes if it throws, or if `isKept` rejects its result. The transaction
 * continues in both cases.
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
    // After a broken connection there is nothing to undo, and the caller must see the error that broke it.
    await undo(trx).catch(() => {})
    throw error
  }
}

/** Rolls back to the savepoint and then releases it, because a rollback leaves it open. */
async function undo(trx: Transaction<Tables>): Promise<void> {
  await sql`rollback to savepoint attempt`.execute(trx)
  await sql`release savepoint attempt`.execute(trx)
}
