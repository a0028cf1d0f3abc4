// What the server says of the turns of a check is what its agents do.
import { randomBytes } from 'node:crypto'
import { nextSlot, turnOf } from '@dogwatch/check-rules/turns'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { guidDueSoon, nextRunAt } from './turns.ts'

const NOW = new Date('2026-11-20T12:00:07.250Z')

test('the next run of a check is the next one of all its monitors, within an interval', () => {
  const interval = fc.constantFrom(1, 30, 45, 60, 300, 86_400)
  const moment = fc.integer({ min: NOW.getTime(), max: NOW.getTime() + 86_400_000 })
  fc.assert(
    fc.property(
      fc.uuid(),
      interval,
      fc.integer({ min: 1, max: 7 }),
      moment,
      (guid, interval_sec, monitor_count, now) => {
        const next = Array.from({ length: monitor_count }, (_, monitor_rank) => {
          return nextSlot(turnOf({ guid, interval_sec, monitor_count, monitor_rank }), now).at
        })
        const at = nextRunAt({ guid, interval_sec }, new Date(now)).getTime()
        expect(at).toBe(Math.ceil(Math.min(...next)))
        expect(at).toBeGreaterThan(now)
        expect(at).toBeLessThanOrEqual(now + interval_sec * 1000 + 1)
      },
    ),
  )
})

test.each([5, 10, 60, 300, 600])('every %i s: the first run comes two to four seconds from now', (interval_sec) => {
  for (let i = 0; i < 20; i++) {
    const guid = guidDueSoon(randomBytes, NOW, interval_sec)
    const wait_ms = nextRunAt({ guid, interval_sec }, NOW).getTime() - NOW.getTime()
    expect(wait_ms).toBeGreaterThanOrEqual(2000)
    expect(wait_ms).toBeLessThanOrEqual(4000)
  }
})

test('a search that cannot end well ends all the same', () => {
  expect(guidDueSoon((size) => Buffer.alloc(size), NOW, 86_400)).toMatch(/^[0-9a-f-]{36}$/)
  expect(guidDueSoon(randomBytes, NOW, 1)).toMatch(/^[0-9a-f-]{36}$/)
})
