// The server's time as an agent knows it.
import { expect, test } from '@jest/globals'
import { ServerClock } from '../../src/clock.ts'

function setUp(offset = 1000) {
  const time = { mono: 0 }
  return { time, clock: new ServerClock(() => time.mono, offset) }
}

test('until a server tells, the machine itself is believed', () => {
  const { clock, time } = setUp()
  time.mono = 5
  expect(clock.now()).toBe(1005)
})

test('a large offset is set at once, a small one is eased without going back', () => {
  const { clock, time } = setUp()
  time.mono = 100
  expect(clock.learn({ sent: 0, received: 100, server_ms: 500_050 })).toBe(499_000)
  expect(clock.now()).toBe(500_100)
  time.mono = 200
  expect(clock.learn({ sent: 190, received: 200, server_ms: 499_795 })).toBe(0)
  let before = clock.now()
  expect(before).toBe(500_200)
  for (time.mono = 201; time.mono < 12_000; time.mono += 50) {
    expect(clock.now()).toBeGreaterThan(before)
    before = clock.now()
  }
  expect(clock.now()).toBe(time.mono + 499_600)
})

test('an answer that took long does not outweigh one that came at once', () => {
  const { clock } = setUp(0)
  clock.learn({ sent: 0, received: 10, server_ms: 5 + 60_000 })
  clock.learn({ sent: 10, received: 1010, server_ms: 510 + 60_400 })
  expect(clock.offset).toBe(60_000)
})

test('what was taken up from before a restart gives way to the first answer', () => {
  const { clock, time } = setUp(0)
  clock.assume(1500)
  expect(clock.now()).toBe(1500)
  time.mono = 30_000
  clock.learn({ sent: 29_970, received: 30_000, server_ms: 29_985 + 600 })
  expect(clock.offset).toBe(600)
})

test('of short answers the one that tells the latest time counts, since a server_time may be up to a second old', () => {
  const { clock } = setUp(0)
  for (const lag of [900, 300, 20, 700]) clock.learn({ sent: 0, received: 10, server_ms: 5 + 60_000 - lag })
  expect(clock.offset).toBe(59_980)
})

test('after a suspend the old answers are forgotten', () => {
  const { clock } = setUp(0)
  for (let n = 0; n < 8; n += 1) clock.learn({ sent: 0, received: 2, server_ms: 60_001 })
  clock.learn({ sent: 0, received: 40, server_ms: 20 + 60_000 + 3_600_000 })
  expect(clock.offset).toBe(3_660_000)
})
