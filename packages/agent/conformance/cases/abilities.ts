// An agent may say what it can do, and gets only checks that it can run.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import type { Arrived, MonitorStatus } from '../server.ts'
import type { World } from '../world.ts'

export const abilityCases: Case[] = [
  {
    name: 'abilities-first',
    fact: 'if it lists abilities, lists them in a status before its first sync of each start, and the same in each status',
    run: async (world) => {
      world.watch('a')
      const first = world.start()
      await world.untilResults('a')
      await first.stop()
      const { syncs } = world
      const began = world.server.arrived.length
      world.start()
      await world.untilSynced(syncs + 1)
      await world.until('a status report of each start', () => reports(world, began).length > 0)
      const lists = reports(world, 0).map(({ abilities }) => abilities?.toSorted().join(' ') ?? 'none')
      expect('the same list in each status', new Set(lists).size === 1, lists)
      if (lists[0] === 'none') return
      for (const from of [0, began]) {
        const routes = world.server.arrived.slice(from).map(({ route }) => route)
        const [status, sync] = [routes.indexOf('POST /status'), routes.indexOf('GET /checks')]
        expect('a status before the first sync', status !== -1 && status < sync, routes.slice(0, 5))
      }
    },
  },
  {
    name: 'abilities-lost',
    fact: 'stops a check that it can no longer run, and runs it again when it can',
    run: async (world) => {
      world.watch('a')
      world.watch('lost')
      world.start()
      await Promise.all(['a', 'lost'].map((guid) => world.untilVisits(guid, 1)))
      // A server sends this when the agent no longer lists an ability that the check needs.
      world.server.bury('lost')
      const synced = await world.untilSynced(world.syncs + 1)
      await world.expectNoRuns('lost', synced, 'after its tombstone')
      world.watch('lost')
      const again = await world.untilSynced(world.syncs + 1)
      await Promise.all(['a', 'lost'].map((guid) => world.untilVisits(guid, 2, again)))
      await world.untilAllArrived(Date.now())
    },
  },
]

/** The status reports among the requests from a position on. */
function reports(world: World, from: number): MonitorStatus[] {
  const isReport = ({ route, answered }: Arrived) => route === 'POST /status' && answered?.status === 200
  return world.server.arrived
    .slice(from)
    .filter(isReport)
    .map(({ text }) => JSON.parse(text) as MonitorStatus)
}
