// The server judges definitions as the agent does: both run the same list of them.
import { describe, expect, test } from '@jest/globals'
import { ACCEPTED, REFUSED } from '../../../../check-rules/fixtures/definitions.ts'
import { DomainError } from '../errors.ts'
import { readCheck } from './check.ts'

const read = (definition: Record<string, unknown>) =>
  readCheck('[3]', { name: 'shop', interval_sec: 60, ...definition })

test('the list is long enough to say something', () => {
  expect(Object.keys(ACCEPTED).length).toBeGreaterThan(60)
  expect(Object.keys(REFUSED).length).toBeGreaterThan(100)
})

describe('accepted', () => {
  test.each(Object.entries(ACCEPTED))('%s', (_, definition) => {
    const given = Object.entries(definition).filter(([, value]) => value !== null)
    expect(read(definition)).toMatchObject(Object.fromEntries(given))
  })
})

describe('refused', () => {
  test.each(Object.entries(REFUSED))('%s', (_, { given, field, header, must }) => {
    const name = header === undefined ? field : `${field}[${JSON.stringify(header)}]`
    expect(() => read(given)).toThrow(new DomainError('invalid', `[3].${name} ${must}`))
  })
})
