// The agent as a whole against a server: its life, and what it survives.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { startAgent, UP, worldOf } from './support/running-agent.ts'
import { checkRow, hangUp, type ScriptedApi, scriptedApi, text } from './support/scripted-api.ts'

const everySecond = (guid: string, more = {}) => checkRow({ guid, interval_sec: 1, ...more })
const uploaded = (api: ScriptedApi) => api.uploads.flat()

async function setUp() {
  const api = await scriptedApi()
  const world = await worldOf(api)
  api.checks = [everySecond('a')]
  return { api, world }
}

test('a new agent enrolls, syncs, runs, uploads and reports', async () => {
  const { api, world } = await setUp()
  const { stop } = startAgent(world)
  await api.until(() => uploaded(api).length >= 2)
  expect(await stop()).toBeUndefined()
  expect(api.enrolled).toEqual([{ name: 'n', region: 'eu', country: 'DE', city: 'Kiel' }])
  const [first, second] = uploaded(api)
  expect(first).toMatchObject({
    check_guid: 'a',
    success: true,
    http_status: 200,
    latency_ms: 5,
    response_sample: 'hello',
  })
  expect(Date.parse(second?.ran_at ?? '') - Date.parse(first?.ran_at ?? '')).toBeGreaterThan(800)
  expect(api.statuses[0]).toEqual({
    version: '0.1.0',
    uptime_sec: expect.any(Number),
    unsent_results: expect.any(Number),
  })
})

test('a restart neither enrolls again nor needs a token', async () => {
  const { api, world } = await setUp()
  const first = startAgent(world)
  await api.until(() => api.statuses.length > 0)
  await first.stop()
  world.token = undefined
  const second = startAgent(world)
  const before = uploaded(api).length
  await api.until(() => uploaded(api).length > before)
  await second.stop()
  expect(api.enrolled).toHaveLength(1)
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
}, 30_000)

test('a monitor that was reset is taken back, and what waits arrives with the new key', async () => {
  const { api, world } = await setUp()
  const { stop } = startAgent(world)
  await api.until(() => uploaded(api).length > 0)
  api.keys.clear()
  await api.until(() => api.enrolled.length === 2)
  const before = uploaded(api).length
  await api.until(() => uploaded(api).length > before)
  await stop()
  expect(api.enrolled[1]).toMatchObject({ id: '0123456789ab' })
  expect(JSON.parse(await readFile(join(world.state_dir, 'identity.json'), 'utf8'))).toMatchObject({ api_key: 'key-2' })
})

test.each([
  [401, 'the enrollment token is unknown'],
  [404, 'there is no monitor 0123456789ab'],
  [409, 'monitor 0123456789ab is still enrolled'],
])('a reset that ends in %i ends the agent with 78, and keeps what waits', async (status, words) => {
  const { api, world } = await setUp()
  const { ended } = startAgent(world)
  await api.until(() => uploaded(api).length > 0)
  api.next('POST /enroll', text(status, 'no'))
  api.keys.clear()
  expect(await ended).toMatchObject({ exitCode: 78, message: expect.stringContaining(words) })
  expect(await readdir(world.state_dir)).toEqual(expect.arrayContaining(['buffer', 'identity.json']))
})

test('an enrollment waits for a server that is not there yet', async () => {
  const { api, world } = await setUp()
  await api.close()
  const { stop } = startAgent(world)
  while (!world.logged.some((line) => line.startsWith('enroll_failed'))) await new Promise(setImmediate)
  await api.reopen()
  await api.until(() => api.enrolled.length === 1)
  await stop()
})

test('an agent that is told to end before it could enroll just ends', async () => {
  const { api, world } = await setUp()
  await api.close()
  const { stop } = startAgent(world)
  while (!world.logged.some((line) => line.startsWith('enroll_failed'))) await new Promise(setImmediate)
  expect(await stop()).toBeUndefined()
})

