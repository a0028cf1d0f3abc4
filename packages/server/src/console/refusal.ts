// Shows a person what was wrong with their form.
import { DomainError, type ErrorKind } from '../domain/errors.ts'
import { sentence } from './pages/problem.tsx'

const FAULTS: ReadonlySet<ErrorKind> = new Set(['invalid', 'conflict', 'too_large'])

/**
 * A refusal as a sentence that uses the form's labels. Other errors are thrown on: the thing is gone, the person may
 * not see it, or something broke.
 */
export function refusal(error: unknown, labels: ReadonlyMap<string, string> = new Map()): string {
  if (!(error instanceof DomainError) || !FAULTS.has(error.kind)) throw error
  const [fault] = error.faults
  if (fault === undefined) return sentence(error.message)
  return sentence(`${labels.get(fault.field) ?? fault.field} ${fault.must}`)
}
