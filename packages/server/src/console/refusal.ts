// What was wrong with a form, for whoever filled it in.
import { DomainError, type ErrorKind } from '../domain/errors.ts'
import { sentence } from './pages/problem.tsx'

const FAULTS: ReadonlySet<ErrorKind> = new Set(['invalid', 'conflict', 'too_large'])

/**
 * A refusal as a sentence, in which fields are called as the form calls them. What is no fault of the form is thrown on: what
 * it was for is not there, or not for them, or something broke.
 */
export function refusal(error: unknown, labels: Readonly<Record<string, string>> = {}): string {
  if (!(error instanceof DomainError) || !FAULTS.has(error.kind)) throw error
  const line = error.message.replace(/\b(?:check\.)?[a-z]+(?:_[a-z]+)*\b/, (first) => labels[first] ?? first)
  return sentence(line)
}
