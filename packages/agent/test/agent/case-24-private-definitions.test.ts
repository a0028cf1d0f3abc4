// Case 24 of what an agent is held to: a check whose definition never leaves its machine, against real targets.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '@dogwatch/monitor-sdk'
import { slotNumberAt, turnOf } from '@dogwatch/monitor-sdk/agent'
import { expect, test } from '@jest/globals'
import { runCheck } from '../../src/run/run-check.ts'
import { closedPort, serveHttp } from '../support/servers.ts'
import { startAgent, worldOf } from './support/running-agent.ts'
import { askAgain, checkRow, scriptedApi } from './support/scripted-api.ts'

const SECRET = 'the-vault-is-open'

/** An agent with a blank row `p` and a public check `q`, both each second, and a file of definitions. */
async function setUp() {
  const api = await scriptedApi()
  const world = await worldOf(api)
  const path = join(world.state_dir, '..', 'definitions.json')
  world.settings = { definitions: path }
  world.runCheck = runCheck
  const asked: string[] = []
  const target = await serveHttp((req, res) => {
    asked.push(req.url ?? '')
    res.end(req.url === '/public' ? 'all is well' : `${SECRET}: well`)
  })
  api.checks = [
    checkRow({ guid: 'p', url: '', interval_sec: 1, timeout_sec: 5 }),
    checkRow({ guid: 'q', url: `${target}/public`, interval_sec: 1 }),
  ]
  const define = (definitions: unknown) => writeFile(path, JSON.stringify(definitions), { mode: 0o600 })
  const of = (guid: string) => api.uploads.flat().filter(({ check_guid }) => check_guid === guid)
  const more = async (guid: string, count: number, holds: (result: Result) => boolean = () => true) => {
    const before = of(guid).length
    await api.until(() => of(guid).slice(before).filter(holds).length >= count)
  }
  return { api, world, target, asked, define, of, more }
}

test('a blank row with an entry here runs the content from here on the schedule of the server', async () => {
  const { api, world, target, asked, define, of, more } = await setUp()
  await define({ p: { url: `${target}/private?key=${SECRET}`, match_string: 'well' } })
  startAgent(world)
  await more('p', 3)
  expect(of('p')[0]).toMatchObject({ success: true, http_status: 200 })
  expect(asked.filter((url) => url === `/private?key=${SECRET}`).length).toBeGreaterThanOrEqual(3)
  // One run in each slot of a second, none of them twice. The agent's clock may be easing, by a twentieth of the time of a run.
  const turn = turnOf({ guid: 'p', interval_sec: 1 })
  const slots = of('p').map(({ ran_at }) => slotNumberAt(turn, Date.parse(ran_at) + 100))
  expect(slots).toEqual([...new Set(slots)])
  expect(JSON.stringify(api.arrived)).not.toContain(SECRET)
})

test('a blank row without an entry is not run and leaves no result, and that is told once', async () => {
  const { world, define, of, more } = await setUp()
  await define({})
  startAgent(world)
  await more('q', 3)
  expect(of('p')).toEqual([])
  expect(world.logged.filter((line) => line.startsWith('no_definition'))).toEqual(['no_definition {"check":"p"}'])
})

test('a delta for the row changes its schedule and keeps the content from here', async () => {
  const { api, world, target, define, of, more } = await setUp()
  await define({ p: { url: `${target}/private`, match_string: SECRET } })
  startAgent(world)
  await more('p', 1)
  api.checks = [checkRow({ guid: 'p', url: '', interval_sec: 2, result_detail_max_chars: 0 })]
  await askAgain(api)
  // What ran by the old schedule may still be on its way.
  const slower = () => {
    const times = of('p').map(({ ran_at }) => Date.parse(ran_at))
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0))
    return gaps.length >= 2 && gaps.slice(-2).every((gap) => gap > 1500)
  }
  await api.until(slower)
  expect(of('p').every(({ success }) => success)).toBe(true)
})

test('an edit of the file takes effect without a restart', async () => {
  const { world, target, define, more } = await setUp()
  await define({ p: { url: `${target}/private`, match_string: 'well' } })
  const { agent } = startAgent(world)
  await more('p', 1, ({ success }) => success)
  await define({ p: { url: `${target}/private`, match_string: 'ill' } })
  agent.reload()
  await more('p', 1, ({ success }) => !success)
  // Nobody has to say so.
  await define({ p: { url: `${target}/private` } })
  await more('p', 1, ({ success }) => success)
})

test.each([
  ['refused', async () => ({ url: `http://127.0.0.1:${await closedPort()}/${SECRET}` })],
  ['match', async (target: string) => ({ url: `${target}/${SECRET}`, match_string: `${SECRET} is sealed` })],
])('of a failure its kind alone leaves the machine: %s, without host, address or content', async (kind, failing) => {
  const { api, world, target, define, of, more } = await setUp()
  const definition = await failing(target)
  await define({ p: definition })
  const { stop } = startAgent(world)
  await more('p', 1)
  await stop()
  expect(of('p')[0]).toMatchObject({ success: false, error: kind })
  expect(of('p')[0]).not.toHaveProperty('response_sample')
  const told = [...api.arrived.map(({ body }) => body), ...world.logged]
  for (const name of await readdir(world.state_dir, { recursive: true })) {
    told.push(await readFile(join(world.state_dir, name), 'latin1').catch(() => ''))
  }
  const all = told.join('\n')
  // The digits of the port may be a part of a longer number, such as a time.
  const numbers: readonly string[] = all.match(/\d+/g) ?? []
  const ports = kind === 'refused' ? [new URL(definition.url).port] : []
  const found = [SECRET, definition.url].filter((part) => all.includes(part))
  expect([...found, ...ports.filter((port) => numbers.includes(port))]).toEqual([])
})
