// Explains to a person what was wrong with their form.
import { DomainError, type ErrorKind } from '../domain/errors.ts'
import { sentence } from './pages/problem.tsx'

const FAULTS: ReadonlySet<ErrorKind> = new Set(['invalid', 'conflict', 'too_large'])

/**
 * Converts a refusal to a sentence with the form's label. Throws other errors: the thing no longer exists, the person may not see
 * it, or something broke.
 */
export function refusal(error: unknown, labels: ReadonlyMap<string, string> = new Map()): string {
  if (!(error instanceof DomainError) || !FAULTS.has(error.kind)) throw error
  const [fault] = error.faults
  if (fault === undefined) return sentence(error.message)
  return sentence(`${labels.get(fault.field) ?? fault.field} ${fault.must}`)
}
