// What every connection is set to, whatever the database or its owner made the default: how values look as text. An answer in
// another form is read wrongly or not at all.
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
}

/** Locks and the statements after them rest on each statement seeing what was committed before it. */
const ISOLATION: Settings = { default_transaction_isolation: 'read committed' }

/** Settings as the options of a connection to the server itself; a pooler does not take them. */
export function optionsOf(settings: Settings): string {
  return Object.entries({ ...ISOLATION, ...settings })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')
}
