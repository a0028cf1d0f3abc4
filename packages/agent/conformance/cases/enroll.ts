// An agent enrolls once in its life, and comes back only when it was reset.
import type { AgentProcess } from '../agent-process.ts'
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import type { World } from '../world.ts'

/** An agent that has nothing left to try ends in this time. */
const END_MS = 30_000
/** A key that is refused may be a passing trouble: an agent may wait so long before it believes that it was reset. */
const BELIEF_MS = 180_000

export const enrollCases: Case[] = [
  {
    name: 'enroll-once',
    fact: 'enrolls once with the token, and keeps its identity over a stop, a start without a token, and kill -9',
    run: async (world) => {
      world.watch('a')
      const first = world.start()
      await world.untilResults('a')
      expect('one enrollment, as a new monitor', isOneNew(world), world.server.enrolled)
      const name = world.server.enrolled[0]?.name
      if (world.takesName) expect('the name of the command line', name === world.monitorName, name)
      expect('an end within 20 s of SIGTERM', await first.stop(), 'it went on')
      for (const hasToken of [false, true]) {
        const agent = world.start({ hasToken })
        await world.untilSynced(world.syncs + 1)
        await world.untilResults('a', 1, Date.now())
        await agent.kill()
      }
      expect(
        'no second enrollment',
        isOneNew(world),
        world.server.of('POST /enroll').map(({ text }) => text),
      )
    },
  },
  {
    name: 'enroll-refused',
    fact: 'ends with a status other than 0 when the token is refused (401), without asking again and again',
    run: async (world) => {
      world.server.script.set('POST /enroll', () => ({ status: 401, line: 'unknown enrollment token' }))
      const agent = world.start()
      await expectEnd(world, agent)
      const { length } = world.server.of('POST /enroll')
      expect('at most 3 enrollments', length >= 1 && length <= 3, length)
      expect(
        'nothing but enrollments',
        world.server.arrived.length === length,
        world.server.arrived.map(({ route }) => route),
      )
    },
  },
  {
    name: 'reclaim',
    fact: 'takes its place back with its id when its key was reset and a token is there; no result is lost by it',
    isSlow: true,
    run: async (world) => {
      world.watch('a')
      world.start()
      await world.untilResults('a')
      const [from, { syncs }] = [Date.now(), world]
      world.server.reset()
      const again = await world.until('an enrollment with the id of before', () => world.server.enrolled[1], {
        within_ms: world.patience_ms + BELIEF_MS,
      })
      expect('the id of before', again.id === world.server.monitor_id, again)
      await world.untilSynced(syncs + 1)
      await world.untilResults('a', 2, Date.now())
      await world.untilAllArrived(from)
      expect('2 enrollments', world.server.enrolled.length === 2, world.server.enrolled)
    },
  },
]

function isOneNew(world: World): boolean {
  const [first] = world.server.enrolled
  return world.server.of('POST /enroll').length === 1 && !first?.id
}

async function expectEnd(world: World, agent: AgentProcess): Promise<void> {
  agent.mayEnd = true
  await world.until('the agent to end', () => agent.ended !== undefined, { within_ms: END_MS })
  const { ended } = agent
  expect('a status other than 0', typeof ended === 'number' && ended !== 0, String(ended))
}
