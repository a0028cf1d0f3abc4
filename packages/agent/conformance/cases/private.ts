// Private definitions: what they say is run, and stays on the machine.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import { BASE_PATH } from '../document.ts'
import { expectTurns } from './rotation.ts'

export const privateCases: Case[] = [
  {
    name: 'private-run',
    fact: 'runs a blank row by its local definition, on the schedule of the server',
    run: async (world) => {
      const url = `${world.target.url}/vault`
      await world.define({ vault: { url, post_data: 'knock', headers: { 'x-probe': 'secret' }, match_string: 'well' } })
      const check = world.server.put({ guid: 'vault', name: 'vault', monitor_count: 2, monitor_rank: 1 })
      world.start()
      const [visit] = await world.untilVisits('vault', 4)
      const asked = [visit?.method, visit?.body, visit?.headers['x-probe']]
      expect('POST, knock, secret', asked.join() === 'POST,knock,secret', asked.join(', '))
      expectTurns(world, [check])
      const [result] = await world.untilResults('vault')
      expect('success and status 200', result?.success === true && result.http_status === 200, result)
    },
  },
  {
    name: 'private-undefined',
    fact: 'runs no blank row that it has no definition of, and sends no result of it',
    run: async (world) => {
      await world.define({ other: { url: `${world.target.url}/other` } })
      world.server.put({ guid: 'vault' })
      world.watch('a')
      world.start()
      await world.untilResults('a', 3)
      const results = world.server.results.filter(({ check_guid }) => check_guid !== 'a')
      expect('results of a alone', results.length === 0, results)
      const runs = world.target.of('/other').length
      expect('no run of a definition that the server has no row for', runs === 0, `${runs} runs`)
    },
  },
  {
    name: 'private-secrets',
    fact: 'tells nothing of a private definition, whatever becomes of its check',
    run: async (world) => {
      const { url, closed_port } = world.target
      world.target.pages.set('/hidden-page', { body: 'all is hidden-match well' })
      const headers = { 'x-probe': 'hidden-header' }
      await world.define({
        refused: { url: `http://127.0.0.1:${closed_port}/hidden-path`, headers },
        unmatched: { url: `${url}/hidden-page`, match_string: 'hidden-unmatched', post_data: 'hidden-data' },
        matched: { url: `${url}/hidden-page`, match_string: 'hidden-match' },
        unknown: { url: 'http://hidden-host.invalid/' },
      })
      const guids = ['refused', 'unmatched', 'matched', 'unknown']
      for (const guid of guids) world.server.put({ guid, timeout_sec: 3 })
      world.start()
      await Promise.all(guids.map((guid) => world.untilResults(guid, 2)))
      await world.until('a status report', () => world.server.statuses[0])
      const verdicts = guids.map((guid) => world.server.results.find(({ check_guid }) => check_guid === guid)?.success)
      expect('failures, but for the one that matches', verdicts.join() === 'false,false,true,false', verdicts.join())
      const told = world.server.arrived.map(({ route, text, query }) => ({ route, text: `${text} ${query}` }))
      const secrets = ['hidden', '127.0.0.1', `:${new URL(url).port}`, `:${closed_port}`, '.invalid']
      const leaks = secrets.flatMap((secret) => told.filter(({ text }) => text.includes(secret)).slice(0, 1))
      expect(`nothing of a definition in any request below ${BASE_PATH}`, leaks.length === 0, leaks)
    },
  },
]
