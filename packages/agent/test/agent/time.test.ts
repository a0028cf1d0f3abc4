// What an agent takes for the time, and what becomes of its rhythm and its stamps when clocks go wrong.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { slotNumberAt } from '@dogwatch/monitor-sdk/agent'
import { Stamps } from '../../src/schedule/stamps.ts'
import { type SimulatedAgent, type SimulatedRun, simulatedAgent } from './support/simulated-agent.ts'

const HOUR_MS = 3_600_000
const stampOf = ({ ran_at }: SimulatedRun) => Date.parse(ran_at)
/** How far stamps are from what the server's clock said when the runs began, in milliseconds. */
const errorsOf = (runs: readonly SimulatedRun[]) => runs.map((run) => Math.abs(stampOf(run) - run.server_at))
const gapsOf = (runs: readonly SimulatedRun[]) => runs.slice(1).map(({ at }, n) => at - (runs[n]?.at ?? 0))
/** A start is never early, and its stamp is cut to whole milliseconds. */
const slotOf = ({ turn }: SimulatedAgent, run: SimulatedRun) => slotNumberAt(turn, stampOf(run) + 1)
const iso = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')

function expectRhythm(runs: readonly SimulatedRun[], count: number): void {
  expect(Math.abs(runs.length - count)).toBeLessThanOrEqual(1)
  for (const gap of gapsOf(runs)) expect(Math.abs(gap - 30_000)).toBeLessThan(1000)
  for (const error of errorsOf(runs)) expect(error).toBeLessThan(100)
}

/** Each slot once, and no stamp twice. */
function expectNothingTwice(agent: SimulatedAgent): void {
  const { runs } = agent
  expect(new Set(runs.map(({ ran_at }) => ran_at)).size).toBe(runs.length)
  const slots = runs.map((run) => slotOf(agent, run))
  slots.slice(1).forEach((slot, n) => expect(slot).not.toBe(slots[n]))
}

// ---- the cursor is not the clock ----------------------------------------------------------------------------------

test('while a transaction holds the cursor for 300 s, a check of each 30 s runs ten times, each stamped right', async () => {
  const agent = simulatedAgent()
  await agent.pass(120_000)
  agent.server.cursor = iso(agent.time.now)
  const before = agent.runs.length
  await agent.pass(300_000)
  agent.server.cursor = undefined
  await agent.pass(120_000)
  expectRhythm(agent.runs.slice(before), 14)
  expect(agent.steps).toEqual([])
})

test('a cursor that is 3 to 26 s behind, or an hour ahead, moves nobody’s time', async () => {
  const agent = simulatedAgent()
  await agent.pass(60_000)
  for (const behind_ms of [3000, 26_000, -HOUR_MS]) {
    agent.server.cursor = iso(agent.time.now - behind_ms)
    await agent.pass(90_000)
  }
  expectRhythm(agent.runs, 11)
  expect(agent.steps).toEqual([])
})

// ---- a wrong clock ------------------------------------------------------------------------------------------------

test.each([1, -1])(
  'a server’s clock %d h off for 75 s costs its monitors no run of the hour after it',
  async (hours) => {
    const agent = simulatedAgent()
    await agent.pass(300_000)
    agent.server.ahead_ms = hours * HOUR_MS
    await agent.pass(75_000)
    agent.server.ahead_ms = 0
    const back = agent.time.now
    await agent.pass(HOUR_MS + 300_000)
    const after = agent.runs.filter(({ at }) => at > back + 65_000)
    expectRhythm(after, 128)
    for (const gap of gapsOf(agent.runs)) expect(gap).toBeLessThan(61_000)
    expectNothingTwice(agent)
    expect(agent.steps.map(({ by_ms }) => Math.round(by_ms / HOUR_MS))).toEqual([hours, -hours])
    expect(agent.logged.filter((line) => line.startsWith('clock_set'))).toHaveLength(2)
  },
)

test('a server that doubts its clock leaves now out, and its monitors go on as they were', async () => {
  const agent = simulatedAgent()
  await agent.pass(120_000)
  Object.assign(agent.server, { ahead_ms: HOUR_MS, tellsNow: false, tellsDate: true, cursor: iso(agent.time.now) })
  await agent.pass(600_000)
  Object.assign(agent.server, { ahead_ms: 0, tellsNow: true, cursor: undefined })
  await agent.pass(120_000)
  expect(agent.runs.length).toBeGreaterThanOrEqual(27)
  for (const gap of gapsOf(agent.runs)) expect(Math.abs(gap - 30_000)).toBeLessThan(1000)
  for (const run of agent.runs) expect(Math.abs(stampOf(run) - run.at)).toBeLessThan(100)
  expect(agent.steps).toEqual([])
  expect(agent.logged).toEqual(['time_not_told {}', 'time_told_again {}'])
})

