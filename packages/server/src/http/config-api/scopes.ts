// The scope that each operation needs, as the document says it.
import { isScope } from '../../domain/configuration/scopes.ts'
import type { ContractDocument } from '../routes.ts'

/** Reads the scope of each operation. Refuses a document in which an operation names none, or one that does not exist. */
export function scopesOf(document: ContractDocument): Map<string, string> {
  const paths = document.paths as Record<string, Record<string, { operationId: string; 'x-scope'?: string }>>
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  return new Map(
    operations.map(({ operationId, 'x-scope': scope }) => {
      if (scope === undefined) throw new Error(`${operationId} names no x-scope`)
      if (!isScope(scope)) throw new Error(`${operationId} names the unknown x-scope "${scope}"`)
      return [operationId, scope]
    }),
  )
}
