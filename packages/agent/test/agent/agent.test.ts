// The agent as a whole against a server: its life, and what it survives.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '@dogwatch/monitor-sdk'
import { slotNumberAt, turnOf } from '@dogwatch/monitor-sdk/agent'
import { expect, test } from '@jest/globals'
import { RECLAIM_AFTER_MS } from '../../src/identity/key-refusal.ts'
import { startAgent, UP, type World, worldOf } from './support/running-agent.ts'
import {
  checkRow,
  FOREIGN,
  hangUp,
  json,
  type ScriptedApi,
  scriptedApi,
  serverTime,
  text,
} from './support/scripted-api.ts'
import { until } from './support/until.ts'

const everySecond = (guid: string, more = {}) => checkRow({ guid, interval_sec: 1, ...more })
const uploaded = (api: ScriptedApi) => api.uploads.flat()

async function setUp() {
  const api = await scriptedApi()
  const world = await worldOf(api)
  api.checks = [everySecond('a')]
  return { api, world }
}

/** The number of the slot in which a result ran. The agent's clock may be easing, by a twentieth of the time of a run. */
const slotOf = (result?: Result) => slotNumberAt(turnOf(everySecond('a')), Date.parse(result?.ran_at ?? '') + 100)

test('a new agent enrolls, syncs, runs, uploads and reports', async () => {
  const { api, world } = await setUp()
  const { stop } = startAgent(world)
  await api.until(() => uploaded(api).length >= 2)
  expect(await stop()).toBeUndefined()
  expect(api.enrolled).toEqual([
    { name: 'n', region: 'eu', country: 'DE', city: 'Kiel', abilities: expect.arrayContaining(['http', 'tcp', 'tls']) },
  ])
  const [first, second] = uploaded(api)
  const slots = [first, second].map(slotOf)
  expect(slots[1]).toBeGreaterThan(slots[0] ?? Number.NaN)
  expect(first).toMatchObject({
    check_guid: 'a',
    success: true,
    http_status: 200,
    latency_ms: 5,
    response_sample: 'hello',
  })
  expect(api.statuses[0]).toEqual({
    version: '0.1.0',
    uptime_sec: expect.any(Number),
    unsent_results: expect.any(Number),
    sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    abilities: expect.arrayContaining(['http', 'tcp', 'tls']),
  })
})

test('results are dated on the server’s time from the first one on, and a restart keeps it', async () => {
  const { api, world } = await setUp()
  const ahead_ms = 2 * 3_600_000
  const told = () => json({ checks: api.checks, server_time: serverTime(), now: serverTime(Date.now() + ahead_ms) })
  api.next(
    'GET /checks',
    (res, arrived) => told()(res, arrived),
    (res, arrived) => told()(res, arrived),
  )
  const began = performance.now()
  const { stop } = startAgent(world)
  await api.until(() => uploaded(api).length >= 1)
  await stop()
  for (const { ran_at } of uploaded(api)) {
    expect(Math.abs(Date.parse(ran_at) - Date.now() - ahead_ms)).toBeLessThan(20_000)
  }
  const saved = JSON.parse(await readFile(join(world.state_dir, 'checks.json'), 'utf8'))
  expect(saved).toMatchObject({ tells_now: true, clock_ahead_ms: expect.any(Number) })
  // The two differ by at most the time that the responses took.
  expect(Math.abs(saved.clock_ahead_ms - ahead_ms)).toBeLessThan(Math.max(1000, performance.now() - began))
})

test('the end waits for runs under way, uploads what they found and says goodbye', async () => {
  const { api, world } = await setUp()
  let release = (): void => undefined
  const begun = new Promise<void>((begin) => {
    world.runCheck = async () => {
      begin()
      await new Promise<void>((resolve) => (release = resolve))
      return UP
    }
  })
  const { stop } = startAgent(world)
  await begun
  const ended = stop()
  release()
  expect(await ended).toBeUndefined()
  expect(uploaded(api)).toHaveLength(1)
  expect(api.statuses.at(-1)).toMatchObject({ unsent_results: 0 })
  expect(api.arrived.slice(-2).map(({ route }) => route)).toEqual(['POST /results', 'POST /status'])
})

