// Defines the settings of every connection, regardless of the defaults of the database or its owner. Most fix the
// format of values as text, because other formats would be misread.
import type { Settings } from './set-query.ts'

export const SESSION: Settings = {
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // Statements that can read any day of sealed hours look expensive in their plans but take milliseconds. Compiling
  // them would take a minute.
  jit: 'off',
}

/** Isolation level of all transactions. Locks only work if each statement sees what was committed before it. */
const ISOLATION: Settings = { default_transaction_isolation: 'read committed' }

/** Returns settings as options of a direct connection. A pooler does not accept options. */
export function optionsOf(settings: Settings): string {
  return Object.entries({ ...ISOLATION, ...settings })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')
}
