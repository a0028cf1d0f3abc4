// What an agent tells: of its checks and of itself.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import type { Result } from '../server.ts'
import type { World } from '../world.ts'

const CAP = 9
/** Each of five parts may be rounded. */
const ROUNDING_MS = 5
const BODY = 'grün 👍👍👍👍👍👍 und so weiter'

export const reportCases: Case[] = [
  {
    name: 'results',
    fact: 'tells success, status and error of what it found',
    run: async (world) => {
      world.watch('up')
      world.watch('missing')
      world.target.pages.set('/missing', { status: 404, body: 'not here' })
      world.watch('refused', { url: `http://127.0.0.1:${world.target.closed_port}/` })
      world.watch('connect', { url: `tcp://127.0.0.1:${new URL(world.target.url).port}` })
      world.start()
      const of = async (guid: string) => facts((await world.untilResults(guid))[0])
      const seen = [await of('up'), await of('missing'), await of('refused'), await of('connect')]
      const wanted = ['true 200 no error', 'false 404 an error', 'false 0 an error', 'true 0 no error']
      expect(wanted.join(', '), seen.join() === wanted.join(), seen.join(', '))
      await world.untilAllArrived(Date.now())
    },
  },
  {
    name: 'timings',
    fact: 'if it sends timings, sends parts that together are latency_ms, and a certificate only where there is one',
    run: async (world) => {
      world.watch('web')
      world.watch('refused', { url: `http://127.0.0.1:${world.target.closed_port}/` })
      world.watch('connect', { url: `tcp://127.0.0.1:${new URL(world.target.url).port}` })
      world.start()
      for (const result of (
        await Promise.all(['web', 'refused', 'connect'].map((guid) => world.untilResults(guid)))
      ).flat()) {
        expect('no certificate of what has none', result.cert_expires_at === undefined, result)
        // One that does not know the field leaves it out.
        if (result.timings === undefined) continue
        const sum_ms = Object.values<number>(result.timings).reduce((sum, ms) => sum + ms, 0)
        expect('parts that together are latency_ms', Math.abs(sum_ms - result.latency_ms) <= ROUNDING_MS, result)
        expect('no TLS handshake', result.timings.tls_ms === undefined, result)
      }
    },
  },
  {
    name: 'detail-none',
    fact: 'sends neither error nor sample where result_detail_max_chars is 0',
    run: async (world) => {
      for (const result of await detailed(world, 0)) {
        const isBare = !result.error && !result.response_sample
        expect('neither error nor response_sample', isBare, result)
        expect('a verdict all the same', result.success === (result.check_guid === 'up'), result)
      }
    },
  },
  {
    name: 'detail-cap',
    fact: 'caps error and sample at result_detail_max_chars, counted in code points',
    run: async (world) => {
      const leading = Array.from(BODY).slice(0, CAP).join('')
      for (const { error = '', response_sample = '' } of await detailed(world, CAP)) {
        expect(`an error of at most ${CAP} characters`, Array.from(error).length <= CAP, error)
        const isLeading = response_sample === '' || response_sample === leading
        expect(`the first ${CAP} characters of the answer, or none`, isLeading, JSON.stringify(response_sample))
      }
    },
  },
  {
    name: 'status',
    fact: 'reports its version, how long it runs, and how many results wait',
    run: async (world) => {
      world.watch('a')
      world.server.script.set('POST /results', () => 'drop')
      const first = world.start()
      await world.untilVisits('a', 3)
      const { status, at } = await world.until('a status report', () => world.server.statuses[0])
      expect('a version', status.version.trim() !== '', status)
      expect('uptime_sec since its start', status.uptime_sec <= (at - first.began) / 1000 + 1, status)
      await world.until('results that have waited a second', () =>
        world.target.visits.some((visit) => visit.at < Date.now() - 1000),
      )
      await first.stop()
      const stopped = Date.now()
      const second = world.start()
      const told = await world.until(
        'a status report with unsent_results above 0',
        () => world.server.statuses.find((report) => report.status.unsent_results > 0),
        { seen: () => world.server.statuses.map((report) => report.status) },
      )
      expect('no more than there were runs', told.status.unsent_results <= world.target.visits.length, told.status)
      const after = await world.until('a report after the restart', () =>
        world.server.statuses.find((report) => report.at > stopped),
      )
      expect(
        'uptime_sec since that start',
        after.status.uptime_sec <= (after.at - second.began) / 1000 + 1,
        after.status,
      )
    },
  },
]

async function detailed(world: World, result_detail_max_chars: number): Promise<Result[]> {
  for (const [guid, status] of [
    ['up', 200],
    ['down', 500],
  ] as const) {
    world.watch(guid, { result_detail_max_chars })
    world.target.pages.set(`/${guid}`, { status, body: BODY })
  }
  world.watch('refused', { result_detail_max_chars, url: `http://127.0.0.1:${world.target.closed_port}/` })
  world.start()
  return (await Promise.all(['up', 'down', 'refused'].map((guid) => world.untilResults(guid, 2)))).flat()
}

function facts(result: Result | undefined): string {
  return `${result?.success} ${result?.http_status} ${result?.error ? 'an' : 'no'} error`
}
