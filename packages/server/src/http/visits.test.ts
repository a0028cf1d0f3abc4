// How many places requests in progress take.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from '@jest/globals'
import { type Visit, Visits } from './visits.ts'

test('four small ones take a place; one that turns out to be large takes its own, and none is counted twice', () => {
  const visits = new Visits()
  const all = Array.from(
    { length: 4 },
    (): Visit => ({ req: {} as IncomingMessage, res: {} as ServerResponse, began: 0 }),
  )
  for (const visit of all) {
    visits.add(visit)
    visits.lineUp(visit, true)
    visits.lineUp(visit, true)
  }
  expect(visits.places).toBe(1)
  const [first] = all as [Visit]
  visits.lineUp(first, false)
  expect(visits.places).toBe(1 + 3 / 4)
  for (const visit of all) visits.delete(visit)
  expect(visits.places).toBe(0)
  visits.delete(first)
  visits.lineUp(first, true)
  expect(visits.places).toBe(0)
})
