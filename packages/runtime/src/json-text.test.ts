import { expect, test } from '@jest/globals'
import { readJson } from './json-text.ts'

const BOUNDS = { levels: 1000, values: 60_000, names: 20_000 }
const read = (text: string) => readJson(Buffer.from(text), BOUNDS)
const objectOf = (count: number, nameOf: (n: number) => string, value = '0') =>
  `{${Array.from({ length: count }, (_, n) => `"${nameOf(n)}" : ${value}`).join(',')}}`

test('as many different names as the bound pass, one more does not', async () => {
  expect(await read(objectOf(20_000, (n) => `name ${n}`))).toHaveProperty('value')
  expect(await read(objectOf(20_001, (n) => `name ${n}`))).toEqual({
    fault: 'must have at most 20000 different field names',
  })
  const apart = Array.from({ length: 20_001 }, (_, n) => `{"n${n}":0}`).join(',')
  expect(await read(`[${apart}]`)).toEqual({ fault: 'must have at most 20000 different field names' })
})

test('names that are repeated and names in texts count once or not at all', async () => {
  const repeated = Array.from({ length: 15_000 }, (_, n) => `{"name":"text ${n}:","url":"\\":\\"${n}\\":"}`).join(',')
  expect(await read(`[${repeated}]`)).toHaveProperty('value')
})

test('a text is looked at whole, however it is divided', async () => {
  const long = `"${'\\"[{,'.repeat(100_000)}"`
  expect(await read(`{"a":${long},"b":${objectOf(20_001, (n) => `é"n${n}`.replace('"', '\\"'))}}`)).toEqual({
    fault: 'must have at most 20000 different field names',
  })
  expect(await read(`[${long},${'['.repeat(999)}${']'.repeat(999)}]`)).toHaveProperty('value')
  expect(await read(`[${long},${'['.repeat(1000)}${']'.repeat(1000)}]`)).toEqual({
    fault: 'must not be nested deeper than 1000 levels',
  })
})

test('also a short text must not be nested deeper', async () => {
  const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`
  expect(await read(nested(1000))).toHaveProperty('value')
  expect(await read(nested(1002))).toEqual({ fault: 'must not be nested deeper than 1000 levels' })
})

test('what is no JSON is refused', async () => {
  for (const text of ['[', '{"a":}', '"', ',,'.repeat(20_000), '"'.repeat(50_001), '"a":'.repeat(11_000)])
    expect(await read(text)).toEqual({ fault: 'must be valid JSON' })
})