test('one answer that is far off changes nothing; the next is asked for within two seconds, and that is told', async () => {
  const agent = simulatedAgent()
  await agent.pass(120_000)
  agent.server.lie_ms = -20_000
  await agent.pass(120_000)
  expectRhythm(agent.runs, 8)
  expect(agent.steps).toEqual([])
  expect(agent.logged).toEqual([expect.stringMatching(/^clock_doubted \{"by_ms":-20\d\d\d\}$/)])
  expect(Math.min(...gapsOf(agent.syncs as never))).toBeLessThan(2100)
})

test('a clock that stands still is never believed', async () => {
  const agent = simulatedAgent()
  await agent.pass(120_000)
  const held = agent.time.now
  for (let second = 0; second < 300; second += 1) {
    agent.server.ahead_ms = held - agent.time.now
    await agent.pass(1000)
  }
  expect(agent.steps).toEqual([])
  for (const gap of gapsOf(agent.runs)) expect(Math.abs(gap - 30_000)).toBeLessThan(1000)
})

test('a server whose answers never agree is not pestered', async () => {
  const agent = simulatedAgent()
  await agent.pass(60_000)
  const before = agent.syncs.length
  for (let second = 0; second < 600; second += 1) {
    agent.server.ahead_ms = second * 10_000
    await agent.pass(1000)
  }
  expect(agent.syncs.length - before).toBeLessThan(120)
  expect(agent.steps).toEqual([])
})

test('an agent that begins on a machine that is 2 h ahead runs nothing on that time', async () => {
  const agent = simulatedAgent({ wall_ahead_ms: 2 * HOUR_MS })
  await agent.pass(300_000)
  expectRhythm(agent.runs, 10)
  expect(agent.steps.map(({ by_ms }) => Math.round(by_ms / HOUR_MS))).toEqual([-2])
})

test('what the machine’s own clock does later is no matter', async () => {
  const agent = simulatedAgent()
  await agent.pass(60_000)
  agent.machine.wall_ahead_ms = -5 * HOUR_MS
  await agent.pass(60_000)
  agent.machine.wall_ahead_ms = 400 * 24 * HOUR_MS
  await agent.pass(180_000)
  expectRhythm(agent.runs, 10)
  expect(agent.steps).toEqual([])
})

// ---- a server that never tells now --------------------------------------------------------------------------------

test('by the Date header alone, the time is known to a quarter of a second within five minutes', async () => {
  let n = 0
  const agent = simulatedAgent({ wall_ahead_ms: 40_000, random: () => (n = (n + 0.618_034) % 1) })
  Object.assign(agent.server, { tellsNow: false, tellsDate: true, ahead_ms: 777 })
  await agent.pass(300_000)
  const before = agent.runs.length
  await agent.pass(300_000)
  const late = agent.runs.slice(before)
  expect(late.length).toBeGreaterThanOrEqual(9)
  for (const error of errorsOf(late)) expect(error).toBeLessThan(250)
  // From the first time that it says more than that, only that counts.
  Object.assign(agent.server, { tellsNow: true, ahead_ms: 500 })
  await agent.pass(90_000)
  expect(Math.abs(agent.now() - agent.time.now - 500)).toBeLessThan(30)
})

// ---- stamps -------------------------------------------------------------------------------------------------------

test('once a clock that was 2 h ahead is corrected, stamps are right at once, and none is used twice', () => {
  const stamps = new Stamps()
  const right = Date.parse('2026-11-20T10:00:00.250Z')
  const told = [stamps.next('a', right + 2 * HOUR_MS), stamps.next('a', right), stamps.next('a', right)]
  expect(told.map((text) => Date.parse(text) - right)).toEqual([2 * HOUR_MS, 0, 1])
  told.push(stamps.next('a', right + 2 * HOUR_MS), stamps.next('a', right), stamps.next('b', right))
  expect(told.slice(0, 5)).toEqual([
    '2026-11-20T12:00:00.250Z',
    '2026-11-20T10:00:00.250001Z',
    '2026-11-20T10:00:00.251001Z',
    '2026-11-20T12:00:00.250001Z',
    '2026-11-20T10:00:00.250002Z',
  ])
  expect(told[5]).toBe('2026-11-20T10:00:00.250Z')
})

// ---- whatever happens ---------------------------------------------------------------------------------------------