test('an enrollment whose answer is lost is not repeated: it may have made a monitor', async () => {
  const { api, world } = await setUp()
  api.next('POST /enroll', hangUp)
  expect(await startAgent(world).ended).toMatchObject({ exitCode: 1, message: expect.stringContaining('--monitor-id') })
  expect(api.arrived).toHaveLength(1)
})

test('an upload that is refused makes the agent ask at once what is the matter, and loses nothing', async () => {
  const { api, world } = await setUp()
  const { stop } = startAgent(world)
  await api.until(() => api.uploads.length > 0)
  api.next('POST /results', text(403, 'this monitor is disabled'))
  await api.until(() => api.arrived.filter(({ route }) => route === 'GET /checks').length === 2)
  await api.until(() => api.uploads.length > 1)
  await stop()
  const sent = api.arrived
    .filter(({ route }) => route === 'POST /results')
    .flatMap(({ body }) => JSON.parse(body).results)
  const times = uploaded(api).map(({ ran_at }) => ran_at)
  expect(times).toEqual([...new Set(sent.map(({ ran_at }) => ran_at))])
})

test('a disabled monitor runs nothing, and what it did not keep is not sent', async () => {
  const { api, world } = await setUp()
  let runs = 0
  world.runCheck = async () => {
    runs += 1
    return UP
  }
  api.next('GET /checks', text(403, 'this monitor is disabled'))
  const first = startAgent(world)
  while (!world.logged.some((line) => line.startsWith('disabled'))) await new Promise(setImmediate)
  expect(await first.stop()).toBeUndefined()
  expect([runs, api.uploads.length]).toEqual([0, 0])
})

test('a second agent on the same state directory ends, and says why', async () => {
  const { api, world } = await setUp()
  startAgent(world)
  await api.until(() => api.statuses.length > 0)
  expect(await startAgent(world).ended).toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('another dogwatch-agent is running'),
  })
  expect(api.enrolled).toHaveLength(1)
})

test('nothing of a private definition leaves the machine, and a change of it needs no restart', async () => {
  const { api, world } = await setUp()
  api.checks = [everySecond('p', { url: '' })]
  const path = join(world.state_dir, '..', 'definitions.json')
  const define = (match_string: string) =>
    writeFile(path, JSON.stringify({ p: { url: 'http://vault.internal.example/', match_string } }), { mode: 0o600 })
  await define('sealed')
  const ran: string[] = []
  world.settings = { definitions: path, 'metrics-port': '0' }
  world.runCheck = async (check) => {
    ran.push(check.match_string)
    const error = 'match: vault.internal.example does not say sealed'
    return { ...UP, kind: 'match', success: false, error, response_sample: 'vault open', address: '10.0.0.5' }
  }
  const { agent, stop } = startAgent(world)
  await api.until(() => uploaded(api).length > 0)
  await define('unsealed')
  agent.reload()
  const seen = uploaded(api).length
  await api.until(() => uploaded(api).length > seen + 1)
  await stop()
  expect([ran[0], ran.at(-1)]).toEqual(['sealed', 'unsealed'])
  expect(uploaded(api)[0]).toMatchObject({ success: false, error: 'match' })
  const told = [JSON.stringify(api.arrived), ...world.logged]
  for (const name of await readdir(world.state_dir, { recursive: true })) {
    told.push(await readFile(join(world.state_dir, name), 'latin1').catch(() => ''))
  }
  expect(told.filter((line) => /vault|sealed|10\.0\.0\.5/.test(line))).toEqual([])
})

test('definitions that cannot be right stop the start before anybody is asked', async () => {
  const { api, world } = await setUp()
  const path = join(world.state_dir, '..', 'definitions.json')
  await writeFile(path, '{"p":{}}', { mode: 0o600 })
  world.settings = { definitions: path }
  expect(await startAgent(world).ended).toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('p: url is missing'),
  })
  expect(api.arrived).toEqual([])
})