test('without network the last set goes on after a restart, and everything arrives later, once and in order', async () => {
  const { api, world } = await setUp()
  const first = startAgent(world)
  await api.until(() => uploaded(api).length > 0)
  await first.stop()
  api.uploads.splice(0)
  await api.close()
  let runs = 0
  const enough = new Promise<void>((resolve) => {
    world.runCheck = async () => {
      runs += 1
      if (runs === 3) resolve()
      return UP
    }
  })
  const offline = startAgent(world)
  await enough
  await offline.stop()
  await api.reopen()
  const online = startAgent(world)
  await api.until(() => uploaded(api).length >= 3)
  await online.stop()
  const times = uploaded(api).map(({ ran_at }) => ran_at)
  expect(times).toEqual([...new Set(times)].sort())
  expect(times).toHaveLength(runs)
})

test('what ran by a clock that was 2 h ahead, while no server told the time, is sent with that clock', async () => {
  const { api, world } = await setUp()
  const first = startAgent(world)
  await api.until(() => uploaded(api).length > 0)
  await first.stop()
  await api.close()
  api.uploads.splice(0)
  api.arrived.splice(0)
  const ahead_ms = 2 * 3_600_000
  world.ahead_ms = ahead_ms
  let runs = 0
  world.runCheck = async () => {
    runs += 1
    return UP
  }
  const { agent, stop } = startAgent(world)
  await until(() => runs >= 3)
  // Until then no upload tells the server what the clock was.
  api.next('POST /results', ...Array(30).fill(hangUp))
  await api.reopen()
  const syncing = setInterval(() => agent.syncNow(), 100)
  await until(() => world.logged.some((line) => line.startsWith('clock_set')))
  const before = runs
  clearInterval(syncing)
  await until(() => runs > before)
  api.forget('POST /results')
  await api.until(() => uploaded(api).length > before)
  await stop()
  const bodies = api.arrived.filter(({ route }) => route === 'POST /results').map(({ body }) => JSON.parse(body))
  for (const { sent_at, results } of bodies) {
    for (const { ran_at } of results) {
      const late_ms = Date.parse(sent_at) - Date.parse(ran_at)
      expect(Math.abs(late_ms - 60_000)).toBeLessThanOrEqual(60_000)
    }
  }
})

const refusals = (world: World) => world.logged.filter((line) => line.startsWith('key_refused'))

/** Refuses the key of the agent for so long that a monitor with a token takes its place back. */
async function reset(api: ScriptedApi, world: World): Promise<void> {
  api.keys.clear()
  await api.until(() => refusals(world).length > 0)
  world.passed_ms += RECLAIM_AFTER_MS
}

async function enrolled(api: ScriptedApi, world: World): Promise<void> {
  const { stop } = startAgent(world)
  await api.until(() => api.enrolled.length === 1)
  await stop()
}

const syncsOf = (api: ScriptedApi) => api.arrived.filter(({ route }) => route === 'GET /checks').length

test.each([['enroll-token'], [undefined]])(
  'a key that is refused stops the uploads and nothing else, with the token %p',
  async (token) => {
    const { api, world } = await setUp()
    await enrolled(api, world)
    world.token = token
    world.key_wait_max_ms = 500
    let runs = 0
    world.runCheck = async () => {
      runs += 1
      return UP
    }
    const { stop } = startAgent(world)
    await api.until(() => uploaded(api).length > 0)
    const keys = [...api.keys]
    api.keys.clear()
    await api.until(() => refusals(world).length > 0)
    const [before, { length }, syncs] = [runs, api.arrived, syncsOf(api)]
    await api.until(() => syncsOf(api) > syncs + 1)
    await until(() => runs >= before + 3)
    // One upload may have been under way.
    const asked = api.arrived.slice(length).filter(({ route }) => route !== 'GET /checks')
    expect(asked.length).toBeLessThanOrEqual(1)
    for (const key of keys) api.keys.add(key)
    await api.until(() => uploaded(api).length >= before + 3)
    await stop()
    expect(uploaded(api)).toHaveLength(runs)
    expect(api.enrolled).toHaveLength(1)
  },
)

