// How urgent a route says an alert is decides the priority that a kind gives it, and nothing else.
import { expect, test } from '@jest/globals'
import { levelOf, type Message } from './channel.ts'
import { gotifyBody } from './gotify/message.ts'
import { ntfyBody } from './ntfy/message.ts'

const DOWN: Message = { severity: 'down', title: 'Down: shop', lines: [], facts: [], link: 'https://dogwatch.example/' }

test.each([
  [undefined, 5, 8],
  ['critical', 5, 8],
  ['warning', 4, 6],
  ['info', 3, 4],
] as const)('an alert about something down, as %s', (urgency, ntfy, gotify) => {
  const message = urgency === undefined ? DOWN : { ...DOWN, urgency }
  expect(ntfyBody('topic', message)).toMatchObject({ priority: ntfy, tags: ['red_circle'] })
  expect(gotifyBody(message)).toMatchObject({ priority: gotify })
})

test('without a route, the message itself says it', () => {
  expect(levelOf({ severity: 'reminder' })).toBe('reminder')
})
