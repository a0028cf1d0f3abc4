import { expect, test } from '@jest/globals'
import { EVENT_TYPES } from './event.ts'
import { eventName } from './names.ts'

test('each event has a name of its own in words', () => {
  const names = EVENT_TYPES.map(eventName)
  expect(new Set(names).size).toBe(EVENT_TYPES.length)
  for (const name of names) expect(name).toMatch(/^[A-Z][^._]+$/)
})

test.each([
  ['check.down', 'Check: down'],
  ['channel.confirm', 'Channel: request to confirm the address'],
  ['check.of_another_build', 'check of another build'],
  ['constructor', 'constructor'],
])('%s is %s', (type, name) => {
  expect(eventName(type)).toBe(name)
})
