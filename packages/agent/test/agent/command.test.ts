// The command as people and service managers use it: the built program in a process of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { writeFile } from 'node:fs/promises'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { saveChecks } from '../../src/check-set.ts'
import { checkRow, scriptedApi, text } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

beforeAll(() => {
  if (!existsSync(PROGRAM)) throw new Error('nothing is built: run node_modules/.bin/tsc -b packages/agent')
})

const ending: (() => void)[] = []
afterEach(() => ending.splice(0).forEach((end) => end()))

function start(args: readonly string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  ending.push(() => child.kill('SIGKILL'))
  const outcome = Promise.all([once(child, 'exit'), textOf(child.stdout), textOf(child.stderr)]).then(
    ([[code], out, err]) => ({ code: code as number | null, out, err }),
  )
  return { child, outcome }
}

const run = (...args: string[]) => start(args).outcome
const place = ['--name', 'n', '--region', 'eu', '--country', 'DE', '--city', 'Kiel']

test('settings that cannot be right end it with 2 and one message', async () => {
  const { code, out, err } = await run('--server', 'nowhere')
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(/^dogwatch-agent: these settings cannot be right:\n {2}--server .*\n {2}--state-dir /)
  expect((await run('--nonsense')).code).toBe(2)
})

test('a file of definitions is looked through, without repeating any of it', async () => {
  const file = join(await tempDir(), 'definitions.json')
  await writeFile(file, '{"a":{"url":"tcp://vault:1"}}', { mode: 0o600 })
  expect(await run('definitions', 'validate', file)).toEqual({ code: 0, out: '{\n  "definitions": 1\n}\n', err: '' })
  await writeFile(file, '{"a":{"url":"vault"}}')
  const { code, err } = await run('definitions', 'validate', file)
  expect(code).toBe(1)
  expect(err).toContain('a: the url must begin with')
  expect(err).not.toContain('vault')
})

test('a file of definitions is compared with the last sync', async () => {
  const dir = await tempDir()
  const file = join(dir, 'definitions.json')
  await writeFile(file, '{"b":{"url":"tcp://vault:1"}}', { mode: 0o600 })
  expect((await run('definitions', 'diff', file, '--state-dir', dir)).code).toBe(1)
  const saved_at = '2026-11-20T10:00:00.000Z'
  await saveChecks(dir, { saved_at, clock_ahead_ms: 0, checks: [checkRow({ guid: 'a', url: '' })] })
  const { code, out } = await run('definitions', 'diff', file, '--state-dir', dir)
  expect(code).toBe(0)
  expect(JSON.parse(out)).toEqual({ synced_at: saved_at, waiting: ['a'], unmatched: ['b'], not_private: [] })
})

test('a token that the server does not know ends it with 78', async () => {
  const [api, dir] = [await scriptedApi(), await tempDir()]
  api.next('POST /enroll', text(401, 'unknown enrollment token'))
  const token = join(dir, 'token')
  await writeFile(token, 'enroll-token\n')
  const flags = ['--server', api.url, '--state-dir', join(dir, 'state'), '--enrollment-token-file', token, ...place]
  const { code, err } = await start(flags).outcome
  expect([code, api.arrived[0]?.token]).toEqual([78, 'enroll-token'])
  expect(err).toContain('the enrollment token is unknown, revoked or expired')
})

test('it watches a target, keeps its process through everything, and ends with 0 on SIGTERM', async () => {
  const [api, dir] = [await scriptedApi(), await tempDir()]
  const site = createServer((_, res) => res.end('all is well'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  ending.push(() => site.close())
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  api.checks = [checkRow({ guid: 'a', interval_sec: 1, url, match_string: 'well' })]
  const { child, outcome } = start([...place, '--connectivity', 'off'], {
    DOGWATCH_AGENT_SERVER: api.url,
    DOGWATCH_AGENT_STATE_DIR: join(dir, 'state'),
    DOGWATCH_ENROLLMENT_TOKEN: 'enroll-token',
  })
  await api.until(() => api.uploads.length > 1)
  child.kill('SIGHUP')
  child.kill('SIGTERM')
  const { code, err } = await outcome
  expect([code, err.includes('"event":"stopped"')]).toEqual([0, true])
  expect(api.uploads.flat()[0]).toMatchObject({ check_guid: 'a', success: true, http_status: 200 })
  expect(err).not.toMatch(/enroll-token|key-1|Warning/)
})

test('a check is tried by hand: 0 is healthy, 1 is not, 2 is no check', async () => {
  const site = createServer((_, res) => res.end('all is well'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  ending.push(() => site.close())
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  const healthy = await run('run-once', url, '--json')
  expect([healthy.code, JSON.parse(healthy.out)]).toEqual([0, expect.objectContaining({ success: true })])
  expect((await run('--public-targets-only', 'run-once', url)).code).toBe(1)
  expect(await run('run-once', 'nowhere')).toMatchObject({ code: 2, out: '' })
})
