// Names whose servers are silent take a part of the threads, and no other name waits for them.
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { observe } from '../../src/probes/attempt.ts'
import { lookupOf } from '../../src/probes/lookup.ts'
import { LookupQueue } from '../../src/probes/lookup-queue.ts'
import { lookupThreads } from '../../src/process/lookup-threads.ts'
import { asRoot } from '../agent/support/as-root.ts'
import { silentNameServer, withHosts } from '../agent/support/names.ts'
import { ok, serveHttp } from '../support/servers.ts'

/** A queue whose lookups end when they are told to. */
function slowQueue(threads: number) {
  let now = 0
  const underWay = new Map<string, () => void>()
  const dropped: string[] = []
  const queue = new LookupQueue(threads, () => now)
  const ask = (name: string, isWanted = () => true): void =>
    queue.add({
      name,
      isWanted,
      onDropped: () => dropped.push(name),
      start: (done) => underWay.set(name, done),
    })
  const end = (name: string, after_ms: number): void => {
    now += after_ms
    const done = underWay.get(name)
    underWay.delete(name)
    done?.()
  }
  return { ask, end, underWay, dropped }
}

test('names that hung take a small part of the threads, new ones not all: those that answered last time go first', () => {
  const { ask, end, underWay } = slowQueue(32)
  ask('well')
  end('well', 10)
  const dead = Array.from({ length: 100 }, (_, n) => `dead-${n}`)
  for (const name of dead) ask(name)
  expect(underWay.size).toBe(24)
  ask('well')
  expect(underWay.has('well')).toBe(true)
  while (dead.some((name) => underWay.has(name))) end(dead.find((name) => underWay.has(name)) ?? '', 20_000)
  for (const name of dead) ask(name)
  expect(dead.filter((name) => underWay.has(name))).toHaveLength(12)
  for (let n = 0; n < 12; n += 1) ask(`new-${n}`)
  expect(underWay.size).toBe(1 + 24)
})

test('a lookup that cannot even begin is told, each time, and holds nothing up', async () => {
  const answers: unknown[] = []
  const bounds = { timeout_ms: 5000, mayDial: () => true }
  for (let n = 0; n < 2; n += 1) {
    const looking = observe(bounds, (attempt) => {
      // Of the wrong type, which the platform says by throwing.
      lookupOf(attempt)(7 as never, { all: true }, (error) => {
        answers.push(error?.code)
        attempt.failBy(error)
      })
    })
    expect((await looking).fault).toBeDefined()
  }
  expect(answers).toEqual(['ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_TYPE'])
})

test('who shares a lookup knows how long it had been under way', async () => {
  const bounds = { timeout_ms: 5000, mayDial: () => true }
  const looking = () =>
    observe(bounds, (attempt) => {
      lookupOf(attempt)('localhost', { all: true }, () => attempt.finish())
    })
  const first = looking()
  // No answer gets through meanwhile.
  for (const until = performance.now() + 20; performance.now() < until; );
  const [began, shared] = await Promise.all([first, looking()])
  expect(began.lookup_age_ms).toBe(0)
  expect(shared.lookup_age_ms).toBeGreaterThanOrEqual(19)
})

test('whom nobody waits for any more is not looked up', () => {
  const { ask, end, underWay, dropped } = slowQueue(1)
  ask('a')
  ask('b', () => false)
  ask('c')
  end('a', 1)
  expect([[...underWay.keys()], dropped]).toEqual([['c'], ['b']])
})

test('whatever comes and ends, no more are under way than there are threads, and none waits while there is room', () => {
  const steps = fc.array(fc.record({ name: fc.nat(40), took_ms: fc.constantFrom(1, 5000) }), { maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), steps, (threads, all) => {
      const { ask, end, underWay } = slowQueue(threads)
      const wanted = new Set<string>()
      for (const { name, took_ms } of all) {
        if (underWay.has(`${name}`)) {
          end(`${name}`, took_ms)
          wanted.delete(`${name}`)
        } else if (!wanted.has(`${name}`)) {
          wanted.add(`${name}`)
          ask(`${name}`)
        }
        expect(underWay.size).toBeLessThanOrEqual(threads)
      }
      while (underWay.size > 0) {
        const [name = ''] = underWay.keys()
        end(name, 1)
        wanted.delete(name)
      }
      expect(wanted.size).toBe(0)
    }),
  )
})

test.each([
  [undefined, 2],
  ['1', 1],
  ['64', 30],
  ['128', 62],
])('of UV_THREADPOOL_SIZE=%s so many look up names: %d', (size, wanted) => {
  expect(lookupThreads({ UV_THREADPOOL_SIZE: size })).toBe(wanted)
})

const AMONG_SILENCE = fileURLToPath(new URL('../support/run-among-silence.ts', import.meta.url))
interface Told {
  among: string[]
  others: string[]
}

/** What is found at each of these URLs while 100 names of a silent server are looked up, twenty times each. */
async function foundAmongSilence(urls: readonly string[], publicOnly: boolean): Promise<Told> {
  const start = await withHosts(['127.0.0.1 localhost', '127.0.0.1 hosts.test'])
  await silentNameServer({ 'named.test': '127.0.0.1', 'hosts.test': null, 'nothing.test': null })
  const env = { UV_THREADPOOL_SIZE: '64' }
  const args = ['--no-warnings', AMONG_SILENCE, publicOnly ? 'public' : 'any', ...urls]
  const child = start(process.execPath, args, env)
  const [out] = await Promise.all([textOf(child.stdout), textOf(child.stderr).then((said) => expect(said).toBe(''))])
  return JSON.parse(out) as Told
}

asRoot('of a hundred silent names nobody else takes harm, nor is one told as down that was not looked up', async () => {
  const port = new URL(await serveHttp(ok)).port
  const told = await foundAmongSilence([`http://named.test:${port}`, `http://hosts.test:${port}`], false)
  expect(told.among).toEqual(['ok', 'ok'])
  expect(told.others).toEqual(['lookup_queue', 'timeout: while looking up the name'])
})

asRoot('for public targets the name servers alone are asked, a hundred silent names or not', async () => {
  const names = ['named.test', 'hosts.test', 'nothing.test', 'localhost', 'a..b', `${'a'.repeat(70)}.test`]
  const { among, others } = await foundAmongSilence(
    names.map((name) => `http://${name}:9`),
    true,
  )
  const none = 'dns: the host name does not exist'
  const blocked = 'blocked: the address is not public'
  expect(among).toEqual([blocked, none, none, blocked, none, none])
  for (const found of others) expect(found).toMatch(/^(dns: the name could not be|timeout: while) look/)
})
