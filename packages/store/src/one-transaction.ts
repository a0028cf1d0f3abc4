// Runs several use cases in one transaction: each opens its own, and gets the one that is already open.
import { sql, type Transaction } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

/**
 * Returns the database as the use cases of one transaction see it: people's changes go through `trx`. A use case that throws must
 * end the whole transaction.
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
 * Runs a part of an open transaction. Undoes its changes if it throws, or if `isKept` rejects its result. The transaction
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
    // On a broken connection there is nothing to undo. The caller must see the error that broke it.
    await undo(trx).catch(() => {})
    throw error
  }
}

/** Rolls back to the savepoint and releases it, because a rollback keeps it: otherwise each failed part would leave one open. */
async function undo(trx: Transaction<Tables>): Promise<void> {
  await sql`rollback to savepoint attempt`.execute(trx)
  await sql`release savepoint attempt`.execute(trx)
}