test('a key that is refused is no reason to stop at a restart, either', async () => {
  const { api, world } = await setUp()
  const first = startAgent(world)
  await api.until(() => uploaded(api).length > 0)
  await first.stop()
  api.keys.clear()
  world.token = undefined
  let runs = 0
  world.runCheck = async () => {
    runs += 1
    return UP
  }
  const { stop } = startAgent(world)
  await until(() => runs >= 2)
  expect(await stop()).toBeUndefined()
  expect(refusals(world)[0]).toMatch(/"refused_sec":0,"wait_ms":2000,"buffered":\d/)
})

/** Refuses the key from now on, and has time pass with each attempt. */
function refuseFor(api: ScriptedApi, world: World, step_ms: number, except?: () => boolean): void {
  const answer = (...[res, arrived]: Parameters<typeof hangUp>): void => {
    api.next('GET /checks', answer)
    world.passed_ms += step_ms
    if (except?.()) text(503, 'overloaded')(res, arrived)
    else text(401, 'unknown API key')(res, arrived)
  }
  api.next('GET /checks', answer)
}

test('without a token only a key that is refused at every attempt of a day ends the agent, with 78', async () => {
  const { api, world } = await setUp()
  await enrolled(api, world)
  world.token = undefined
  world.key_wait_max_ms = 5
  refuseFor(api, world, 10 * 60_000)
  const syncs = syncsOf(api)
  const { ended } = startAgent(world)
  expect(await ended).toMatchObject({ exitCode: 78, message: expect.stringContaining('is no longer valid') })
  expect(syncsOf(api) - syncs).toBeGreaterThanOrEqual(144)
})

test.each([
  [401, 'the enrollment token is unknown'],
  [404, 'monitor 0123456789ab does not exist'],
  [409, 'monitor 0123456789ab is still enrolled'],
])(
  'a server that knows neither key nor monitor for a while (%i) ends no agent; one that does for a day does',
  async (status, words) => {
    const { api, world } = await setUp()
    await enrolled(api, world)
    world.key_wait_max_ms = 5
    const enroll = (...[res, arrived]: Parameters<typeof hangUp>): void => {
      api.next('POST /enroll', enroll)
      text(status, 'no')(res, arrived)
    }
    api.next('POST /enroll', enroll)
    refuseFor(api, world, 10 * 60_000)
    const { ended } = startAgent(world)
    expect(await ended).toMatchObject({ exitCode: 78, message: expect.stringContaining(words) })
    const reclaims = api.arrived.filter(({ route }) => route === 'POST /enroll').slice(1)
    expect(reclaims.length).toBeGreaterThanOrEqual(140)
    expect(new Set(reclaims.map(({ body }) => JSON.parse(body).id))).toEqual(new Set(['0123456789ab']))
    expect(await readdir(world.state_dir)).toEqual(expect.arrayContaining(['buffer', 'identity.json']))
  },
)

test('after a restart nothing is run before the server has told the time, nor uploaded before it has told the checks', async () => {
  const { api, world } = await setUp()
  const first = startAgent(world)
  await api.until(() => uploaded(api).length > 0)
  api.next('POST /results', ...Array(3).fill(text(503, 'overloaded')))
  await first.stop()
  let runs = 0
  world.runCheck = async () => {
    runs += 1
    return UP
  }
  const before: number[] = []
  const uploads = api.uploads.length
  api.forget('POST /results')
  // The check has a slot each second, and the answer takes longer.
  api.next('GET /checks', (res, arrived) => {
    setTimeout(() => {
      before.push(runs, api.uploads.length - uploads)
      json({ checks: api.checks, server_time: serverTime() })(res, arrived)
    }, 1500)
  })
  const { stop } = startAgent(world)
  await api.until(() => api.uploads.length > uploads)
  await until(() => runs > 0)
  await stop()
  expect(before).toEqual([0, 0])
})

test('a monitor that was reset is taken back, and what waits arrives with the new key', async () => {
  const { api, world } = await setUp()
  const { stop } = startAgent(world)
  await api.until(() => uploaded(api).length > 0)
  await reset(api, world)
  await api.until(() => api.enrolled.length === 2)
  const before = uploaded(api).length
  await api.until(() => uploaded(api).length > before)
  await stop()
  expect(api.enrolled[1]).toMatchObject({ id: '0123456789ab' })
  expect(JSON.parse(await readFile(join(world.state_dir, 'identity.json'), 'utf8'))).toMatchObject({ api_key: 'key-2' })
})

