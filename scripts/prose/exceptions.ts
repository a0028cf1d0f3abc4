// Lists where the writing rules do not hold, each with its reason.
import type { Breach } from './messages.ts'

export interface Exception {
  /** Beginning of a path. */
  readonly file: string
  /** Name of a rule, as the linter prints it. */
  readonly rule: string
  /** Part of the text. Absent if the rule does not apply to the file at all. */
  readonly text?: string
  readonly reason: string
}

/** Texts that may break a rule. At most 40. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    file: 'packages/embedded-postgres/src/account.ts',
    rule: 'M4',
    text: 'no user postgres or nobody',
    reason: '"nobody" is the name of a user account',
  },
]

export function isExcepted({ file, rule, text }: Breach): boolean {
  return EXCEPTIONS.some(
    (one) => file.startsWith(one.file) && one.rule === rule && (one.text === undefined || text.includes(one.text)),
  )
}
