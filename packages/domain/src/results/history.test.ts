// How much of what organisations lack is folded at once.
import { expect, test } from '@jest/globals'
import { portionsOf } from './history.ts'

const portions = (...checks: number[]) =>
  portionsOf(
    checks.map((_, org_id) => org_id),
    new Map(checks.map((count, org_id) => [org_id, count])),
  ).map((portion) => [...portion])

test('small organisations are folded six hours at a time, twenty of them together', () => {
  const found = portions(...Array.from({ length: 45 }, () => 3))
  expect(found.map((portion) => portion.length)).toEqual([20, 20, 5])
  expect(new Set(found.flat().map(([, hours]) => hours))).toEqual(new Set([6]))
})

test('a large organisation is folded fewer hours at a time, the largest an hour', () => {
  expect(portions(3_000, 5_000, 10_000, 20_000, 100_000)).toEqual([[[0, 6]], [[1, 4]], [[2, 2]], [[3, 1]], [[4, 1]]])
})

test('a portion is never larger than an hour of the largest organisation', () => {
  expect(portions(100, 19_500, 100, 2_000, 0)).toEqual([
    [[0, 6]],
    [[1, 1]],
    [
      [2, 6],
      [3, 6],
      [4, 6],
    ],
  ])
})
