// Paths in JSON: what each leads to.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { query } from 'jsonpath-rfc9535'
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

const NAMES = ['a', 'b c', "it's", '"', '\\', '', 'é', '😀', '0', '\n', '__proto__', 'length', '\u2028']
const name = fc.constantFrom(...NAMES)
const step = fc.oneof(name, fc.integer({ min: -3, max: 3 }))
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, 1.5, '', 'text'),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('json')), { maxLength: 5 }).map((pairs) => JSON.parse(objectText(pairs)) as unknown),
  ),
}))

/** Makes an own property of every name, `__proto__` included. */
function objectText(pairs: readonly (readonly [string, unknown])[]): string {
  return `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`
}

/** Writes a step in one of the ways that RFC 9535 has for it. */
function written(one: string | number, way: number): string {
  if (typeof one === 'number') return `[${one}]`
  if (way === 0 && /^[A-Z_a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(one)) return `.${one}`
  if (way === 1) return `[${JSON.stringify(one)}]`
  if (way === 2)
    return `['${Array.from(one, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}']`
  return `[ '${JSON.stringify(one).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}' ]`
}

test('each path leads to the value that another implementation of RFC 9535 finds', () => {
  let found = 0
  fc.assert(
    fc.property(json, fc.array(fc.tuple(step, fc.nat({ max: 3 })), { maxLength: 5 }), (value, steps) => {
      // An astral character has no single escape.
      const text = `$${steps.map(([one, way]) => written(one, one === '😀' && way === 2 ? 1 : way)).join('')}`
      const wanted = query(value as never, text)
      found += wanted.length
      const path = readJsonPath(text)
      expect({ text, path }).toEqual({ text, path: steps.map(([one]) => one) })
      const got = valueAt(value, path ?? [])
      expect({ text, got: got === undefined ? [] : [got] }).toEqual({ text, got: wanted })
    }),
    { numRuns: 2000 },
  )
  expect(found).toBeGreaterThan(200)
})

test('a text that is read as a path is one by RFC 9535', () => {
  const char = fc.constantFrom(...Array.from('$.[]\'"ab01-\\u d8:,*?@()\n\u00e9😀'))
  fc.assert(
    fc.property(fc.string({ unit: char, maxLength: 12 }), (rest) => {
      const text = `$${rest}`
      if (readJsonPath(text) !== undefined) expect(() => query({}, text)).not.toThrow()
    }),
    { numRuns: 5000 },
  )
})
