import { expect, test } from '@jest/globals'
import { muteChoices, muteEnd } from './muted.tsx'

const PARIS = { zone: 'Europe/Paris', hours: 12 } as const
const last = (now: string) => muteChoices(new Date(now), PARIS).at(-1)?.[1]
const end = (now: string) => new Date(muteEnd('morning', '', new Date(now), PARIS)).toISOString()

test.each([
  ['in the night: the same day', '2026-11-23T01:51:00Z', '2026-11-23T08:00:00.000Z', '23 Nov (about 6 h'],
  ['shortly before', '2026-11-23T07:30:00Z', '2026-11-23T08:00:00.000Z', '23 Nov (less than 1 h'],
  ['at that time: the day after', '2026-11-23T08:00:00Z', '2026-11-24T08:00:00.000Z', '24 Nov (about 24 h'],
  ['in the evening: the day after', '2026-11-23T20:00:00Z', '2026-11-24T08:00:00.000Z', '24 Nov (about 12 h'],
  ['before summer time begins', '2026-03-28T20:00:00Z', '2026-03-29T07:00:00.000Z', '29 Mar (about 11 h'],
])('until the next 9 o’clock, %s', (_, now, until, words) => {
  expect(end(now)).toBe(until)
  expect(last(now)).toBe(`until 9:00 am, ${words}, Europe/Paris)`)
})

test('what the form does not offer is no time', () => {
  for (const choice of ['tomorrow', 'toString', '']) expect(Number(muteEnd(choice, '', new Date(0), PARIS))).toBeNaN()
})

test('until it is resolved is offered for what is down alone', () => {
  const offered = (isDown: boolean) => muteChoices(new Date(0), PARIS, isDown).map(([value]) => value)
  expect([offered(true).includes('resolved'), offered(false).includes('resolved')]).toEqual([true, false])
  expect(muteEnd('resolved', '', new Date(0), PARIS)).toBe('resolved')
})
