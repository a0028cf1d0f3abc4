// What a file may hold as YAML, and where its faults are said to be.

import { expect, test } from '@jest/globals'
import { readSource } from './source.ts'

function read(text: string, env: Record<string, string> = {}) {
  return readSource('dogwatch.yaml', text, env)
}

function faults(text: string, env: Record<string, string> = {}): string {
  try {
    return `none: ${JSON.stringify(read(text, env).value)}`
  } catch (error) {
    return (error as Error).message
  }
}

test('anchors, aliases and merge keys are resolved, and what stands beside a merge key wins', () => {
  const { value } = read(`
x-web: &web { timeout_sec: 5, tags: [web] }
x-slow: &slow { timeout_sec: 30, interval_sec: 300 }
checks:
  one: { <<: *web, timeout_sec: 7 }
  two: { <<: [*web, *slow], url: x }
  three: *slow
`)
  expect(value).toMatchObject({
    checks: {
      one: { timeout_sec: 7, tags: ['web'] },
      two: { timeout_sec: 5, tags: ['web'], interval_sec: 300, url: 'x' },
      three: { timeout_sec: 30, interval_sec: 300 },
    },
  })
})

test.each([
  ['an alias', (name: string) => `a: *${name}`],
  ['a variable', (name: string) => `a: "\${${name}}"`],
  ['a tag', (name: string) => `a: !${name} x`],
  ['a directive', (name: string) => `%${name} 1\n---\na: 1`],
  ['a key that is there twice', (name: string) => `? ${name}\n: 1\n? ${name}\n: 1`],
])('the fault of %s repeats no more than 200 characters of the file', (_, write) => {
  const line = faults(write('X'.repeat(5000)))
  expect(line).toMatch(/X{150}/)
  expect(line.replaceAll(/[^X…]/g, '').length).toBeLessThanOrEqual(200)
})

test('a value knows its place, one that was merged that of its anchor', () => {
  const { placeOf } = read('x-a: &a\n  n: 1\nchecks:\n  one:\n    <<: *a\n    url: x\n')
  expect(placeOf(['checks', 'one', 'url'])).toEqual({ line: 6, column: 5 })
  expect(placeOf(['checks', 'one', 'n'])).toEqual({ line: 2, column: 3 })
  expect(placeOf(['checks', 'one', 'missing'])).toEqual({ line: 4, column: 3 })
  expect(placeOf(['nothing'])).toEqual({ line: 1, column: 1 })
})

test('variables are filled in, and what they filled is known to be secret', () => {
  const { value, isSecret, secrets } = read('a: { b: "Bearer ${TOKEN}", c: plain }\nd: "$${TOKEN} costs $5"\n', {
    TOKEN: 'hunter2',
  })
  expect(value).toEqual({ a: { b: 'Bearer hunter2', c: 'plain' }, d: '${TOKEN} costs $5' })
  expect([isSecret(['a', 'b']), isSecret(['a']), isSecret(['a', 'c']), isSecret(['d'])]).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect([...secrets]).toEqual([['TOKEN', 'hunter2']])
})

test('a value of the environment is never read as YAML', () => {
  expect(read('a: ${X}\n', { X: '{b: 1}\nc: 2' }).value).toEqual({ a: '{b: 1}\nc: 2' })
})

test('what variables fill in is bounded, however often one is named', () => {
  expect(faults(`a: ok\nb: "${'${A}'.repeat(100)}"`, { A: 'x'.repeat(30_000) })).toBe(
    'dogwatch.yaml:2:4: the values of all variables in the file must be at most 2 MiB in total',
  )
})

test('an opening that nothing closes stays as it is, and what is escaped behind it is not', () => {
  expect(read('a: "${A} ${B $${C ${"', { A: 'x' }).value).toEqual({ a: 'x ${B ${C ${' })
})

test('each variable that is missing or empty is one line with its place', () => {
  expect(faults('a: ${ONE}\nb:\n  - "${TWO}"\n  - ${1X}\n', { TWO: '' })).toBe(
    [
      'dogwatch.yaml:1:4: the environment variable ONE is not set or is empty',
      'dogwatch.yaml:3:5: the environment variable TWO is not set or is empty',
      'dogwatch.yaml:4:5: the text between ${ and } must be a variable name; write $${ for a literal ${',
    ].join('\n'),
  )
})

test.each([
  ['a list that does not end', 'a: [1, 2\nb: 3', /^dogwatch\.yaml:2:1: .+$/],
  ['a field twice', 'a: 1\nb: 2\na: 3', /^dogwatch\.yaml:3:1: a is defined twice$/],
  ['an alias of nothing', 'a: *b', /^dogwatch\.yaml:1:4: .*b.*$/],
  ['a merge of no map', 'x: &x 1\na: { <<: *x }', /^dogwatch\.yaml:2:10: << must be followed by an alias of a map$/],
  ['a map as a key', '? {a: 1}\n: 2', /^dogwatch\.yaml:1:3: a key must be a plain word$/],
  ['a tag of somebody else', 'a: !js/function x', /^dogwatch\.yaml:1:4: .+$/],
  [
    'an alias within its own anchor',
    'a: &a\n  b: *a',
    /^dogwatch\.yaml:2:3: the file must not be nested more than 40 levels deep$/,
  ],
  [
    '20,000 lists in each other',
    '['.repeat(20_000),
    /^dogwatch\.yaml:1:\d+: the file must not be nested more than 40 levels deep$/,
  ],
  ['two documents', 'a: 1\n---\nb: 2', /^dogwatch\.yaml:2:1: .+$/],
])('%s is refused with its place', (_, text, line) => {
  expect(faults(text)).toMatch(line)
})

test('a few lines of aliases cannot become a billion values', () => {
  const lines = Array.from(
    { length: 12 },
    (_, n) =>
      `a${n}: &a${n} [${Array(9)
        .fill(n === 0 ? 'x' : `*a${n - 1}`)
        .join(', ')}]`,
  )
  expect(faults(lines.join('\n'))).toMatch(/: the file must have at most 200000 values, including those of aliases$/)
})

test('a file of 2 MiB and more is refused before it is parsed', () => {
  expect(faults(`a: ${'x'.repeat(2 * 1024 * 1024)}`)).toBe('dogwatch.yaml:1:1: the file must be at most 2 MiB')
})

test('a field called __proto__ is a field like any other', () => {
  const { value } = read('__proto__: { polluted: true }')
  expect(Object.keys(value as object)).toEqual(['__proto__'])
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

test('a key that looks like a number is the text that the file has', () => {
  const { value, keysOf } = read('checks:\n  10.10: { url: a }\n  1.0: { url: b }\n  1_0: { url: c }\n')
  expect(Object.keys((value as { checks: object }).checks)).toEqual(['10.10', '1.0', '1_0'])
  expect(keysOf(['checks'])).toEqual(['10.10', '1.0', '1_0'])
})
