// Paths in JSON: what each leads to.
import { expect, test } from '@jest/globals'
import { readJsonPath, valueAt } from './json-path.ts'

const JSON_TEXT =
  '{"a":{"b c":[1,null,{"é":"x"}],"":0,"__proto__":{"p":1}},"1":"digit","\\"\\\\":true,"\\ud83d\\ude00":2}'

test.each([
  ['$', JSON.parse(JSON_TEXT) as unknown],
  ["$.a['b c'][0]", 1],
  ['$.a["b c"][1]', null],
  ["$ .a [ 'b c' ] [2].é", 'x'],
  ["$.a['b c'][-1]['\\u00e9']", 'x'],
  ["$.a['b c'][3]", undefined],
  ["$.a['b c'][-4]", undefined],
  ["$.a['b c']['0']", undefined],
  ["$.a['b c'].length", undefined],
  ["$.a['']", 0],
  ['$.a.__proto__.p', 1],
  ['$.a.constructor', undefined],
  ['$[1]', undefined],
  ["$['1']", 'digit'],
  ["$['1'].length", undefined],
  ['$["\\"\\\\"]', true],
  ["$['\\uD83D\\uDE00']", 2],
  ['$.😀', 2],
])('%s', (text, value) => {
  const path = readJsonPath(text)
  expect(path).toBeDefined()
  expect(valueAt(JSON.parse(JSON_TEXT), path ?? [])).toEqual(value)
})
