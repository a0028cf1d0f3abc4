import { expect, test } from '@jest/globals'
import { Standstill } from './standstill.ts'

function looked(...times: number[]): Standstill {
  const standstill = new Standstill(0)
  for (const at of times) standstill.look(at)
  return standstill
}

test('a process that goes on keeps nothing waiting', () => {
  expect(looked(250, 500, 900).heldMs(1000)).toBe(0)
})

test('what is looked at after a standstill may have waited since it began, until everything has been looked at', () => {
  expect(looked(250).heldMs(20_250)).toBe(20_000)
  expect(looked(250, 20_250).heldMs(21_000)).toBe(20_750)
  expect(looked(250, 20_250, 21_000, 22_000, 23_000, 24_000, 25_000, 25_500).heldMs(26_000)).toBe(0)
})

test('standstills that follow each other closely count as one', () => {
  expect(looked(250, 6250, 7000, 13_000).heldMs(13_100)).toBe(12_850)
})
