// Results arrive whole, in order and once, whatever becomes of a request.
import { expect, Skip } from '../breach.ts'
import type { Case } from '../case.ts'
import { FOREIGN, impossible, keyOf, RESULTS_PER_UPLOAD, type Result } from '../server.ts'
import { timeOf, type World } from '../world.ts'

const BYTES_MAX = 1024 * 1024
/** Runs that overlap may end, and be kept, in another order than they began. */
const OVERLAP_MS = 2000

export const uploadCases: Case[] = [
  {
    name: 'upload-batches',
    fact: 'sends a backlog in calls of at most 500 results, oldest first, ran_at rising for each check',
    run: async (world) => {
      const guids = Array.from({ length: 80 }, (_, index) => `batch-${index}`)
      const away = await pileUp(world, guids, 720)
      await world.untilAllArrived(away)
      const uploads = world.uploads.filter(({ results }) => results.length > 0)
      const sizes = uploads.map(({ results }) => results.length)
      expect(
        'at most 500 results in a call',
        sizes.every((size) => size <= RESULTS_PER_UPLOAD),
        sizes,
      )
      const oldest = uploads.map(({ results }) => Math.min(...results.map(timeOf)))
      const isInOrder = oldest.every((time, index) => time >= Math.max(0, ...oldest.slice(0, index)) - OVERLAP_MS)
      expect('the oldest first', isInOrder, oldest.map((time) => new Date(time).toISOString()).join(', '))
      for (const guid of guids) expectRising(world.server.results.filter((result) => result.check_guid === guid))
    },
  },
  {
    name: 'upload-bytes',
    fact: 'sends at most 1 MiB in a call',
    run: async (world) => {
      const guids = Array.from({ length: 30 }, (_, index) => `bytes-${index}`)
      for (const guid of guids) world.target.pages.set(`/${guid}`, { body: 'é'.repeat(8000) })
      const away = await pileUp(world, guids, 210, { result_detail_max_chars: 8000 })
      await world.untilAllArrived(away)
      const sizes = world.server.of('POST /results').map(({ text }) => Buffer.byteLength(text))
      const total = sizes.reduce((sum, size) => sum + size, 0)
      if (total <= BYTES_MAX) throw new Skip('the agent sends no samples, and so nothing of 1 MiB')
      expect(
        'at most 1 MiB in a call',
        sizes.every((size) => size <= BYTES_MAX),
        sizes,
      )
    },
  },
  {
    name: 'upload-lost-reply',
    fact: 'sends again what it got no answer for: the same results with the same ran_at',
    run: async (world) => {
      watchSome(world, 4)
      let lost: Result[] | undefined
      world.server.script.set('POST /results', ({ text }) => {
        if (lost) return undefined
        lost = resultsOf(text)
        return 'lose'
      })
      world.start()
      const first = await world.until('an upload', () => lost)
      const again = () =>
        new Map(
          world.uploads
            .slice(1)
            .flatMap(({ results }) => results)
            .map((one) => [keyOf(one), one]),
        )
      const missing = () => first.filter((one) => !again().has(keyOf(one))).map(keyOf)
      await world.until('the results whose answer was lost, with their ran_at', () => missing().length === 0, {
        seen: () => `not seen again: ${missing().join(', ')}`,
      })
      const changed = first.filter((one) => !isSame(one, again().get(keyOf(one))))
      expect('the same results', changed.length === 0, changed)
      await world.untilAllArrived(Date.now())
      const [results, runs] = [world.server.results.length, world.target.visits.length]
      expect('one result for each run', results <= runs, `${results} results of ${runs} runs`)
    },
  },
  {
    name: 'upload-too-large',
    fact: 'sends fewer at a time after a 413, and loses none',
    run: async (world) => {
      watchSome(world, 8)
      let first: Set<string> | undefined
      let refused = 0
      world.server.script.set('POST /results', ({ text }) => {
        const results = resultsOf(text)
        if (!first && results.length >= 4) first = new Set(results.map(keyOf))
        if (!first || results.length <= Math.ceil(first.size / 2) || isStored(world, first)) return undefined
        refused += 1
        return { status: 413, line: 'the body must hold at most 1048576 bytes' }
      })
      world.start()
      await world.until('an upload of 4 results or more', () => first)
      await world.until('smaller uploads, until all of the first have arrived', () => first && isStored(world, first), {
        seen: () => `sizes ${world.uploads.map(({ results }) => results.length).join(', ')}`,
      })
      expect('one refusal at least', refused >= 1, refused)
      await world.untilAllArrived(Date.now())
    },
  },
  {
    name: 'upload-bad-record',
    fact: 'sends the others when the server cannot read one result (400), and lets that one wait',
    run: async (world) => {
      watchSome(world, 4)
      let poison: string | undefined
      world.server.script.set('POST /results', ({ text }) => {
        const keys = resultsOf(text).map(keyOf)
        // Among others, if it ever comes among others.
        if (keys.length > 1 || world.uploads.length >= 5) poison ??= keys[Math.floor(keys.length / 2)]
        const index = keys.indexOf(poison ?? '')
        return index === -1
          ? undefined
          : { status: 400, line: `results[${index}].latency_ms must be at most 2147483647` }
      })
      world.start()
      const bad = await world.until('an upload', () => poison)
      const refused = Date.now()
      const others = () => world.uploads.flatMap(({ results }) => results).filter((one) => keyOf(one) !== bad)
      const missing = () => {
        const stored = new Set(world.server.results.map(keyOf))
        return others()
          .filter((one) => !stored.has(keyOf(one)))
          .map(keyOf)
      }
      await Promise.all(['some-0', 'some-1', 'some-2', 'some-3'].map((guid) => world.untilResults(guid, 2, refused)))
      await world.until('each result but the one to be stored', () => missing().length === 0, { seen: () => missing() })
      await world.untilAllArrived(Date.now(), refused)
      const tries = world.uploads.filter(({ results }) => results.some((one) => keyOf(one) === bad)).length
      await world.untilResults('some-0', 2, Date.now())
      const later = world.uploads.filter(({ results }) => results.some((one) => keyOf(one) === bad)).length
      expect('the one result to be let be for a while', later === tries, `it was sent ${later} times, and still is`)
    },
  },
  {
    name: 'upload-busy',
    fact: 'waits as long as Retry-After says after 429 and 503, and loses nothing',
    run: async (world) => {
      watchSome(world, 2)
      const answers = [
        { status: 429, line: 'rate limit exceeded', retry_after: 3 },
        { status: 503, line: 'overloaded; try again later', retry_after: 2 },
        { status: 503, line: 'overloaded; try again later', retry_after: 1 },
      ]
      world.server.script.set('POST /results', () => answers.shift())
      world.start()
      await world.until('3 refused uploads, and another', () => world.uploads.length >= 4)
      const [first = 0, second = 0, third = 0, fourth = 0] = world.uploads.map(({ at }) => at)
      expect('3 s without an upload after the 429', second - first >= 2950, `${second - first} ms`)
      expect('2 s without an upload after the 503', third - second >= 1950, `${third - second} ms`)
      expect('1 s without an upload after the second 503', fourth - third >= 950, `${fourth - third} ms`)
      await world.untilAllArrived(Date.now())
    },
  },
  {
    name: 'upload-foreign',
    fact: 'loses nothing by what something other than the server answers (400, 413, 403, 302 and 200 with a page)',
    run: async (world) => {
      watchSome(world, 3)
      const answers = [FOREIGN.bad, FOREIGN.large, FOREIGN.forbidden, FOREIGN.redirect, FOREIGN.page]
      const began = Date.now()
      world.server.script.set('POST /results', () => answers.shift())
      const agent = world.start()
      await world.until('uploads until the server answers one', () => world.uploads.some(({ isStored }) => isStored))
      await world.untilAllArrived(Date.now(), began)
      expect('no further enrollment', world.server.of('POST /enroll').length === 1, agent.output)
    },
  },
  {
    name: 'upload-impossible',
    fact: 'sends again what was answered with more accepted results than it had sent',
    run: async (world) => {
      watchSome(world, 3)
      let times = 2
      world.server.script.set('POST /results', ({ text }) => {
        times -= 1
        return times < 0 ? undefined : impossible(resultsOf(text).length + 1)
      })
      world.start()
      await world.untilResults('some-0', 2)
      await world.untilAllArrived(Date.now())
    },
  },
  {
    name: 'upload-after-kill',
    fact: 'has what it found before a kill -9, and sends it after the next start',
    run: async (world) => {
      watchSome(world, 3)
      const agent = world.start()
      await world.untilVisits('some-0', 1)
      await world.server.close()
      await world.untilVisits('some-0', 5)
      const killed = Date.now()
      await agent.kill()
      await world.server.open()
      world.start()
      await world.untilResults('some-0', 1, killed)
      // What it found in the last second may not have reached its disk.
      await world.untilAllArrived(killed - 1000)
    },
  },
  {
    name: 'server-away',
    fact: 'goes on running checks while the server is away, and sends all of it when it is back',
    run: async (world) => {
      watchSome(world, 3)
      world.start()
      await world.untilResults('some-0', 1)
      await world.server.close()
      const gone = Date.now()
      await world.untilVisits('some-0', 4, gone)
      await world.server.open()
      const back = Date.now()
      await world.untilAllArrived(back)
      await world.untilResults('some-0', 2, back)
      await world.untilAllArrived(Date.now())
    },
  },
]

