// Reads from the document which scope each operation needs.
import { isScope } from '@dogwatch/domain/configuration/scopes'
import type { ContractDocument } from '../routes.ts'

/** Returns the scope that each operation needs. Refuses a document if an operation has no scope, or an unknown one. */
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
