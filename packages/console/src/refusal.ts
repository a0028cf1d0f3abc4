// Explains to a person what was wrong with their form.
import { DomainError, type ErrorKind } from '@dogwatch/domain/errors'
import type { Form } from './form.ts'

const FAULTS: ReadonlySet<ErrorKind> = new Set(['invalid', 'conflict', 'too_large'])

/**
 * Returns the refusal of a form. Throws other errors: the thing no longer exists, the person may not see it, or something broke.
 */
export function refusalOf(error: unknown): DomainError {
  if (!(error instanceof DomainError) || !FAULTS.has(error.kind)) throw error
  return error
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
  return faultIn(undefined, error.message)
}

/** Returns the fault of an input, or of the form as a whole. `short` is the line without the label of the input. */
export function faultIn(input: string | undefined, line: string, short = line): FormFault {
  return { name: input, input, line: sentence(line), short: sentence(short) }
}

/**
 * Returns a function that shows refusals as faults of a form as a whole. `isShown` selects the kinds of refusals. Default: all.
 */
export function wholeFaults(isShown: (kind: ErrorKind) => boolean = () => true) {
  return (error: unknown): FormFault[] => {
    if (!(error instanceof DomainError) || !isShown(error.kind)) throw error
    return [wholeFault(error)]
  }
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
