// How many requests can be in line, by how many were done lately.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from '@jest/globals'
import { type Visit, Visits } from './visits.ts'

const MANY = 4

function newLine() {
  let now = 0
  const visits = new Visits(MANY, () => now)
  const waiting: Visit[] = []
  const come = (isSmall = true) => {
    const visit: Visit = { req: {} as IncomingMessage, res: {} as ServerResponse, began: now }
    visits.add(visit)
    visits.lineUp(visit, isSmall)
    waiting.push(visit)
  }
  const done = () => visits.delete(waiting.shift() as Visit)
  return { visits, come, done, forward: (ms: number) => (now += ms) }
}

test.each([5, 20, 300])('the pace of a line is how many are done in a second: %d', (per_sec) => {
  const { visits, come, done, forward } = newLine()
  for (let n = 0; n <= MANY; n++) come()
  for (let n = 0; n < 30 * per_sec; n++) {
    come()
    forward(1000 / per_sec)
    done()
  }
  expect(visits.pace).toBeGreaterThan(per_sec * 0.9)
  expect(visits.pace).toBeLessThan(per_sec * 1.1)
})

test('what is done while nobody is in line, and time without a line, do not change the pace', () => {
  const { visits, come, done, forward } = newLine()
  for (let n = 0; n < 100; n++) {
    come()
    forward(1000)
    done()
  }
  expect(visits.pace).toBe(4 * MANY)
})

test('who left before its turn was not done', () => {
  const { visits, come, forward } = newLine()
  for (let n = 0; n <= MANY + 10; n++) come()
  forward(60_000)
  for (const visit of [...visits]) {
    visit.gone = 0
    visits.delete(visit)
  }
  expect(visits.pace).toBeLessThan(0.001)
})

test('eight small ones take a place; one that turns out to be large takes its own, and none is counted twice', () => {
  const { visits, come, done } = newLine()
  for (let n = 0; n < 8; n++) come()
  expect(visits.places).toBe(1)
  const [first] = visits
  visits.lineUp(first as Visit, false)
  expect(visits.places).toBe(1 + 7 / 8)
  for (let n = 0; n < 8; n++) done()
  expect(visits.places).toBe(0)
  visits.delete(first as Visit)
  visits.lineUp(first as Visit, true)
  expect(visits.places).toBe(0)
})
