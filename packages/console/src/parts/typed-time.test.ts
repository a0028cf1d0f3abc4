import { expect, test } from '@jest/globals'
import { byClock, dayInput, dayTimeInput, in24Hours } from './typed-time.ts'

test.each([
  ['10:00 pm', '22:00'],
  ['10pm', '22:00'],
  ['12:30 AM', '00:30'],
  ['12:00 pm', '12:00'],
  ['9:30', '09:30'],
  ['22:00', '22:00'],
  ['2026-11-28 2:00 am', '2026-11-28 02:00'],
  ['13:00 pm', '13:00 pm'],
  ['110:00 pm', '110:00 pm'],
  ['noon', 'noon'],
  ['', ''],
])('typed: %j is %j', (typed, read) => {
  expect(in24Hours(typed)).toBe(read)
})

test.each([
  ['22:00', '10:00 pm'],
  ['00:05', '12:05 am'],
  ['2026-11-28 12:00', '2026-11-28 12:00 pm'],
  ['soon', 'soon'],
  ['', ''],
])('%j is shown as %j by the clock of 12 hours, and as it is by the other', (time, shown) => {
  expect([byClock(time, { hours: 12 }), byClock(time, { hours: 24 })]).toEqual([shown, time])
  expect(in24Hours(shown)).toBe(time)
})

test.each([
  ['2026-11-28 02:00', { type: 'datetime-local', value: '2026-11-28T02:00' }],
  ['2026-11-28T02:00', { type: 'datetime-local', value: '2026-11-28T02:00' }],
  ['2026-11-28 2:00 pm', { type: 'datetime-local', value: '2026-11-28T14:00' }],
  ['', { type: 'datetime-local', value: '' }],
  ['tomorrow 9:00', { type: 'text', value: 'tomorrow 9:00' }],
])('%j in a field for a day and a time: %j', (typed, input) => {
  expect(dayTimeInput(typed)).toEqual(input)
})

test('a day is chosen from a calendar, and what is none stays as it was typed', () => {
  expect(['2026-11-28', '', 'monday'].map((typed) => dayInput(typed).type)).toEqual(['date', 'date', 'text'])
})
