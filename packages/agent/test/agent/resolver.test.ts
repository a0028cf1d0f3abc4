// A resolver that does not work is this machine's trouble; a name that does not exist is the target's.
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { failedToResolve, type LookupOutcome, Resolver, witnessNames } from '../../src/outages/resolver.ts'
import type { RunResult } from '../../src/run/run-result.ts'
import { asRoot } from './support/as-root.ts'
import { FakeTime, settled } from './support/fake-time.ts'
import { silentNameServer, withHosts } from './support/names.ts'
import { checkRow, scriptedApi } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

const NAMES = ['dogwatch.example', 'dns.google']
type Answers = (name: string) => LookupOutcome | 'silence'

/** As a resolver answers on a good day: the names are there, and no others. */
const well: Answers = (name) => (NAMES.includes(name) ? 'address' : 'none')
const silent: Answers = () => 'silence'

function setUp(names: readonly string[] = NAMES) {
  const time = new FakeTime()
  const world = { answers: well, asked: [] as string[], logged: [] as unknown[], hasStalled: false }
  const hanging: (() => void)[] = []
  const resolver = new Resolver({
    names,
    lookUp: async (name) => {
      world.asked.push(name)
      const looked = world.answers(name)
      if (looked !== 'silence') return looked
      await new Promise<void>((resolve) => hanging.push(resolve))
      return 'failed'
    },
    random: () => 0.5,
    mono: () => time.now,
    now: () => time.now,
    timer: time.timer,
    hasStalled: () => world.hasStalled,
    log: (event) => world.logged.push(event),
  })
  /** Whether a lookup that failed just now is this machine's own trouble. */
  const isOurs = async (began = time.now): Promise<boolean> => {
    const asking = resolver.outage.covers(began)
    await settled()
    await time.pass(6001)
    return asking
  }
  return { time, world, resolver, isOurs, answerAll: () => hanging.splice(0).forEach((end) => end()) }
}

test('a name that does not exist is the target’s trouble while others can be looked up', async () => {
  const { isOurs, resolver, world } = setUp()
  expect([await isOurs(), resolver.outage.isOut, world.logged]).toEqual([false, false, []])
})

test('a resolver that is silent is ours until it answers again, and that is told once each', async () => {
  const { isOurs, resolver, world, time, answerAll } = setUp()
  const began = time.now
  world.answers = silent
  expect([await isOurs(), await isOurs(), resolver.outage.isOut]).toEqual([true, true, true])
  world.answers = well
  const duringOutage = time.now
  answerAll()
  await time.pass(8000)
  expect(resolver.outage.isOut).toBe(false)
  const seconds = Math.round(((resolver.outage.last?.ended_at ?? 0) - began) / 1000)
  expect(world.logged).toEqual([{ event: 'cannot_resolve_names' }, { event: 'names_resolve_again', seconds }])
  expect([await isOurs(duringOutage), await isOurs()]).toEqual([true, false])
})

test.each<[string, Answers]>([
  ['answers at once that it cannot', () => 'failed'],
  ['knows by heart what was asked before, and can ask nobody', (name) => (NAMES.includes(name) ? 'address' : 'failed')],
  ['says of every name that there is none', () => 'none'],
])('a resolver that %s does not work', async (_, answers) => {
  const { isOurs, world } = setUp()
  expect(await isOurs()).toBe(false)
  world.answers = answers
  expect(await isOurs()).toBe(true)
})

test('one name that is gone, or whose servers are silent, is not the resolver', async () => {
  const { isOurs, world } = setUp()
  await isOurs()
  for (const rest of ['none', 'failed', 'silence'] as const) {
    world.answers = (name) => (name.endsWith('dns.google') ? rest : well(name))
    expect(await isOurs()).toBe(false)
  }
})

test('on a network of its own, where nobody knows these names, an answer that there is none is a sign of life', async () => {
  const { isOurs, world } = setUp()
  world.answers = () => 'none'
  expect(await isOurs()).toBe(false)
  world.answers = silent
  expect(await isOurs()).toBe(true)
})

test('without names of its own it asks for targets that resolved before, once there are two', async () => {
  const { isOurs, world, resolver } = setUp([])
  world.answers = silent
  for (const name of ['127.0.0.1', 'localhost', 'shop.corp.example', 'api.corp.example']) resolver.noteResolved(name, 0)
  expect(await isOurs()).toBe(false)
  resolver.noteResolved('nas.lan', 0)
  expect(await isOurs()).toBe(true)
  expect(new Set(world.asked)).toEqual(new Set(['api.corp.example', 'nas.lan']))
})

