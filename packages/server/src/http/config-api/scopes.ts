// The scope that each operation needs, as the document says it.
import type { ContractDocument } from '../routes.ts'

/** By operation. A document in which an operation names none is refused. */
export function scopesOf(document: ContractDocument): Map<string, string> {
  const paths = document.paths as Record<string, Record<string, { operationId: string; 'x-scope'?: string }>>
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  return new Map(
    operations.map(({ operationId, 'x-scope': scope }) => {
      if (scope === undefined) throw new Error(`${operationId} names no x-scope`)
      return [operationId, scope]
    }),
  )
}
