// Runs that a person asks for: an additive field of the answer to a sync, which an agent does or does not know.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'

const ASKED = 'asked'
/** Its own turns come long after the case. */
const SELDOM_SEC = 86_400

export const askedCases: Case[] = [
  {
    name: 'asked-runs',
    fact: 'goes on when an answer asks for runs; does each of them once at most, and reports each that it does',
    run: async (world) => {
      world.watch('a')
      world.watch(ASKED, { interval_sec: SELDOM_SEC })
      world.start()
      await world.untilVisits('a', 1)
      const tried = { ...world.server.put({ guid: 'try', url: `${world.target.url}/tried` }) }
      world.server.forget('try')
      world.server.asks.push({ id: 'run 1', check_guid: ASKED }, { id: 'run 2', check: tried }, { id: 'run 3' })
      const synced = await world.untilSynced(world.syncs + 2)
      await world.untilVisits('a', 3, synced)
      const runs = [ASKED, 'tried'].map((page) => world.target.of(`/${page}`).length)
      expect('each asked for run once at most', Math.max(...runs) <= 1, `${runs.join(' and ')} runs`)
      const results = world.server.results.filter(({ check_guid }) => check_guid === 'try').length
      expect('no result of a definition that is not a check', results === 0, `${results} results`)
      // One that does not know the field has nothing to tell.
      if (runs.every((count) => count === 0) && world.server.reports.length === 0) return
      await world.until('a report of each run that was asked for', () => world.server.reports.length >= 3, {
        seen: () => world.server.reports,
      })
      const ids = world.server.reports.map(({ id }) => id).sort()
      expect('one report of each', ids.join() === 'run 1,run 2,run 3', ids)
      const verdicts = world.server.reports.map(({ id, success }) => `${id} ${String(success)}`).sort()
      expect('success, and none of what it was not told', verdicts.join() === VERDICTS, verdicts)
      await world.untilResults(ASKED)
    },
  },
]

const VERDICTS = 'run 1 true,run 2 true,run 3 undefined'