test('a place that cannot be taken back at first is taken back later', async () => {
  const { api, world } = await setUp()
  await enrolled(api, world)
  world.key_wait_max_ms = 20
  api.next('POST /enroll', text(401, 'no'), text(404, 'no'), text(409, 'no'), text(503, 'no'), hangUp)
  const { stop } = startAgent(world)
  await api.until(() => uploaded(api).length > 0)
  await reset(api, world)
  await api.until(() => api.enrolled.length === 2)
  const before = uploaded(api).length
  await api.until(() => uploaded(api).length > before)
  expect(await stop()).toBeUndefined()
  expect(api.enrolled[1]).toMatchObject({ id: '0123456789ab' })
})

test('whatever answers in the place of the server, an agent enrolls once it is there', async () => {
  const { api, world } = await setUp()
  api.next(
    'POST /enroll',
    ...['401 with a page', 'a redirect', '200 with a page'].map((name) => FOREIGN[name] ?? hangUp),
  )
  const { stop } = startAgent(world)
  await api.until(() => api.enrolled.length === 1)
  await stop()
  expect(world.logged.filter((line) => line.startsWith('enroll_failed'))).toHaveLength(3)
})

test('an enrollment waits for a server that is not there yet', async () => {
  const { api, world } = await setUp()
  await api.close()
  const { stop } = startAgent(world)
  await until(() => world.logged.some((line) => line.startsWith('enroll_failed')))
  await api.reopen()
  await api.until(() => api.enrolled.length === 1)
  await stop()
})

test('an agent that is told to end before it could enroll just ends', async () => {
  const { api, world } = await setUp()
  await api.close()
  const { stop } = startAgent(world)
  await until(() => world.logged.some((line) => line.startsWith('enroll_failed')))
  expect(await stop()).toBeUndefined()
})

test('an enrollment whose answer is lost is not repeated: it may have made a monitor', async () => {
  const { api, world } = await setUp()
  api.next('POST /enroll', hangUp)
  expect(await startAgent(world).ended).toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('--monitor-id'),
  })
  expect(api.arrived).toHaveLength(1)
})

test('a server that fails is asked to enroll again, by the same agent and not at once', async () => {
  const { api, world } = await setUp()
  api.next('POST /enroll', text(500, 'internal server error'), text(502, 'bad gateway'))
  const { stop } = startAgent(world)
  await api.until(() => api.enrolled.length === 1)
  await stop()
  expect(world.logged.filter((line) => line.startsWith('enroll_failed'))).toHaveLength(2)
})

test('an upload that is refused makes the agent ask at once what is the matter, and loses nothing', async () => {
  const { api, world } = await setUp()
  const { stop } = startAgent(world)
  await api.until(() => api.uploads.length > 0)
  const syncs = syncsOf(api)
  api.next('POST /results', text(403, 'this monitor is disabled'))
  await api.until(() => syncsOf(api) > syncs)
  await api.until(() => api.uploads.length > 1)
  await stop()
  const sent = api.arrived
    .filter(({ route }) => route === 'POST /results')
    .flatMap(({ body }) => JSON.parse(body).results)
  const times = uploaded(api).map(({ ran_at }) => ran_at)
  expect(times).toEqual([...new Set(sent.map(({ ran_at }) => ran_at))])
})

test('a second agent on the same state directory ends, says why, and touches nothing there', async () => {
  const { api, world } = await setUp()
  startAgent(world)
  await api.until(() => api.statuses.length > 0)
  const draft = join(world.state_dir, 'checks.json.0a1b2c3d4e5f.tmp')
  await writeFile(draft, 'the first one is at it')
  expect(await startAgent(world).ended).toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('another dogwatch-agent is already using this state directory'),
  })
  expect(await readFile(draft, 'utf8')).toBe('the first one is at it')
  expect(api.enrolled).toHaveLength(1)
})

test('definitions that cannot be right stop the start before anybody is asked', async () => {
  const { api, world } = await setUp()
  const path = join(world.state_dir, '..', 'definitions.json')
  await writeFile(path, '{"p":{}}', { mode: 0o600 })
  world.settings = { definitions: path }
  expect(await startAgent(world).ended).toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('p: url is required'),
  })
  expect(api.arrived).toEqual([])
})
