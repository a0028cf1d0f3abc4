// A machine that sleeps for an hour, and goes on as if nothing had been missed.
import { expect, test } from '@jest/globals'
import { monotonicClock } from '../../src/process/monotonic.ts'
import { turnOf } from '@dogwatch/monitor-sdk/agent'
import { Schedule } from '../../src/schedule/schedule.ts'
import { Timekeeper } from '../../src/sync/timekeeper.ts'
import { FakeTime } from './support/fake-time.ts'

const HOUR_MS = 3_600_000
const SERVER_AHEAD_MS = 7000

/** An agent's clocks and schedule on a machine whose timers stand still while it sleeps. */
function machine() {
  const time = new FakeTime()
  const began = time.now
  const started: number[] = []
  const skipped: string[] = []
  let asleep_ms = 0
  const trueTime = () => time.now + asleep_ms
  const log = () => undefined
  const mono = monotonicClock(
    () => time.now - began,
    () => Math.floor((trueTime() - began) / 1000) + 500,
  )
  const keeper = new Timekeeper({
    mono,
    wall: trueTime,
    log: { debug: log, info: log, warn: log, error: log },
    onSet: () => schedule.timeWasSet(),
  })
  const schedule: Schedule = new Schedule({
    now: () => keeper.now(),
    timer: time.timer,
    run: async () => void started.push(trueTime() + SERVER_AHEAD_MS),
    onSkip: (why) => skipped.push(why),
  })
  const sync = () => {
    const at = mono()
    const now = new Date(trueTime() + SERVER_AHEAD_MS).toISOString()
    // A time that is far off counts once a second answer agrees.
    if (keeper.hear({ sent: at, received: at, now })) keeper.hear({ sent: at, received: at, now })
  }
  const sleep = (ms: number) => void (asleep_ms += ms)
  return {
    time,
    schedule,
    keeper,
    started,
    skipped,
    sync,
    sleep,
    serverTime: () => trueTime() + SERVER_AHEAD_MS,
  }
}

const check = { guid: 'abc', interval_sec: 60, monitor_count: 3, monitor_rank: 1 }
const turn = turnOf(check)
/** How far into one of its own slots a run began, by the server's time. */
const intoSlot = (at: number) => (at - turn.phase_ms - 60_000) % 180_000

test.each([
  ['before the server has told the time again', false],
  ['once the server has told the time again', true],
])('after an hour of sleep each check goes on with its next slot, %s', async (_, isSynced) => {
  const { time, schedule, started, skipped, sync, sleep, serverTime } = machine()
  sync()
  schedule.plan([{ guid: check.guid, turn, cost: 'plain' }])
  await time.pass(10 * 60_000)
  const before = started.length
  expect(before).toBeGreaterThanOrEqual(3)
  sleep(HOUR_MS + 25_000)
  const woke = serverTime()
  await time.pass(100)
  if (isSynced) sync()
  await time.pass(10 * 60_000)
  const after = started.slice(before)
  expect(after).toHaveLength(Math.floor((serverTime() - turn.phase_ms - 60_000) / 180_000) - slotsUntil(woke))
  // The machine knows to a second how long it slept, and what is left is eased.
  expect(after.every((at) => at > woke && intoSlot(at + 1000) < 3000)).toBe(true)
  expect(skipped.filter((why) => why !== 'late')).toEqual([])
  expect(skipped.length).toBeLessThanOrEqual(1)
})

const slotsUntil = (at: number) => Math.floor((at - turn.phase_ms - 60_000) / 180_000)

test('the time of the server goes on while the machine sleeps, to within two seconds', async () => {
  const { time, keeper, sync, sleep, serverTime } = machine()
  sync()
  await time.pass(90_000)
  for (const ms of [HOUR_MS, 30_000, 1000, 86_400_000]) {
    sleep(ms)
    await time.pass(100)
    expect(Math.abs(keeper.now() - serverTime())).toBeLessThan(2000 + 1000)
    sync()
  }
})

test('the clock never goes back, and short naps do not add up', () => {
  const [awake, up] = [{ ms: 0 }, { sec: 10 }]
  const clock = monotonicClock(
    () => awake.ms,
    () => up.sec,
  )
  let before = clock()
  for (let step = 0; step < 1000; step += 1) {
    awake.ms += 900
    up.sec = 10 + Math.floor((awake.ms + step * 100) / 1000)
    const now = clock()
    expect(now - before).toBeGreaterThanOrEqual(900)
    before = now
  }
  expect(Math.abs(before - (up.sec - 10) * 1000)).toBeLessThanOrEqual(2000)
})

test('on a machine that is awake it is Node’s own', () => {
  const clock = monotonicClock()
  const [before, now, after] = [performance.now(), clock(), performance.now()]
  expect([now >= before, now <= after]).toEqual([true, true])
})
