// The server judges definitions as the agent does: both run the same list of them.
import { describe, expect, test } from '@jest/globals'
import { ACCEPTED, REFUSED } from '../../../check-rules/fixtures/definitions.ts'
import { ACCEPTED_RULES, REFUSED_RULES } from '../../../check-rules/fixtures/rules.ts'
import { DomainError } from '../errors.ts'
import { readCheck } from './check.ts'

const read = (definition: Record<string, unknown>) =>
  readCheck('[3]', { name: 'shop', interval_sec: 60, ...definition })

test('the list is long enough to say something', () => {
  expect(Object.keys(ACCEPTED).length).toBeGreaterThan(60)
  expect(Object.keys(REFUSED).length).toBeGreaterThan(100)
})

describe('accepted', () => {
  test.each(Object.entries({ ...ACCEPTED, ...ACCEPTED_RULES }))('%s', (_, definition) => {
    const given = Object.entries(definition).filter(([, value]) => value !== null)
    expect(read(definition)).toMatchObject(Object.fromEntries(given))
  })
})

describe('refused', () => {
  test.each(Object.entries({ ...REFUSED, ...REFUSED_RULES }))('%s', (_, { given, field, header, part = '', must }) => {
    const name = header === undefined ? `${field}${part}` : `${field}[${JSON.stringify(header)}]`
    expect(() => read(given)).toThrow(new DomainError('invalid', `[3].${name} ${must}`))
  })
})

test('a dialogue with an invalid pattern is refused', () => {
  const must = 'must have a valid regular expression (RE2 syntax) as the option expect'
  expect(() => read({ url: 'tcp://a.example:1?expect=(' })).toThrow(new DomainError('invalid', `[3].url ${must}`))
})
