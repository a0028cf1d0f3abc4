// The table of schemes: what its rows promise to the code that asks them.
import { describe, expect, test } from '@jest/globals'
import { appliesTo, CHECK_FIELDS, FIELD_NAMES } from './fields.ts'
import { SCHEME_ROWS, SCHEMES, schemeOf } from './schemes.ts'
import { readTarget } from './target.ts'
import { listed } from './words.ts'

describe.each(SCHEME_ROWS)('$name', ({ name, example, offered_as, fields, label, hint }) => {
  test('its example is a target of it', () => {
    expect(schemeOf(example)).toBe(name)
    expect(readTarget(example)).toMatchObject({ scheme: name, shown: expect.any(String) })
  })

  test('the form offers it, or a scheme with the same label', () => {
    const offered = SCHEME_ROWS.find((row) => row.name === (offered_as ?? name))
    expect(offered).toMatchObject({ label, hint: expect.any(String) })
    expect(offered?.offered_as).toBeUndefined()
    expect(hint === undefined).toBe(offered_as !== undefined)
  })

  test('its fields are fields of a check', () => {
    expect(fields.filter((field) => !Object.hasOwn(CHECK_FIELDS, field))).toEqual([])
  })
})

test.each([
  ['http', []],
  ['https', []],
  [
    'tcp',
    [
      ...['method', 'disable_redirects', 'headers', 'post_data', 'max_redirects', 'proxy'],
      ...['status_code_op', 'status_code_value', 'status_codes'],
    ],
  ],
  [
    'tls',
    [
      ...['method', 'disable_redirects', 'headers', 'post_data', 'max_redirects', 'proxy'],
      ...['status_code_op', 'status_code_value', 'status_codes'],
    ],
  ],
] as const)('%s: these fields do not apply', (scheme, want) => {
  expect(FIELD_NAMES.filter((field) => !appliesTo(field, scheme))).toEqual(want)
})

test('a port that need not be named has a default', () => {
  const { read } = SCHEMES.ntp
  expect(read('example.com', 'dns', 53)).toEqual({ host: 'example.com', port: 53, shown: 'example.com:53' })
  expect(read('[::1]:54', 'dns', 53)).toEqual({ host: '::1', port: 54, shown: '[::1]:54' })
  expect(read('example.com:', 'dns', 53)).toEqual({ fault: 'must have the form dns://host:port' })
})

test('a scheme is known in any case, and only with its slashes', () => {
  expect(['HTTPS://', 'tcp:x', 'https', '://x', 'constructor://x', ' tls://x'].map(schemeOf)).toEqual([
    'https',
    ...Array(5).fill(undefined),
  ])
})

test('the hint of the target names the schemes', () => {
  expect(CHECK_FIELDS.url.hint).toMatch(
    /^An http:\/\/ or https:\/\/ URL to check a website, tcp:\/\/host:port to .*\.$/,
  )
})

test('words are listed as in a sentence', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'a', 'c']].map((words) => listed(words, ' or '))).toEqual([
    '',
    'a',
    'a or b',
    'a, b or c',
  ])
})