const jump_ms = fc.oneof(
  fc.integer({ min: -2000, max: 2000 }),
  fc.integer({ min: -90_000, max: 90_000 }),
  fc.constantFrom(-HOUR_MS, HOUR_MS, 26 * HOUR_MS),
)
const happening = fc.record({
  after_ms: fc.integer({ min: 1, max: 100_000 }),
  what: fc.oneof(
    fc.record({ kind: fc.constant('server' as const), by_ms: jump_ms }),
    fc.record({ kind: fc.constant('wall' as const), by_ms: jump_ms }),
    fc.record({ kind: fc.constant('lie' as const), by_ms: jump_ms }),
    fc.record({ kind: fc.constant('lost' as const), answers: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ kind: fc.constant('slow' as const), rtt_ms: fc.integer({ min: 1, max: 14_000 }) }),
    fc.record({ kind: fc.constant('quick' as const), rtt_ms: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ kind: fc.constant('now' as const), tells: fc.boolean() }),
  ),
})
const machine = fc.record({
  wall_ahead_ms: fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS }),
  drift: fc.double({ min: -0.0005, max: 0.0005, noNaN: true }),
  readAt: fc.double({ min: 0, max: 1, noNaN: true }),
  interval_sec: fc.constantFrom(10, 30, 60),
})

test('over jumps, drift, lies, lost and slow answers the time only goes forth but for steps, is right once two answers agree, and no slot runs twice', async () => {
  await fc.assert(
    fc.asyncProperty(machine, fc.array(happening, { maxLength: 12 }), async ({ readAt, ...made }, happenings) => {
      const agent = simulatedAgent(made)
      agent.server.readAt = readAt
      const seen = watchTime(agent)
      for (const { after_ms, what } of [...happenings, { after_ms: 90_000, what: undefined }]) {
        await seen.pass(after_ms)
        if (what?.kind === 'server') agent.server.ahead_ms += what.by_ms
        if (what?.kind === 'wall') agent.machine.wall_ahead_ms += what.by_ms
        if (what?.kind === 'lie') agent.server.lie_ms = what.by_ms
        if (what?.kind === 'lost') agent.server.lost = what.answers
        if (what?.kind === 'slow' || what?.kind === 'quick') agent.server.rtt_ms = what.rtt_ms
        if (what?.kind === 'now') agent.server.tellsNow = what.tells
      }
      expect(seen.faults).toEqual([])
      // Two minutes of quick answers later nothing is left of all that but the drift between two syncs.
      Object.assign(agent.server, { tellsNow: true, lost: 0, lie_ms: 0, rtt_ms: 20 })
      await agent.pass(120_000)
      expect(Math.abs(agent.now() - agent.time.now - agent.server.ahead_ms)).toBeLessThan(20 + 20)
      expect(new Set(agent.runs.map(({ ran_at }) => ran_at)).size).toBe(agent.runs.length)
      expect(slotsTwice(agent)).toEqual([])
    }),
    { numRuns: 40 },
  )
})

/** Looks at the agent's time twice a second. */
function watchTime(agent: SimulatedAgent) {
  const faults: string[] = []
  let [before, steps] = [agent.now(), 0]
  const look = () => {
    const now = agent.now()
    const isSet = agent.steps.length > steps
    if (now < before && !isSet) faults.push(`back by ${before - now} ms`)
    ;[before, steps] = [now, agent.steps.length]
    const error = Math.abs(now - agent.time.now - agent.server.ahead_ms)
    const bound = boundOf(agent)
    if (error > bound) faults.push(`${error} ms off, and not ${bound}`)
  }
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 500) {
      await agent.pass(Math.min(500, left))
      look()
    }
  }
  return { faults, pass }
}

/** Once two answers in a row were honest and of the clock that the server has still: a second, and what they took. */
function boundOf({ syncs, server, time }: SimulatedAgent): number {
  const [last, one] = [syncs.at(-1), syncs.at(-2)]
  const isRight = [last, one].every((sync) => sync?.isHonest && sync.server_ahead_ms === server.ahead_ms)
  if (!last || !one || !isRight) return Number.POSITIVE_INFINITY
  const drifted = (time.now - last.at) * 0.001
  return 1000 + last.rtt_ms + one.rtt_ms + drifted + 5
}

/** Slots that were run again although the clock was not set back by more than a turn in between. */
function slotsTwice(agent: SimulatedAgent): SimulatedRun[] {
  const { runs, steps, turn } = agent
  return runs.filter((run, index) => {
    const slot = slotOf(agent, run)
    const earlier = runs.slice(0, index).findLast((other) => slotOf(agent, other) === slot)
    if (!earlier) return false
    const between = steps.filter(({ at }) => at >= earlier.at && at <= run.at)
    return !between.some(({ by_ms }) => by_ms < -turn.interval_ms)
  })
}