function watchSome(world: World, count: number): void {
  for (let index = 0; index < count; index += 1) world.watch(`some-${index}`)
}

/** The server goes away until there are this many runs to tell of. Resolves with the time it is back. */
async function pileUp(world: World, guids: string[], runs: number, row = {}): Promise<number> {
  for (const guid of guids) world.watch(guid, row)
  world.start()
  await world.untilSynced(1)
  await world.server.close()
  await world.until(`${runs} runs`, () => world.target.visits.length >= runs, {
    seen: () => `${world.target.visits.length} runs`,
    within_ms: world.patience_ms + (runs / guids.length) * 1000,
  })
  await world.server.open()
  return Date.now()
}

function resultsOf(text: string): Result[] {
  return (JSON.parse(text) as { results: Result[] }).results
}

function isStored(world: World, keys: ReadonlySet<string>): boolean {
  const stored = new Set(world.server.results.map(keyOf))
  return [...keys].every((key) => stored.has(key))
}

function isSame(one: Result, other: Result | undefined): boolean {
  return JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other ?? {}).sort())
}

function expectRising(results: readonly Result[]): void {
  const times = results.map(timeOf)
  const isRising = times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))
  expect(
    'ran_at strictly rising for each check',
    isRising,
    results.slice(0, 20).map(({ ran_at }) => ran_at),
  )
}
