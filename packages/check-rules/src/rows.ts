// Defines the fields of a check, one row each. Types, columns, files, both APIs, the form and its words come from these rows.
import { ALERT_ROWS } from './rows/alerts.ts'
import { BASIC_ROWS } from './rows/basics.ts'
import { REQUEST_ROWS } from './rows/request.ts'
import type { FieldRow } from './rows/row.ts'
import { RULE_ROWS } from './rows/rules.ts'

export type { Common, FieldRow } from './rows/row.ts'

/** All fields, in the order of files, responses and pages. */
export const CHECK_FIELDS = {
  ...BASIC_ROWS,
  ...REQUEST_ROWS,
  ...RULE_ROWS,
  ...ALERT_ROWS,
} as const satisfies Readonly<Record<string, FieldRow>>
