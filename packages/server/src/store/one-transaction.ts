// Several use cases in one transaction: each opens a transaction of its own, and here gets the one that is open.
import type { Transaction } from 'kysely'
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
