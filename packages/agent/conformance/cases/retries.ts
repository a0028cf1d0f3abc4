// Failures that are repeated before they count: additive fields of a check, which an agent does or does not know.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import type { Result } from '../server.ts'
import { judge } from '../slots.ts'
import { timeOf, type World } from '../world.ts'

/** A first run that begins seconds late in its slot still has room for its retries. */
const RETRIES = { retry_count: 2, retry_interval_sec: 2, timeout_sec: 1, interval_sec: 10 }
const GAP_MS = RETRIES.retry_interval_sec * 1000
/** How much earlier than it should a retry may be seen, and how far its `ran_at` may be off. */
const SLACK_MS = 300
const RAN_AT_MS = 1000
const DOWN = { status: 500, body: 'not now' }

export const retryCases: Case[] = [
  {
    name: 'retries',
    fact: 'if it sends retries, runs a check again after a failure, reports the last run alone, and misses no slot for it',
    run: async (world) => {
      for (const guid of ['fails', 'heals', 'hurried']) {
        // There is no room for all of these before the next slot.
        world.watch(guid, { ...RETRIES, ...(guid === 'hurried' && { retry_count: 9 }) })
        world.target.pages.set(`/${guid}`, DOWN)
      }
      world.start()
      await world.untilVisits('heals', 1)
      world.target.pages.set('/heals', { status: 200, body: 'well again' })
      await world.untilVisits('fails', 1)
      const [failed] = await world.untilResults('fails')
      const [healed] = await world.untilResults('heals')
      // One that does not know the fields reports each run, and leaves this one out.
      if (failed?.retries === undefined && healed?.retries === undefined) return
      expectLast(world, failed, { success: false, retries: RETRIES.retry_count })
      expectLast(world, healed, { success: true, retries: 1 })
      await expectSlots(world)
    },
  },
]

function expectLast(world: World, result: Result | undefined, wanted: { success: boolean; retries: number }): void {
  if (!result) return
  const { check_guid, success, retries } = result
  expect(
    `a result of ${check_guid} with success ${wanted.success} after ${wanted.retries} retries`,
    success === wanted.success && retries === wanted.retries,
    `success ${success}, retries ${retries ?? 'absent'}`,
  )
  const visits = world.target.of(`/${check_guid}`).slice(0, wanted.retries + 1)
  expect(`${wanted.retries + 1} runs of ${check_guid}`, visits.length === wanted.retries + 1, `${visits.length}`)
  const gaps = visits.slice(1).map(({ at }, index) => at - (visits[index]?.at ?? 0))
  expect(
    `retries of ${check_guid} ${GAP_MS / 1000} s after the run before`,
    gaps.every((ms) => ms >= GAP_MS - SLACK_MS),
    `${gaps.join(' and ')} ms`,
  )
  const off_ms = Math.abs((visits.at(-1)?.at ?? 0) + world.server.time.ahead_ms - timeOf(result))
  expect(`ran_at of ${check_guid} when its last run began`, off_ms <= RAN_AT_MS, `off by ${off_ms} ms`)
}

/** Retries that do not fit are left out: the check is run in its next slot all the same, and each slot has one result. */
async function expectSlots(world: World): Promise<void> {
  const results = await world.untilResults('hurried', 2)
  const check = world.server.row('hurried')
  if (!check) return
  const slots = world.target.of('/hurried').map(({ at }) => judge(check, { at: at + world.server.time.ahead_ms }))
  const begun = new Set(slots.filter(({ isInTurn }) => isInTurn).map(({ number }) => number))
  const numbers = slots.map(({ number }) => number)
  const missed = [...new Set(numbers)].filter((number) => !begun.has(number))
  expect(
    'each slot to begin with a run',
    missed.length === 0,
    `none in ${missed.length} of ${new Set(numbers).size} slots`,
  )
  const reported = results.map((result) => judge(check, { at: timeOf(result) }).number)
  expect('one result of each slot', new Set(reported).size === reported.length, reported.join(', '))
}
