import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { LoopDelay } from './loop-delay.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('it measures from the first reading on, and rests when nobody reads it any more', () => {
  const delay = new LoopDelay()
  expect(jest.getTimerCount()).toBe(0)
  expect([delay.ms, jest.getTimerCount()]).toEqual([0, 1])
  jest.advanceTimersByTime(1900)
  expect(jest.getTimerCount()).toBe(1)
  expect(delay.ms).toBe(0)
  jest.advanceTimersByTime(2000)
  expect(jest.getTimerCount()).toBe(0)
  expect([delay.ms, jest.getTimerCount()]).toEqual([0, 1])
  delay.stop()
})

test('a late event loop shows in what is read next', () => {
  const delay = new LoopDelay()
  expect(delay.ms).toBe(0)
  const late = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1100)
  jest.advanceTimersByTime(100)
  late.mockRestore()
  expect(Math.round(delay.ms)).toBe(200)
  delay.stop()
})
