// A member of a shared fleet dials no address that is not public, whatever it was started with.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runCheck } from '../../src/run/run-check.ts'
import type { RunResult } from '../../src/run/run-result.ts'
import { serveHttp } from '../support/servers.ts'
import { startAgent, worldOf } from './support/running-agent.ts'
import { askAgain, checkRow, scriptedApi } from './support/scripted-api.ts'

/** An agent that was started without --public-targets-only, with a check of this machine each second. */
async function setUp() {
  const api = await scriptedApi()
  const world = await worldOf(api)
  let asked = 0
  const target = await serveHttp((_req, res) => {
    asked += 1
    res.end('internal')
  })
  const found: RunResult[] = []
  let next = (): void => undefined
  world.runCheck = async (check, options) => {
    const result = await runCheck(check, options)
    found.push(result)
    next()
    return result
  }
  api.checks = [checkRow({ guid: 'a', url: target, interval_sec: 1 })]
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      next = () => holds() && resolve()
      next()
    })
  const identity = async () =>
    JSON.parse(await readFile(join(world.state_dir, 'identity.json'), 'utf8')) as Record<string, unknown>
  return { api, world, found, until, identity, asked: () => asked }
}

test('an agent that enrolled earlier hears it at a sync, and keeps to it after a restart without the server', async () => {
  const { api, world, found, until, identity, asked } = await setUp()
  const first = startAgent(world)
  await api.until(() => api.uploads.flat().some(({ success }) => success))
  expect(await identity()).not.toHaveProperty('class')
  api.monitor_class = 'shared'
  await askAgain(api)
  await until(() => found.at(-1)?.success === false)
  expect(found.at(-1)).toMatchObject({ success: false, http_status: 0 })
  expect(await identity()).toMatchObject({ class: 'shared', monitor_id: '0123456789ab', api_key: 'key-1' })
  await first.stop()
  await api.close()
  const [runs, before] = [found.length, asked()]
  startAgent(world)
  await until(() => found.length > runs + 1)
  expect(found.slice(runs).map(({ success }) => success)).not.toContain(true)
  expect(asked()).toBe(before)
})

test('an agent that enrolls into a shared fleet dials none from the first run on, and a private one may', async () => {
  const { api, world, found, until, identity, asked } = await setUp()
  api.monitor_class = 'shared'
  const first = startAgent(world)
  await until(() => found.length > 0)
  expect(await identity()).toMatchObject({ class: 'shared' })
  expect([found[0]?.success, asked()]).toEqual([false, 0])
  // Its monitor was given to an organisation: it hears that, too.
  api.monitor_class = 'private'
  await askAgain(api)
  await until(() => found.at(-1)?.success === true)
  await first.stop()
})
