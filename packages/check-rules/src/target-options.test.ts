// Options of targets as fields of a form: taken out of the query, and written into it.
import { expect, test } from '@jest/globals'
import { SCHEME_ROWS } from './schemes.ts'
import { readTarget } from './target.ts'
import { defaultText, giveOptions, isSameTarget, OPTION_FIELDS, takeOptions } from './target-options.ts'

test.each([
  ['dns://1.1.1.1/a.example?type=mx;transport=tcp', 'dns://1.1.1.1/a.example', { type: 'MX', transport: 'tcp' }],
  ['smtp://a.example:587?starttls=yes', 'smtp://a.example:587', { starttls: 'yes' }],
  ['domain:a.example?warn=60&fail=7', 'domain:a.example', { warn: '60', fail: '7' }],
  ['mqtt://a.example?topic=a/%2B', 'mqtt://a.example', { topic: 'a/+' }],
  ['tcp://a.example:25?expect=^2&starttls=yes', 'tcp://a.example:25?expect=^2&starttls=yes', {}],
  ['https://a.example/?type=A', 'https://a.example/?type=A', {}],
  ['icmp://a.example?count=99', 'icmp://a.example?count=99', {}],
  ['icmp://a.example?count=2&count=4', 'icmp://a.example?count=4', { count: '2' }],
])('fields of %s', (url, rest, options) => {
  expect(takeOptions(url)).toEqual({ url: rest, options: new Map(Object.entries(options)) })
})

test.each([
  ['a value that is no default', 'icmp://a.example', { count: '5' }, 'icmp://a.example?count=5', []],
  ['a default', 'domain:a.example', { warn: '30', fail: '' }, 'domain:a.example', []],
  ['an option of another kind', 'icmp://a.example', { type: 'MX' }, 'icmp://a.example', []],
  ['a typed option', 'icmp://a.example?count=5', { count: '3' }, 'icmp://a.example?count=5', []],
  ['both, differing', 'icmp://a.example?count=5', { count: '4' }, 'icmp://a.example?count=5', ['count']],
  ['an invalid value', 'icmp://a.example', { count: '99' }, 'icmp://a.example', ['count']],
  ['text', 'mqtt://a.example', { topic: 'a/#&+' }, 'mqtt://a.example?topic=a/%23%26%2B', []],
  ['more', 'mqtt://a.example?topic=a', { client: 'b' }, 'mqtt://a.example?topic=a&client=b', []],
])('a target is given %s', (_, url, given, expected, faulty) => {
  const { url: target, faults } = giveOptions(url, new Map(Object.entries(given)))
  expect([target, faults.map(({ name }) => name)]).toEqual([expected, faulty])
})

test('targets are the same if they differ only in how an option is written', () => {
  expect(isSameTarget('dns://1.1.1.1/a.example?type=A', 'dns://1.1.1.1/a.example')).toBe(true)
  expect(isSameTarget('dns://1.1.1.1/a.example?type=MX', 'dns://1.1.1.1/a.example')).toBe(false)
})

test('options with the same name are the same field, and each default is a valid value', () => {
  for (const { name, row, schemes } of OPTION_FIELDS) {
    const rows = SCHEME_ROWS.flatMap(({ name: scheme, options = {} }) =>
      schemes.includes(scheme) ? [new Map(Object.entries(options)).get(name)] : [],
    )
    expect(new Set(rows)).toEqual(new Set([row]))
    expect(row.kind === 'whole' ? row.default : 0).toBe(Number(defaultText(row)) || 0)
  }
  const given = new Map([['query', 'select 1, 2 from "a&b"']])
  expect(readTarget(giveOptions('postgres://a:b@c/d', given).url)).toMatchObject({ query: given.get('query') })
})
