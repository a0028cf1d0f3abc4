// Names whose servers are silent hold up nobody else.
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Result } from '@dogwatch/monitor-sdk'
import { expect, test } from '@jest/globals'
import { fewLookupThreads } from '../../src/process/lookup-threads.ts'
import { ok, serveHttp } from '../support/servers.ts'
import { asRoot } from './support/as-root.ts'
import { silentNameServer, withHosts } from './support/names.ts'
import { checkRow, scriptedApi } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const HEALTHY = 'healthy.test'
const SILENT = Array.from({ length: 8 }, (_, n) => `silent-${n}.test`)

test.each([
  [undefined, 4],
  ['', 4],
  ['8', 8],
  ['many', 1],
  ['0', 1],
])('UV_THREADPOOL_SIZE=%s is too few, and told', (size, threads) => {
  expect(fewLookupThreads({ UV_THREADPOOL_SIZE: size })).toMatchObject({ event: 'few_lookup_threads', threads })
})

test('64 threads are enough', () => {
  expect(fewLookupThreads({ UV_THREADPOOL_SIZE: '64' })).toBeUndefined()
})

/** An agent with eight checks of names that nobody answers for, and one that is well and has so many seconds. */
async function agentAmongSilence(env: Record<string, string>, healthy_sec: number) {
  const dir = await tempDir()
  const asked = await silentNameServer()
  const start = await withHosts(['127.0.0.1 localhost', `127.0.0.1 ${HEALTHY}`])
  const api = await scriptedApi()
  const { port } = new URL(await serveHttp(ok))
  api.checks = [HEALTHY, ...SILENT].map((name) =>
    checkRow({
      guid: name,
      interval_sec: 1,
      timeout_sec: name === HEALTHY ? healthy_sec : 10,
      url: `http://${name}:${port}/`,
    }),
  )
  const place = ['--name', 'n', '--region', 'eu', '--country', 'DE', '--city', 'Kiel', '--connectivity', 'off']
  const child = start(process.execPath, [PROGRAM, '--state-dir', join(dir, 'state'), ...place], {
    DOGWATCH_AGENT_SERVER: api.url,
    DOGWATCH_ENROLLMENT_TOKEN: 'enroll-token',
    ...env,
  })
  const said = textOf(child.stderr)
  const end = () => {
    child.kill('SIGKILL')
    return said
  }
  return { asked, healthy: () => api.uploads.flat().filter(({ check_guid }) => check_guid === HEALTHY), api, end }
}

asRoot('the command takes threads enough: 8 silent names are waited for, and a healthy one is up', async () => {
  const { asked, healthy, api, end } = await agentAmongSilence({}, 10)
  await api.until(() => asked.size === SILENT.length && healthy().length > 0)
  const before = healthy().length
  await api.until(() => healthy().length > before + 1)
  expect(healthy().map(({ success }) => success)).toEqual(healthy().map(() => true))
  expect(await end()).not.toContain('few_lookup_threads')
})

asRoot('with the four that Node has the healthy one is looked up or left out, and the log says why', async () => {
  const { healthy, api, end } = await agentAmongSilence({ UV_THREADPOOL_SIZE: '4' }, 5)
  const isSilent = ({ check_guid }: Result) => check_guid !== HEALTHY
  await api.until(() => api.uploads.flat().some(isSilent))
  expect(healthy().map(({ success }) => success)).toEqual(healthy().map(() => true))
  expect(api.uploads.flat().find(isSilent)?.error).toBe('timeout: while looking up the name')
  const said = await end()
  expect(said).toMatch(/"threads":4,.*"event":"few_lookup_threads"/)
  expect(said).toMatch(/"why":"lookup_queue","event":"own_trouble"/)
})
