// When checks start: in their slots, one run at a time, spread, and never to catch up.
import { describe, expect, test } from '@jest/globals'
import type { Check } from '@dogwatch/monitor-sdk'
import { DueHeap } from '../../src/schedule/due-heap.ts'
import { nextSlot, type ScheduledCheck, turnOf } from '@dogwatch/monitor-sdk/agent'
import { type Cost, Schedule, type ScheduleOptions } from '../../src/schedule/schedule.ts'
import { FakeTime } from './support/fake-time.ts'
import { checkRow } from './support/scripted-api.ts'

interface Started {
  guid: string
  at: number
}

function setUp(options: Partial<ScheduleOptions> = {}) {
  const time = new FakeTime()
  const started: Started[] = []
  const skipped: string[] = []
  const ending: (() => void)[] = []
  const world = { time, started, skipped, lasts: false, endAll: () => ending.splice(0).forEach((end) => end()) }
  const schedule = new Schedule({
    now: () => time.now,
    timer: time.timer,
    run: async (guid) => {
      started.push({ guid, at: time.now })
      if (world.lasts) await new Promise<void>((resolve) => ending.push(resolve))
    },
    onSkip: (why) => skipped.push(why),
    ...options,
  })
  return { ...world, world, schedule }
}

/** A schedule whose runs fail so many times, each asking for a retry after some seconds. */
function setUpRetries(failures: number, after_ms: number, options: Partial<ScheduleOptions> = {}) {
  const asked: boolean[] = []
  const given: string[] = []
  const base = setUp({ onNoRetry: (guid) => given.push(guid), ...options })
  const runs: Started[] = []
  let left = failures
  const schedule: Schedule = new Schedule({
    now: () => base.time.now,
    timer: base.time.timer,
    onNoRetry: (guid) => given.push(guid),
    ...options,
    run: async (guid) => {
      runs.push({ guid, at: base.time.now })
      left -= 1
      if (left >= 0) asked.push(schedule.retry(guid, after_ms))
    },
  })
  return { schedule, time: base.time, runs, asked, given }
}

function planned(rotated: Partial<ScheduledCheck> = {}, cost: Cost = 'plain') {
  const check = { guid: 'abc', interval_sec: 60, ...rotated }
  return { guid: check.guid, turn: turnOf(check), cost }
}

test('a check starts once in each interval, at its phase', async () => {
  const { schedule, time, started } = setUp()
  schedule.plan([planned()])
  await time.pass(600_000)
  expect(started).toHaveLength(10)
  const { phase_ms } = planned().turn
  expect(started.map(({ at }) => Math.round(at - phase_ms) % 60_000)).toEqual(Array(10).fill(0))
})

test('a new check does not start at once but in its next slot', async () => {
  const { schedule, time, started } = setUp()
  schedule.plan([planned()])
  await time.pass(0)
  expect(started).toEqual([])
})

test.each([
  [1, 500],
  [10, 1000],
  [60, 3000],
  [600, 5000],
])('a check of each %i s starts up to %i ms late, and later not at all', async (interval_sec, late_max_ms) => {
  const check = planned({ interval_sec })
  const startsAt = async (late_ms: number): Promise<number> => {
    const { schedule, time, started } = setUp()
    schedule.plan([check])
    time.now = nextSlot(check.turn, time.now).at + late_ms
    await time.pass(1)
    return started.length
  }
  expect([await startsAt(late_max_ms - 20), await startsAt(late_max_ms + 20)]).toEqual([1, 0])
})

test('a run that has not ended lets its next slot pass', async () => {
  const { schedule, time, started, skipped, world, endAll } = setUp()
  world.lasts = true
  schedule.plan([planned()])
  await time.pass(180_000)
  expect([started.length, skipped]).toEqual([1, ['running', 'running']])
  endAll()
  await time.pass(60_000)
  expect(started).toHaveLength(2)
})

test('a check that is planned again as it was keeps its place', async () => {
  const { schedule, time, started } = setUp()
  for (let minute = 0; minute < 10; minute += 1) {
    schedule.plan([planned()])
    await time.pass(60_000)
  }
  expect(started).toHaveLength(10)
})

test('a check that is gone from the plan does not start again', async () => {
  const { schedule, time, started } = setUp()
  schedule.plan([planned()])
  await time.pass(60_000)
  schedule.plan([])
  await time.pass(600_000)
  expect(started).toHaveLength(1)
})

