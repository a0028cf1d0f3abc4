// Every time in the schema says what a clock that was ahead does to it (test/support/times.ts).
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { TIMES } from '../support/times.ts'

const schema = readFileSync(new URL('../../../store/src/schema.sql', import.meta.url), 'utf8')

/** Columns of the schema that are times, as `table.column`. */
function timesOf(text: string): string[] {
  return [...text.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+) \(\n([^]*?)^\)/gm)].flatMap(
    ([, table = '', columns = '']) =>
      [...columns.matchAll(/^ {2}"?(\w+)"? (?:timestamp with time zone|date)\b/gm)].map(
        ([, column = '']) => `${table}.${column}`,
      ),
  )
}

test('a time of the schema is told, noted, set right after a clock was set back, or has a reason', () => {
  const classified = Object.entries(TIMES).flatMap(([table, columns]) =>
    Object.keys(columns).map((name) => `${table}.${name}`),
  )
  expect(timesOf(schema).length).toBeGreaterThan(150)
  expect(classified.sort()).toEqual(timesOf(schema).sort())
})
