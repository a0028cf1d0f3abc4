// Settings of every connection, whatever the defaults of the database or its owner are. Most fix how values look as text: another format
// would be read wrongly or not at all.
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
  // Statements that may read any day of sealed hours are dear by their plan and take milliseconds. Compiling them takes a minute.
  jit: 'off',
}

/** Locks only work if each statement sees what was committed before it. */
const ISOLATION: Settings = { default_transaction_isolation: 'read committed' }

/** Settings as options of a direct connection; a pooler does not accept them. */
export function optionsOf(settings: Settings): string {
  return Object.entries({ ...ISOLATION, ...settings })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')
}