describe('a slot that began a moment ago, when the turns change', () => {
  const turned = (monitor_count: number, monitor_rank: number, changed_at: number) => {
    const check = { monitor_count, monitor_rank, updated_at: new Date(changed_at).toISOString() }
    return { ...planned(check), check: checkRow({ guid: 'abc', ...check }) }
  }
  /** One of two monitors hears that a slot of the other is its own now, `heard_ms` after that slot began. */
  const change = async (heard_ms: number, changed_ms: number, isHeld = true) => {
    const { schedule, time, started } = setUp()
    const slot = nextSlot(turned(2, 1, 0).turn, time.now + 120_000)
    if (isHeld) schedule.plan([turned(2, 0, time.now - 3_600_000)])
    await time.pass(slot.at - time.now + heard_ms)
    started.splice(0)
    schedule.plan([turned(1, 0, slot.at + changed_ms)])
    await time.pass(10)
    return started.length
  }

  test.each<[string, Parameters<typeof change>, number]>([
    ['is run late by the monitor whose it is now', [2000, -100], 1],
    ['is run by a monitor that is new', [2000, -100, false], 1],
    ['is run if its monitor left at once', [3000, 1500], 1],
    ['is left to its monitor if that left later', [5000, 4000], 0],
    ['is not run once it is too late', [5500, -100], 0],
    ['is not run by an agent that has just started', [2000, -60_000, false], 0],
  ])('%s', async (_, given, runs) => {
    expect(await change(...given)).toBe(runs)
  })
})

test('a change of rank within a slot does not run that slot twice', async () => {
  const { schedule, time, started } = setUp()
  schedule.plan([planned({ monitor_count: 2, monitor_rank: 0 })])
  await time.pass(120_000)
  expect(started).toHaveLength(1)
  schedule.plan([planned()])
  await time.pass(1000)
  expect(started).toHaveLength(1)
  await time.pass(120_000)
  expect(started).toHaveLength(3)
})

test('a thousand TLS checks due at one moment start at most 250 a second, plain ones at most 500', async () => {
  for (const [cost, perSecond] of [
    ['tls', 250],
    ['plain', 500],
  ] as const) {
    const { schedule, time, started } = setUp()
    const { turn } = planned({ interval_sec: 600 })
    schedule.plan(Array.from({ length: 1000 }, (_, n) => ({ guid: `check ${n}`, turn, cost })))
    await time.pass(600_000)
    expect(started).toHaveLength(1000)
    const took = (started.at(-1)?.at ?? 0) - (started[0]?.at ?? 0)
    expect(took).toBeGreaterThan((1000 / perSecond) * 1000 * 0.9)
    expect(took).toBeLessThan((1000 / perSecond) * 1000 * 1.1)
  }
})

test('beyond the cap on runs at a time slots are let pass', async () => {
  const { schedule, time, started, skipped, world } = setUp({ in_flight_max: 3 })
  world.lasts = true
  const { turn } = planned()
  schedule.plan(['a', 'b', 'c', 'd', 'e'].map((guid) => ({ guid, turn, cost: 'plain' as const })))
  await time.pass(60_000)
  expect([started.length, skipped]).toEqual([3, ['full', 'full']])
})

test('a clock put back by an hour does not keep a check waiting for an hour', async () => {
  const { schedule, time, started } = setUp()
  schedule.plan([planned()])
  await time.pass(120_000)
  time.now -= 3_600_000
  schedule.timeWasSet()
  await time.pass(120_000)
  expect(started).toHaveLength(4)
})

test('a slot that only a clock ahead of the time had passed over is run when it comes', async () => {
  const { schedule, time, started } = setUp()
  const check = planned()
  const due = nextSlot(check.turn, time.now).at
  await time.pass(due - 30_000 - time.now)
  time.now += 40_000
  schedule.plan([check])
  time.now -= 40_000
  schedule.timeWasSet()
  await time.pass(35_000)
  expect(started.map(({ at }) => Math.round(at - due))).toEqual([0])
})

test('nothing starts after the stop', async () => {
  const { schedule, time, started } = setUp()
  schedule.plan([planned()])
  schedule.stop()
  await time.pass(600_000)
  expect(started).toEqual([])
})

test('what is due at no moment that there is does not get into the heap', () => {
  const heap = new DueHeap<string>()
  heap.push(2, 'good')
  expect(() => heap.push(Number.NaN, 'bad')).toThrow(RangeError)
  expect([heap.size, heap.pop()]).toEqual([1, 'good'])
})

test('the heap gives what is due first', () => {
  const heap = new DueHeap<number>()
  const moments = Array.from({ length: 500 }, (_, n) => (n * 7919) % 503)
  for (const at of moments) heap.push(at, at)
  const popped = moments.map(() => heap.pop())
  expect(popped).toEqual([...moments].sort((a, b) => a - b))
  expect([heap.size, heap.pop(), heap.firstAt()]).toEqual([0, undefined, undefined])
})

