import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { BELIEVED_AFTER_MS, DatabaseClock } from './database-clock.ts'

const TRUTH = Date.parse('2026-11-20T12:00:00Z')
const DAY = 86_400_000

/** A machine and a database in one true time, each with clocks that can be set. */
function machine() {
  let true_ms = 0
  let asleep_ms = 0
  let stopped_ms = 0
  const offsets = { wall: 0, database: 0 }
  const monotonicMs = () => true_ms - asleep_ms - stopped_ms + 7_000_000
  const clock = new DatabaseClock({
    wallMs: () => TRUTH + true_ms + offsets.wall,
    monotonicMs,
    bootMs: () => monotonicMs() + asleep_ms + 1_000,
  })
  const ask = ({ there_ms = 1, back_ms = 1 } = {}) => {
    const sent_ms = monotonicMs()
    true_ms += there_ms
    const database_ms = TRUTH + true_ms + offsets.database
    true_ms += back_ms
    clock.add({ sent_ms, received_ms: monotonicMs(), database_ms })
  }
  const wait = (ms: number) => void (true_ms += ms)
  return {
    clock,
    offsets,
    ask,
    wait,
    /** Time goes by with an answer each second. */
    run: (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        wait(1000)
        ask()
      }
    },
    sleep: (ms: number) => void ((true_ms += ms), (asleep_ms += ms)),
    stop: (ms: number) => void ((true_ms += ms), (stopped_ms += ms), (offsets.wall -= ms)),
    /** How far the clock is ahead of the database's. */
    error: () => clock.now().getTime() - (TRUTH + true_ms + offsets.database),
  }
}

test('before the first answer it is not trusted, and from then on it tells the time of the database', () => {
  const m = machine()
  m.offsets.wall = -400
  expect(m.clock.isTrusted()).toBe(false)
  expect(m.clock.state().doubt).toBe('the database clock has not been read yet')
  m.ask()
  expect(m.clock.isTrusted()).toBe(true)
  expect(Math.abs(m.error())).toBeLessThanOrEqual(1)
  m.wait(3_600_000)
  expect(Math.abs(m.error())).toBeLessThanOrEqual(1)
})

test.each([
  ['an hour behind', -3_600_000, "this machine's clock is 60 min behind the database clock"],
  ['20 s behind', -20_000, "this machine's clock is 20 s behind the database clock"],
  ['10 s ahead', 10_000, "this machine's clock is 10 s ahead of the database clock"],
  ['three days ahead', 3 * DAY, "this machine's clock is 3 days ahead of the database clock"],
  ['400 days ahead', 400 * DAY, "this machine's clock is 400 days ahead of the database clock"],
])('a wall clock that is set %s is in doubt at that moment, and no longer than that', (_, ms, doubt) => {
  const m = machine()
  m.run(5)
  m.offsets.wall = ms
  expect(m.clock.isTrusted()).toBe(false)
  expect(m.clock.state().doubt).toBe(doubt)
  // It is not the wall clock that it tells.
  expect(Math.abs(m.error())).toBeLessThanOrEqual(1)
  m.run(3600)
  expect(m.clock.isTrusted()).toBe(false)
  m.offsets.wall = 0
  expect(m.clock.isTrusted()).toBe(true)
  expect(m.clock.state()).toMatchObject({ doubt: undefined, note: undefined })
})

test('between one second and five it is told and trusted', () => {
  const m = machine()
  m.ask()
  m.offsets.wall = 900
  expect(m.clock.state().note).toBeUndefined()
  m.offsets.wall = -2_400
  expect(m.clock.state()).toMatchObject({
    doubt: undefined,
    note: "this machine's clock is 2.4 s behind the database clock",
  })
  expect(m.clock.isTrusted()).toBe(true)
  m.offsets.wall = 5_100
  expect(m.clock.isTrusted()).toBe(false)
})

test.each([-3_600_000, -20_000, 10_000, 3_600_000, 3 * DAY, 400 * DAY])(
  'a database clock that jumps by %d ms and comes back is never told on',
  (ms) => {
    const m = machine()
    m.run(10)
    m.offsets.database = ms
    for (let second = 0; second < 75; second++) {
      m.run(1)
      expect(m.clock.isTrusted()).toBe(false)
      expect(m.clock.state().doubt).toMatch(/^the database clock jumped /)
      expect(Math.abs(m.error() + ms)).toBeLessThanOrEqual(1)
    }
    m.offsets.database = 0
    m.run(1)
    expect(m.clock.isTrusted()).toBe(true)
    expect(Math.abs(m.error())).toBeLessThanOrEqual(1)
  },
)

