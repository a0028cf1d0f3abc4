// Texts of JSON whose structure would take far more memory than their length.
import { expect, test } from '@jest/globals'
import { jsonValues, LEVELS_MAX } from './json-values.ts'

const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`

test('a text that is nested too deeply is refused before it is parsed, whether it ends or not', () => {
  expect(jsonValues(nested(LEVELS_MAX), [])).toEqual([])
  expect(jsonValues(nested(LEVELS_MAX + 2), [])).toBeUndefined()
  expect(jsonValues('['.repeat(100_000), [])).toBeUndefined()
})

test('levels that were closed, and brackets within texts, do not count', () => {
  expect(jsonValues(`[${'[],{},'.repeat(5000)}1]`, [])).toEqual([])
  expect(jsonValues(JSON.stringify([`\\"${'[{'.repeat(5000)}`, '\\']), [])).toEqual([])
})