test('a check is run out of turn once, at once, and its own slots stay', async () => {
  const { schedule, time, started } = setUp()
  schedule.plan([planned()])
  const began = time.now
  expect([schedule.runNow('abc'), schedule.runNow('nowhere')]).toEqual([true, false])
  expect(started).toEqual([{ guid: 'abc', at: began }])
  await time.pass(60_000)
  expect(started).toHaveLength(2)
})

test('a run that is asked for while the check is being run is that run, and a slot that comes meanwhile is let pass', async () => {
  const { schedule, time, started, skipped, world } = setUp()
  world.lasts = true
  schedule.plan([planned()])
  expect([schedule.runNow('abc'), schedule.runNow('abc')]).toEqual([true, true])
  await time.pass(60_000)
  expect([started.length, skipped]).toEqual([1, ['running']])
})

test('nothing is run out of turn while there is too much to do, or after the end', async () => {
  const { schedule, world } = setUp({ in_flight_max: 1 })
  world.lasts = true
  schedule.plan([planned(), planned({ guid: 'other' })])
  expect([schedule.runNow('abc'), schedule.runNow('other')]).toEqual([true, false])
  schedule.stop()
  expect(schedule.runNow('abc')).toBe(false)
})

const LASTS_MS = 10_000
const retried = (rotated: Partial<ScheduledCheck> = {}) => ({ ...planned(rotated), lasts_ms: LASTS_MS })

test('a retry starts between the slots, and the next slot is run as if there had been none', async () => {
  const { schedule, time, runs, asked } = setUpRetries(2, 5000)
  schedule.plan([retried()])
  const { at: first } = nextSlot(retried().turn, time.now)
  await time.pass(first - time.now + 119_000)
  expect(runs.map(({ at }) => Math.round(at - first))).toEqual([0, 5000, 10_000, 60_000])
  expect(asked).toEqual([true, true])
})

test('a retry that could last until the next slot is not planned, however often the check fails', async () => {
  const { schedule, time, runs, asked } = setUpRetries(1000, 20_000)
  schedule.plan([retried()])
  const { at: first } = nextSlot(retried().turn, time.now)
  await time.pass(first - time.now + 119_000)
  // 40 s into the slot there is time for a run of 10 s, 60 s into it there is not.
  expect(runs.map(({ at }) => Math.round(at - first))).toEqual([0, 20_000, 40_000, 60_000, 80_000, 100_000])
  expect(asked).toEqual([true, true, false, true, true, false])
})

test('the turns of other monitors lie between the slots of this one, and leave room for retries', async () => {
  const { schedule, time, runs } = setUpRetries(2, 45_000)
  schedule.plan([retried({ monitor_count: 3, monitor_rank: 0 })])
  const { at: first } = nextSlot(retried({ monitor_count: 3, monitor_rank: 0 }).turn, time.now)
  await time.pass(first - time.now + 181_000)
  expect(runs.map(({ at }) => Math.round(at - first))).toEqual([0, 45_000, 90_000, 180_000])
})

test.each<[string, (schedule: Schedule) => void]>([
  ['the check is gone', (schedule) => schedule.plan([])],
  ['the time was set', (schedule) => schedule.timeWasSet()],
  ['the agent ends', (schedule) => schedule.stop()],
])('a retry that waits is given up, and the failure before it counts, when %s', async (_, change) => {
  const { schedule, time, runs, given } = setUpRetries(1, 5000)
  schedule.plan([retried()])
  const { at: first } = nextSlot(retried().turn, time.now)
  await time.pass(first - time.now + 1000)
  expect([runs.length, given]).toEqual([1, []])
  change(schedule)
  expect(given).toEqual(['abc'])
  await time.pass(30_000)
  expect([runs.length, given]).toEqual([1, ['abc']])
})

test('a retry that comes up too late for the next slot is given up', async () => {
  const { schedule, time, runs, given } = setUpRetries(1, 5000)
  schedule.plan([retried()])
  const { at: first } = nextSlot(retried().turn, time.now)
  await time.pass(first - time.now + 1000)
  // The machine stood still.
  time.now = first + 55_000
  await time.pass(1)
  expect([runs.length, given]).toEqual([1, ['abc']])
})

test('a run that somebody asks for takes the place of a retry that waits', async () => {
  const { schedule, time, runs, given } = setUpRetries(1, 5000)
  schedule.plan([retried()])
  const { at: first } = nextSlot(retried().turn, time.now)
  await time.pass(first - time.now + 1000)
  expect(schedule.runNow('abc')).toBe(true)
  await time.pass(30_000)
  expect(runs.map(({ at }) => Math.round(at - first))).toEqual([0, 1000])
  expect(given).toEqual([])
})

