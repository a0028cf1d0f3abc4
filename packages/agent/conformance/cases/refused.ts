// A monitor that is disabled runs nothing. One whose key is refused goes on: the server may only be away in another way.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import { UNDER_WAY_MS, type World } from '../world.ts'

const QUIET_MS = 3000
/** An agent whose key is refused may wait so long between two attempts. */
const ASKS_AGAIN_MS = 300_000

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
    fact: 'goes on running when its key is refused (401) and there is no token, keeps its results, and sends them later',
    run: async (world) => {
      world.watch('a')
      const first = world.start()
      await world.untilResults('a')
      await first.stop()
      const agent = world.start({ hasToken: false })
      await world.untilResults('a', 2, Date.now())
      world.server.reset()
      const refused = await world.until('a request that is answered 401', () => answeredAt(world, 401))
      await world.untilVisits('a', 5, refused + UNDER_WAY_MS)
      expect(
        'no further enrollment',
        world.server.of('POST /enroll').length === 1,
        world.server.of('POST /enroll').length,
      )
      const asked = world.server.arrived.filter(({ at }) => at > refused).length
      const seconds = (Date.now() - refused) / 1000
      expect(
        'at most 2 requests a second while its key is refused',
        asked <= 2 * seconds + 2,
        `${asked} in ${seconds} s`,
      )
      world.server.restoreKey()
      await world.untilAllArrived(Date.now(), agent.began)
    },
  },
  {
    name: 'key-refused-long',
    fact: 'outlives a server that knows neither key, token nor id for 150 s, becomes no new monitor, and loses nothing',
    isSlow: true,
    run: async (world) => {
      world.watch('a')
      const agent = world.start()
      await world.untilResults('a')
      const answers = [
        { status: 401, line: 'unknown enrollment token' },
        { status: 404, line: 'no monitor with that id' },
        { status: 409, line: 'this monitor is already enrolled' },
      ]
      world.server.script.set('POST /enroll', () => {
        const next = answers.shift()
        if (next) answers.push(next)
        return next
      })
      world.server.reset()
      const began = Date.now()
      while (Date.now() < began + world.restoring_ms) {
        const [runs, moment] = [world.target.of('/a').length, Date.now()]
        await world.watchFor(5000)
        const more = world.target.of('/a').length - runs
        expect(
          'runs all the while',
          more >= 1,
          `none in the ${Math.round((Date.now() - moment) / 1000)} s after ${Math.round((moment - began) / 1000)} s`,
        )
      }
      const ids = world.server
        .of('POST /enroll')
        .slice(1)
        .map(({ text }) => (JSON.parse(text) as { id?: string }).id)
      expect(
        'enrollments with the id of before alone',
        ids.every((id) => id === world.server.monitor_id),
        ids,
      )
      world.server.restoreKey()
      world.server.script.clear()
      await world.until('a sync that is answered', () => lastAnswered(world, 'GET /checks') === 200, {
        within_ms: world.patience_ms + ASKS_AGAIN_MS,
      })
      await world.untilAllArrived(Date.now(), agent.began)
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

function lastAnswered(world: World, route: string): number | undefined {
  return world.server.of(route).at(-1)?.answered?.status
}
