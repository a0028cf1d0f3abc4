// The server's time as an agent knows it.
import { expect, test } from '@jest/globals'
import { ServerClock } from '@dogwatch/monitor-sdk/agent'

function setUp(offset = 1000) {
  const time = { mono: 0 }
  const clock = new ServerClock(() => time.mono, offset)
  /** An answer that came just now, `rtt` after it was asked for, and whose clock was `ahead` in the middle of that. */
  const tell = (ahead: number, { rtt = 2, unit_ms = 1 } = {}) => {
    const received = time.mono
    const server_ms = Math.floor((received - rtt / 2 + ahead) / unit_ms) * unit_ms
    return clock.learn({ sent: received - rtt, received, server_ms, unit_ms })
  }
  const error = (ahead: number) => Math.abs(clock.now() - time.mono - ahead)
  return { time, clock, tell, error }
}

test('until a server tells, the machine itself is believed', () => {
  const { clock, time } = setUp()
  time.mono = 5
  expect(clock.now()).toBe(1005)
})

test('a large difference is set by the second answer that tells it, and not by the first', () => {
  const { clock, time, tell, error } = setUp(0)
  time.mono = 100
  expect(tell(500_000)).toEqual({ kind: 'doubted', by_ms: expect.closeTo(500_000, -1) })
  expect(clock.now()).toBe(100)
  time.mono = 1200
  expect(tell(500_000)).toEqual({ kind: 'set', by_ms: expect.closeTo(500_000, -1) })
  expect(error(500_000)).toBeLessThan(2)
})

test('two answers that are far off, and from each other, set nothing', () => {
  const { clock, time, tell } = setUp(0)
  for (const ahead of [0, 60_000, 90_000, 0, 60_000, 0]) {
    time.mono += 2000
    expect(tell(ahead).kind).toBe(ahead === 0 ? 'eased' : 'doubted')
  }
  expect(Math.abs(clock.offset)).toBeLessThan(2)
})

test('a small difference is eased without going back', () => {
  const { clock, time, tell, error } = setUp(0)
  tell(0)
  time.mono = 1000
  expect(tell(-400)).toEqual({ kind: 'eased' })
  let before = clock.now()
  for (; time.mono < 12_000; time.mono += 50) {
    expect(clock.now()).toBeGreaterThanOrEqual(before)
    before = clock.now()
  }
  expect(error(-400)).toBeLessThan(2)
})

test('an answer that took long does not outweigh one that came at once', () => {
  const { time, tell, error } = setUp(0)
  tell(60)
  time.mono = 9000
  tell(3060, { rtt: 8000 })
  time.mono = 60_000
  expect(error(60)).toBeLessThan(10)
})

test('whole seconds tell the time to a fraction of one after some answers', () => {
  const { time, tell, error } = setUp(0)
  for (let n = 1; n <= 12; n += 1) {
    time.mono = n * 30_000 + ((n * 618) % 1000)
    tell(777, { unit_ms: 1000 })
  }
  time.mono += 30_000
  expect(error(777)).toBeLessThan(150)
})

test('after a long silence, too, one answer does not set the time', () => {
  const { time, tell } = setUp(0)
  tell(0)
  time.mono = 30 * 86_400_000
  expect(tell(2000).kind).toBe('doubted')
})

test('what was taken up from before a restart gives way to the answers', () => {
  const { clock, time, tell, error } = setUp(0)
  clock.assume(1500)
  expect(clock.now()).toBe(1500)
  time.mono = 30_000
  tell(600)
  time.mono = 60_000
  expect(error(600)).toBeLessThan(2)
})
