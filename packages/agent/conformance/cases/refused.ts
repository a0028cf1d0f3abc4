// A monitor that the server will not have runs nothing, until it is taken back.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import { UNDER_WAY_MS, type World } from '../world.ts'

const QUIET_MS = 3000

export const refusedCases: Case[] = [
  {
    name: 'disabled-stops',
    fact: 'stops running checks when it is disabled (403), and does not pester the server',
    run: async (world) => {
      await disable(world)
    },
  },
  {
    name: 'disabled-resumes',
    fact: 'runs its checks again when it is no longer disabled, without a restart',
    isSlow: true,
    run: async (world) => {
      await disable(world)
      world.server.isDisabled = false
      const enabled = Date.now()
      await world.untilVisits('a', 2, enabled)
      await world.untilResults('a', 1, enabled)
      expect('one enrollment', world.server.of('POST /enroll').length === 1, world.server.enrolled)
    },
  },
  {
    name: 'key-refused',
    fact: 'stops running checks when its key is refused (401) and there is no token, keeps its results, and resumes',
    run: async (world) => {
      world.watch('a')
      const first = world.start()
      await world.untilResults('a')
      await first.stop()
      const agent = world.start({ hasToken: false })
      await world.untilResults('a', 2, Date.now())
      world.server.reset()
      agent.mayEnd = true
      const refused = await world.until('a request that is answered 401', () => answeredAt(world, 401))
      await world.expectNoRuns('a', refused, 'while its key is refused')
      expect(
        'no further enrollment',
        world.server.of('POST /enroll').length === 1,
        world.server.of('POST /enroll').length,
      )
      world.server.restoreKey()
      if (agent.ended !== undefined) world.start({ hasToken: false })
      await world.untilResults('a', 2, Date.now())
      // A run under way when an agent ends need not come to a result.
      await world.untilAllArrived(refused - 1000, agent.began)
    },
  },
]

async function disable(world: World): Promise<void> {
  world.watch('a')
  world.start()
  await world.untilResults('a')
  world.server.isDisabled = true
  const refused = await world.until('a request that is answered 403', () => answeredAt(world, 403))
  await world.expectNoRuns('a', refused, 'while it is disabled')
  const asked = world.server.arrived.filter(({ at }) => at >= refused + UNDER_WAY_MS).length
  expect('at most 2 requests a second while it is disabled', asked <= (2 * QUIET_MS) / 1000, `${asked} in 3 s`)
}

function answeredAt(world: World, status: number): number | undefined {
  return world.server.arrived.find(({ answered }) => answered?.status === status)?.at
}
