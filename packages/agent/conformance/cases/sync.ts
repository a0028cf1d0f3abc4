// The server decides what runs: the whole set at the start, changes from then on.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import { type Arrived, FOREIGN } from '../server.ts'
import { UNDER_WAY_MS, type World } from '../world.ts'

export const syncCases: Case[] = [
  {
    name: 'sync-full',
    fact: 'asks for the whole set at each start, and stops what is missing from it',
    run: async (world) => {
      world.watch('a')
      world.watch('gone')
      const first = world.start()
      await world.untilVisits('gone', 1)
      await world.untilResults('a')
      await first.stop()
      world.server.forget('gone')
      const before = world.server.of('GET /checks').length
      world.start()
      const synced = await world.untilSynced(world.syncs + 1)
      const starts = [0, before].map((index) => world.server.of('GET /checks')[index]?.query.get('since') ?? null)
      expect(
        'no since in the first sync of each start',
        starts.every((since) => since === null),
        starts,
      )
      await world.untilVisits('a', 3, synced)
      await world.expectNoRuns('gone', synced, 'after the full sync without it')
    },
  },
  {
    name: 'sync-not-run',
    fact: 'runs neither a tombstone nor a disabled check of the first sync',
    run: async (world) => {
      world.watch('a')
      world.watch('off', { enabled: false })
      world.watch('dead', { deleted: true })
      world.server.bury('tombstone')
      world.start()
      await world.untilVisits('a', 3)
      for (const guid of ['off', 'dead', 'tombstone']) {
        const runs = world.target.of(`/${guid}`).length
        expect(`no run of the check ${guid}`, runs === 0, `${runs} runs`)
      }
      const guids = world.server.results.map(({ check_guid }) => check_guid)
      expect(
        'results of a alone',
        guids.every((guid) => guid === 'a'),
        guids,
      )
    },
  },
  {
    name: 'sync-cursor',
    fact: 'sends server_time of the last answer as since, to the letter',
    run: async (world) => {
      world.watch('a')
      world.start()
      await world.untilSynced(2)
      const [first, second] = world.server.of('GET /checks')
      const told = (first?.answered?.body as { server_time: string }).server_time
      const since = second?.query.get('since') ?? 'none'
      expect(`since ${told}`, since === told, since)
    },
  },
  {
    name: 'sync-delta',
    fact: 'takes up new and changed rows, and keeps what the delta does not name',
    run: async (world) => {
      world.watch('same')
      world.watch('moved')
      await begin(world, 'same', 'moved')
      world.watch('new')
      world.watch('moved', { url: `${world.target.url}/elsewhere` })
      const synced = await world.untilSynced(world.syncs + 1)
      await Promise.all(['same', 'new', 'elsewhere'].map((page) => world.untilVisits(page, 2, synced + 1)))
      await world.expectNoRuns('moved', synced, 'at its old url')
      await world.untilResults('new')
    },
  },
  {
    name: 'sync-tombstone',
    fact: 'stops a check whose tombstone comes (deleted, content blank)',
    run: async (world) => {
      world.watch('a')
      world.watch('dead')
      await begin(world, 'a', 'dead')
      world.server.bury('dead')
      const synced = await world.untilSynced(world.syncs + 1)
      await world.expectNoRuns('dead', synced, 'after its tombstone')
      await expectRunsOn(world, 'a', synced)
    },
  },
  {
    name: 'sync-disabled',
    fact: 'stops a check that is disabled',
    run: async (world) => {
      world.watch('a')
      world.watch('off')
      await begin(world, 'a', 'off')
      world.watch('off', { enabled: false })
      const synced = await world.untilSynced(world.syncs + 1)
      await world.expectNoRuns('off', synced, 'after it was disabled')
      await expectRunsOn(world, 'a', synced)
    },
  },
  {
    name: 'sync-busy',
    fact: 'waits as long as Retry-After says when a sync is answered 429 or 503, and then goes on',
    run: async (world) => {
      world.watch('a')
      const waits = [3, 2]
      world.server.script.set('GET /checks', () => {
        const retry_after = waits.shift()
        if (retry_after === undefined) return undefined
        return retry_after === 3
          ? { status: 429, line: 'rate limit exceeded', retry_after }
          : { status: 503, line: 'overloaded; try again later', retry_after }
      })
      world.start()
      await world.untilVisits('a', 1)
      const [first = 0, second = 0, third = 0] = world.server.of('GET /checks').map(({ at }) => at)
      expect('3 s without a sync after the 429', second - first >= 2950, `${second - first} ms`)
      expect('2 s without a sync after the 503', third - second >= 1950, `${third - second} ms`)
    },
  },
  {
    name: 'sync-foreign',
    fact: 'goes on running when something other than the server answers its syncs (401, 403, 302 and 200 with a page)',
    run: async (world) => {
      world.watch('a')
      await begin(world, 'a')
      await world.untilSynced(1)
      const answers = [FOREIGN.forbidden, FOREIGN.unauthorized, FOREIGN.redirect, FOREIGN.page]
      world.server.script.set('GET /checks', () => answers.shift())
      const first = await world.until('a sync', () => world.server.of('GET /checks').find(isForeign)?.at)
      await world.untilVisits('a', 4, first + UNDER_WAY_MS)
      await world.until('a sync that the server answers', () => {
        return answers.length === 0 && world.server.of('GET /checks').at(-1)?.answered?.status === 200
      })
      const enrolled = world.server.of('POST /enroll').length
      expect('no further enrollment', enrolled === 1, enrolled)
    },
  },
]

function isForeign({ answered }: Arrived): boolean {
  return answered?.body === FOREIGN.forbidden.raw
}

/** The agent runs, and runs these checks. */
async function begin(world: World, ...guids: string[]): Promise<void> {
  world.start()
  await Promise.all(guids.map((guid) => world.untilVisits(guid, 1)))
}

async function expectRunsOn(world: World, guid: string, since: number): Promise<void> {
  const runs = world.target.of(`/${guid}`, since + UNDER_WAY_MS).length
  expect(`${guid} to run on`, runs >= 2, `${runs} runs in 3 s`)
}
