// The first turn of a check that a person makes comes in seconds, by every agent's reckoning.
import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { guidDueSoon, phaseOf } from './first-run.ts'

const NOW = new Date('2026-11-20T12:00:07.250Z')

/** As agents do: the start of the next slot strictly after now. */
function waitOf(guid: string, interval_sec: number): number {
  const interval_ms = interval_sec * 1000
  const phase_ms = phaseOf(guid) * interval_ms
  const slot = Math.floor((NOW.getTime() - phase_ms) / interval_ms) + 1
  return phase_ms + slot * interval_ms - NOW.getTime()
}

test.each([5, 10, 60, 300, 600])('every %i s: two to four seconds from now', (interval_sec) => {
  for (let i = 0; i < 20; i++) {
    const wait = waitOf(guidDueSoon(randomBytes, NOW, interval_sec), interval_sec)
    expect(wait).toBeGreaterThanOrEqual(2000)
    expect(wait).toBeLessThan(4000)
  }
})

test('the phase is that of the protocol', () => {
  expect(phaseOf('8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11')).toBeCloseTo(0.350_032_112, 8)
})

test('a search that cannot end well ends all the same', () => {
  expect(guidDueSoon((size) => Buffer.alloc(size), NOW, 86_400)).toMatch(/^[0-9a-f-]{36}$/)
  expect(guidDueSoon(randomBytes, NOW, 1)).toMatch(/^[0-9a-f-]{36}$/)
})
