import { expect, test } from '@jest/globals'
import { byClock, in24Hours } from './typed-time.ts'

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