test('one clock that serves both, and jumps, is believed only after it went on steadily for ten minutes', () => {
  const m = machine()
  m.run(10)
  Object.assign(m.offsets, { wall: DAY, database: DAY })
  m.run(BELIEVED_AFTER_MS / 1000 - 2)
  expect(m.clock.isTrusted()).toBe(false)
  m.run(4)
  expect(m.clock.isTrusted()).toBe(true)
  expect(Math.abs(m.error())).toBeLessThanOrEqual(1)
})

test('a clock that jumps again and again is not believed by and by', () => {
  const m = machine()
  m.run(10)
  for (let minute = 1; minute < 30; minute++) {
    Object.assign(m.offsets, { wall: minute * 10_000, database: minute * 10_000 })
    m.run(60)
    expect(m.clock.isTrusted()).toBe(false)
  }
})

test('a database that was wrong and is set right is believed at once: the wall clock had said so all the while', () => {
  const m = machine()
  m.offsets.database = 3_600_000
  m.run(10)
  expect(m.clock.isTrusted()).toBe(false)
  m.offsets.database = 0
  m.run(1)
  expect(m.clock.isTrusted()).toBe(true)
  expect(Math.abs(m.error())).toBeLessThanOrEqual(1)
})

test('two clocks that were once seen apart are two: when both are set back at once, they are believed at once', () => {
  const m = machine()
  m.run(10)
  // The machine's is set first, and the database's follows.
  m.offsets.wall = 2 * 3_600_000
  m.run(2)
  m.offsets.database = 2 * 3_600_000
  m.run(1)
  expect([m.clock.isTrusted(), Math.abs(m.error()) <= 1]).toEqual([true, true])
  m.run(15)
  Object.assign(m.offsets, { wall: 0, database: 0 })
  m.run(1)
  expect([m.clock.isTrusted(), Math.abs(m.error()) <= 1]).toEqual([true, true])
})

test('a machine that stood still believes the database when its own clock is set', () => {
  const m = machine()
  m.run(10)
  m.stop(40_000)
  m.run(3)
  expect(m.clock.isTrusted()).toBe(false)
  m.offsets.wall = 0
  m.run(1)
  expect(m.clock.isTrusted()).toBe(true)
})

test('a machine that slept doubts the time until the next answer, and no longer', () => {
  const m = machine()
  m.run(10)
  m.sleep(8 * 3_600_000)
  expect(m.clock.isTrusted()).toBe(false)
  m.ask()
  expect(m.clock.isTrusted()).toBe(true)
  expect(Math.abs(m.error())).toBeLessThanOrEqual(1)
})

test('small corrections are spread over some time, and the clock never goes back for them', () => {
  const m = machine()
  m.run(10)
  m.offsets.database = -2_000
  let before = m.clock.now().getTime()
  for (let step = 0; step < 400; step++) {
    m.wait(100)
    if (step % 10 === 0) m.ask()
    const now = m.clock.now().getTime()
    expect(now).toBeGreaterThanOrEqual(before)
    before = now
  }
  expect(Math.abs(m.error())).toBeLessThanOrEqual(2)
  expect(m.clock.isTrusted()).toBe(true)
})

test('however slow and one-sided the answers are, it is no further off than the best of the last few allows', () => {
  const answers = fc.array(
    fc.record({ there_ms: fc.integer({ min: 0, max: 2000 }), back_ms: fc.integer({ min: 0, max: 2000 }) }),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  fc.assert(
    fc.property(answers, (given) => {
      const m = machine()
      for (const each of given) {
        m.ask(each)
        m.wait(1000)
      }
      // Long enough for any correction to be through.
      m.wait(60_000)
      const best = Math.min(...given.slice(-8).map(({ there_ms, back_ms }) => there_ms + back_ms))
      expect(Math.abs(m.error())).toBeLessThanOrEqual(best / 2 + 40)
      expect(m.clock.isTrusted()).toBe(true)
    }),
  )
})

test('while a jump is not believed, the time is told both ways: as it was carried on, and as the database tells it', () => {
  const m = machine()
  m.run(5)
  m.offsets.database = 7_200_000
  m.run(5)
  expect(m.clock.isTrusted()).toBe(false)
  expect(Math.round(m.error() / 1000)).toBe(-7200)
  expect(m.clock.asTold().getTime() - m.clock.now().getTime()).toBe(7_200_000)
  m.offsets.database = 0
  m.run(1)
  expect(m.clock.asTold()).toEqual(m.clock.now())
})
