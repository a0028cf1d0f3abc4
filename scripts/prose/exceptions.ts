// Lists the places in which a writing rule does not apply, each with the reason.
import type { Breach } from './messages.ts'

export interface Exception {
  /** Beginning of the path of each file that the exception applies to. */
  readonly file: string
  /** Name of a rule, as the linter prints it. */
  readonly rule: string
  /** Part of the text that may break the rule. Absent if all texts of the file may. */
  readonly text?: string
  readonly reason: string
}

/** Exceptions from the rules. There may be at most 40. */
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