test('it knows whether a check that began after another got an address', () => {
  const { resolver } = setUp()
  resolver.noteResolved('shop.example', 1000)
  resolver.noteResolved('127.0.0.1', 2000)
  expect([resolver.hasResolvedSince(1000), resolver.hasResolvedSince(1001)]).toEqual([true, false])
})

test('targets that do not exist any more are down, and the resolver is not', async () => {
  const { isOurs, world, resolver } = setUp([])
  for (const name of ['shop.example', 'nas.lan']) resolver.noteResolved(name, 0)
  world.answers = () => 'none'
  expect(await isOurs()).toBe(false)
})

test('a lookup that hangs holds one thread, however often is asked', async () => {
  const { isOurs, world, time } = setUp()
  world.answers = silent
  await isOurs()
  await time.pass(60_000)
  expect(world.asked).toHaveLength(2 * NAMES.length)
})

test('a look across a standstill of this process says nothing, and is repeated', async () => {
  const { isOurs, world, resolver } = setUp()
  world.hasStalled = true
  let asked = 0
  // The first round fails.
  world.answers = (name) => ((asked += 1) <= 2 * NAMES.length ? 'failed' : well(name))
  expect([await isOurs(), resolver.outage.isOut]).toEqual([false, false])
})

test('asked for are the server, and the names of references', () => {
  const references = ['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', '10.0.0.1', 'gw.corp.example'].map((host) => ({
    host,
    port: 443,
  }))
  expect(witnessNames('dogwatch.corp.example', references)).toEqual([
    'dogwatch.corp.example',
    'one.one.one.one',
    'dns.google',
    'gw.corp.example',
  ])
  expect(witnessNames('127.0.0.1', [])).toEqual([])
  expect(witnessNames('localhost', [])).toEqual([])
})

test.each<[Partial<RunResult>, boolean]>([
  [{ kind: 'dns', failed_in: 'dns' }, true],
  [{ kind: 'timeout', failed_in: 'dns' }, true],
  [{ kind: 'timeout', failed_in: 'connect' }, false],
  [{ kind: 'refused', failed_in: 'connect' }, false],
  [{ kind: 'ok', success: true }, false],
])('%j: is it for want of an address? %p', (found, want) => {
  const none = { success: false, error: '', http_status: 0, latency_ms: 1, response_sample: '', phases: {} }
  expect(failedToResolve({ kind: 'ok', ...none, ...found })).toBe(want)
})

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

asRoot('an agent with a silent resolver holds its verdicts, says so once, and judges when it answers', async () => {
  const api = await scriptedApi()
  api.checks = [checkRow({ guid: 'a', url: 'http://shop.test:9/', interval_sec: 1, timeout_sec: 4 })]
  const server = { answers: false }
  const noNames = { has: () => server.answers, get: () => null }
  const asked = await silentNameServer(new Proxy<Record<string, string | null>>({}, noNames))
  const start = await withHosts(['127.0.0.1 ref.test'], 1)
  const place = ['--name', 'n', '--region', 'eu', '--country', 'DE', '--city', 'Kiel']
  const state_dir = `${await tempDir()}/state`
  const args = ['--server', api.url, '--state-dir', state_dir, '--references', `ref.test:${api.port}`, ...place]
  const env = { DOGWATCH_ENROLLMENT_TOKEN: 'enroll-token', UV_THREADPOOL_SIZE: '64' }
  const child = start(process.execPath, [PROGRAM, ...args], env)
  let logged = ''
  child.stderr.on('data', (piece: Buffer) => (logged += piece.toString()))
  // Once all that it logged is here.
  const ended = once(child, 'close')
  while (!logged.includes('"cannot_resolve_names"')) {
    expect([child.exitCode, child.signalCode]).toEqual([null, null])
    await Promise.race([once(child.stderr, 'data'), ended])
  }
  expect([asked.has('shop.test'), api.uploads]).toEqual([true, []])
  server.answers = true
  await api.until(() => api.uploads.flat().length > 0)
  expect(api.uploads.flat()[0]).toMatchObject({ success: false, error: 'dns: the host name does not exist' })
  child.kill('SIGTERM')
  await ended
  for (const event of ['cannot_resolve_names', 'names_resolve_again']) {
    expect(logged.split('\n').filter((line) => line.includes(`"${event}"`))).toHaveLength(1)
  }
})
