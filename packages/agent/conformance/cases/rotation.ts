// Monitors take turns without talking: everyone counts the same slots, on the server's time.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import type { Check } from '../server.ts'
import { FORMULA, judge, phaseOf, toldTurn } from '../slots.ts'
import { timeOf, type World } from '../world.ts'

const INTERVAL_SEC = 2
const AHEAD_MS = 5 * 3_600_000 + (INTERVAL_SEC * 1000) / 2
/** As after the database's clock was wrong. Half an interval, so that whoever goes by it is out of its slots. */
const CURSOR_AHEAD_MS = 20 * 60_000 + (INTERVAL_SEC * 1000) / 2
/** The clocks of an agent and of the server agree only so well. */
const RAN_AT_MS = 1000
/** So many runs may be late or missing on a busy machine. */
const MOST = 2 / 3

export const rotationCases: Case[] = [
  {
    name: 'rotation-slots',
    fact: 'runs each check in the slots of its rank, and once in each of them',
    run: async (world) => {
      const turns = [
        [1, 0],
        [2, 0],
        [2, 1],
        [3, 0],
        [3, 1],
        [3, 2],
      ] as const
      const checks = turns.map(([monitor_count, monitor_rank]) =>
        world.watch(`slots-${monitor_count}-${monitor_rank}`, {
          interval_sec: INTERVAL_SEC,
          monitor_count,
          monitor_rank,
        }),
      )
      world.start()
      await Promise.all(checks.map(({ guid }) => world.untilVisits(guid, 2)))
      expectTurns(world, checks)
    },
  },
  {
    name: 'rotation-server-time',
    fact: 'counts slots, and dates results, on server time (now): 5 hours and half an interval off the local clock, and not on server_time',
    ahead_ms: AHEAD_MS,
    cursor_ahead_ms: CURSOR_AHEAD_MS,
    run: async (world) => {
      const checks = ['time-a', 'time-b', 'time-c'].map((guid) => world.watch(guid, { interval_sec: INTERVAL_SEC }))
      world.start()
      await Promise.all(checks.map(({ guid }) => world.untilVisits(guid, 4)))
      expectTurns(world, checks)
      const results = (await Promise.all(checks.map(({ guid }) => world.untilResults(guid, 2)))).flat()
      const off = results.map((result) => {
        const runs = world.target.of(`/${result.check_guid}`).map(({ at }) => at + AHEAD_MS - timeOf(result))
        return Math.min(...runs.map(Math.abs))
      })
      expect(
        `ran_at within ${RAN_AT_MS} ms of the run`,
        off.every((ms) => ms <= RAN_AT_MS),
        `off by ${off.join(', ')} ms`,
      )
    },
  },
  {
    name: 'rotation-change',
    fact: 'takes its new turn when rank, count or interval change',
    run: async (world) => {
      const before = { 'change-1': [2, 0], 'change-2': [2, 1], 'change-3': [1, 0], 'change-4': [3, 2] } as const
      const after = { 'change-1': [2, 1], 'change-2': [2, 0], 'change-3': [3, 1], 'change-4': [2, 0] } as const
      put(world, before)
      world.start()
      await Promise.all(Object.keys(before).map((guid) => world.untilVisits(guid, 1)))
      const checks = put(world, after)
      const synced = (await world.untilSynced(world.syncs + 1)) + 1000
      await Promise.all(checks.map(({ guid }) => world.untilVisits(guid, 3, synced)))
      expectTurns(world, checks, synced)
    },
  },
]

function put(world: World, turns: Record<string, readonly [count: number, rank: number]>): Check[] {
  return Object.entries(turns).map(([guid, [monitor_count, monitor_rank]]) =>
    world.watch(guid, { monitor_count, monitor_rank }),
  )
}

/** Nearly all runs since then were in this monitor's slots, and no slot was run twice. */
export function expectTurns(world: World, checks: readonly Check[], since = 0): void {
  const { ahead_ms } = world.server.time
  const judged = checks.flatMap((check) =>
    world.target.of(`/${check.guid}`, since).map((run) => {
      const at = run.at + ahead_ms
      return { check, at, ...judge(check, { at }) }
    }),
  )
  const inTurn = judged.filter(({ isInTurn }) => isInTurn)
  const strays = checks.filter((check) => judged.some((one) => one.check === check && !one.isInTurn))
  const told = strays.slice(0, 3).map((check) =>
    toldTurn(
      check,
      judged.filter((one) => one.check === check),
    ),
  )
  expect('runs in the slots of this monitor', inTurn.length >= judged.length * MOST, `${told.join('; ')}. ${FORMULA}`)
  const slots = new Set(inTurn.map(({ check, number }) => `${check.guid} ${number}`))
  expect('one run in each slot', slots.size === inTurn.length, `${inTurn.length} runs in ${slots.size} slots`)
  for (const check of checks)
    expectRhythm(
      check,
      inTurn.filter((one) => one.check === check).map(({ number }) => number),
    )
}

function expectRhythm(check: Check, numbers: readonly number[]): void {
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)]
  const slots = (last - first) / Math.max(1, check.monitor_count ?? 1) + 1
  const words = `${numbers.length} runs in ${slots} slots, the interval's phase being ${Math.round(phaseOf(check))} ms`
  expect(`a run of ${check.guid} in each slot of its turn`, numbers.length >= slots * MOST, words)
}
