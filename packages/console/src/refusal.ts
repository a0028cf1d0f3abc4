// Explains to a person what was wrong with their form.
import { DomainError, type ErrorKind } from '@dogwatch/domain/errors'
import type { Form } from './form.ts'

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

export interface FormFault {
  /** Name of the field in refusals, or undefined if the fault concerns the form as a whole. */
  name: string | undefined
  /** Name of the input. */
  input: string | undefined
  /** Sentence with the label, for the list above the form. */
  line: string
  /** Sentence without the label, for the field itself. */
  short: string
}

/** Returns the fault of a form as a whole, with the words of its refusal. */
export function wholeFault(error: DomainError): FormFault {
  const line = sentence(error.message)
  return { name: undefined, input: undefined, line, short: line }
}

/** A form that was refused, which its page shows again. */
export interface RefusedForm {
  /** Path that the form was sent to. */
  action: string
  faults: readonly FormFault[]
  /** Text of each field as the person typed it. */
  form: Form
}

/** Makes sentences of a lower-case line as APIs send it: `the link has expired; sign in again`. */
export function sentence(line: string): string {
  return line
    .split('; ')
    .map((part) => `${part.slice(0, 1).toUpperCase()}${part.slice(1)}${/[.!?]$/.test(part) ? '' : '.'}`)
    .join(' ')
}