test('a check of which nobody knows how long a run lasts is not retried', async () => {
  const { schedule, time, asked } = setUpRetries(1, 5000)
  schedule.plan([planned()])
  await time.pass(120_000)
  expect(asked).toEqual([false])
})

describe('an edited definition', () => {
  const edited = (check: Partial<Check>, rotated: Partial<ScheduledCheck> = {}) => ({
    ...retried({ interval_sec: 600, ...rotated }),
    check: checkRow({ ...CHECK, ...rotated, ...check }),
  })
  const CHECK = { guid: 'abc', interval_sec: 600, updated_at: '2026-11-20T10:00:00.000000Z' }
  const setUpEdited = async (options: Partial<ScheduleOptions> = {}) => {
    const made = setUp(options)
    made.schedule.plan([edited({})])
    await made.time.pass(nextSlot(edited({}).turn, made.time.now).at - made.time.now + 60_000)
    made.started.splice(0)
    return made
  }

  test.each<[string, Partial<Check>]>([
    ['target', { url: 'http://other.example/' }],
    ['match', { match_string: 'welcome' }],
    ['timeout', { timeout_sec: 3 }],
    ['headers', { headers: { a: 'b' } }],
  ])('with another %s is run at once, once, and then in its slots', async (_, change) => {
    const { schedule, time, started } = await setUpEdited()
    const at = time.now
    for (const again of [1, 2]) schedule.plan([edited({ ...change, updated_at: `2026-11-20T10:01:0${again}Z` })])
    await time.pass(1)
    expect(started.map((one) => Math.round(one.at - at))).toEqual([0])
    await time.pass(1_200_000)
    expect(started).toHaveLength(3)
  })

  test.each<[string, Partial<Check>]>([
    ['name', { name: 'other' }],
    ['number of retries', { retry_count: 3 }],
    ['time of change', { updated_at: '2026-11-20T10:01:00.000000Z' }],
  ])('is not run for another %s', async (_, change) => {
    const { schedule, time, started } = await setUpEdited()
    schedule.plan([edited(change)])
    await time.pass(30_000)
    expect(started).toEqual([])
  })

  test('is run by the monitor whose turn comes next, and by no other', async () => {
    const ran = []
    for (const monitor_rank of [0, 1, 2]) {
      const { schedule, time, started } = setUp()
      const turn = { monitor_count: 3, monitor_rank }
      schedule.plan([edited({}, turn)])
      schedule.plan([edited({ url: 'http://other.example/', updated_at: new Date(time.now).toISOString() }, turn)])
      await time.pass(1000)
      if (started.length > 0) ran.push(nextSlot(edited({}, turn).turn, time.now).at - time.now)
    }
    expect(ran).toEqual([expect.any(Number)])
    expect(ran[0]).toBeLessThanOrEqual(600_000)
  })

  test('that is private is run by each monitor at which it was edited', async () => {
    const turn = { monitor_count: 3, monitor_rank: 2 }
    for (const wait_ms of [0, 600_000, 1_200_000]) {
      const { schedule, time, started } = setUp()
      schedule.plan([edited({}, turn)])
      time.now += wait_ms
      schedule.plan([edited({ url: 'http://other.example/' }, turn)])
      await time.pass(1000)
      expect(started).toHaveLength(1)
    }
  })

  test('waits for a run of the earlier one, which is not repeated', async () => {
    const { schedule, time, started, world, endAll } = await setUpEdited()
    world.lasts = true
    schedule.runNow('abc')
    schedule.plan([edited({ url: 'http://other.example/' })])
    await time.pass(1500)
    expect(started).toHaveLength(1)
    expect(schedule.retry('abc', 5000)).toBe(false)
    endAll()
    await time.pass(2000)
    expect(started).toHaveLength(2)
  })

  test('takes the place of a retry of the earlier one', async () => {
    const { schedule, time, runs, given } = setUpRetries(1, 5000)
    schedule.plan([edited({})])
    await time.pass(nextSlot(edited({}).turn, time.now).at - time.now + 1000)
    expect([runs.length, given]).toEqual([1, []])
    schedule.plan([edited({ url: 'http://other.example/' })])
    await time.pass(30_000)
    expect([runs.length, given]).toEqual([2, ['abc']])
  })

  test('is not run so late that its slot would be missed', async () => {
    const { schedule, time, started } = await setUpEdited()
    await time.pass(nextSlot(edited({}).turn, time.now).at - time.now - 5000)
    schedule.plan([edited({ url: 'http://other.example/' })])
    await time.pass(4000)
    expect(started).toEqual([])
    await time.pass(2000)
    expect(started).toHaveLength(1)
  })
})
