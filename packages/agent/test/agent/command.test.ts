// The command as people and service managers use it: the program as a server hands it out, in a process of its own.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { AGENT_ENVIRONMENT, AGENT_FLAGS } from '../../bin/node-flags.js'
import { saveChecks } from '../../src/sync/check-set.ts'
import { putShippedAgent } from '../conformance/support/shipped-agent.ts'
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts'
import { closedPort, serveHttp } from '../support/servers.ts'
import { checkRow, scriptedApi, text } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'
import { until } from './support/until.ts'

let folder: string
let program: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-shipped-'))
  program = await putShippedAgent(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

const ending: (() => void)[] = []
afterEach(() => ending.splice(0).forEach((end) => end()))

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...CHILD_ENVIRONMENT, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  ending.push(() => child.kill('SIGKILL'))
  child.stdin.on('error', () => {})
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
  expect(err).toMatch(/^dogwatch-agent: invalid settings:\n {2}--server .*\n {2}--state-dir /)
})

test.each([
  [['--nonsense'], "unknown option '--nonsense'"],
  [['run-onse', 'http://x'], 'unknown command run-onse; see --help'],
  [['run-once'], "missing required argument 'url'"],
  [['definitions', 'diff', 'x'], "required option '--state-dir <DIR>' not specified"],
  [['run-once', 'tcp://vault'], 'the url must have the form tcp://host:port'],
])('%j is a slip of the pen: 2, and one line that says which', async (args, words) => {
  const { code, out, err } = await run(...args)
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(/^dogwatch-agent( run-once)?: .*\n$/)
  expect(err).toContain(words)
})

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

;(hasScript ? test : test.skip).each([
  ['text on a terminal', {}, /^\d\d:\d\d:\d\d WARN {2}enroll failed /m],
  ['JSON where LOG_FORMAT says so', { LOG_FORMAT: 'json' }, /^\{"level":40,"time":\d+,.*"event":"enroll_failed"\}/m],
])('the log is %s', async (_, env, line) => {
  const server = ['--server', `http://127.0.0.1:${await closedPort()}`, '--state-dir', await tempDir(), ...place]
  const child = spawn('script', ['-qefc', [process.execPath, program, ...server].join(' '), '/dev/null'], {
    env: { ...CHILD_ENVIRONMENT, DOGWATCH_ENROLLMENT_TOKEN: 'dogwatch_enroll_x', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  ending.push(() => child.kill('SIGKILL'))
  let shown = ''
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  await until(() => line.test(shown))
  expect(shown).not.toContain('dogwatch_enroll_x')
})

test('what was written elsewhere does not steer the terminal', async () => {
  const [file, url] = [join(await tempDir(), 'definitions.json'), `http://127.0.0.1:${await closedPort()}/\u001b[31m`]
  await writeFile(file, JSON.stringify({ '\u001b[31m': {} }), { mode: 0o600 })
  const [{ out }, { err }] = [await run('run-once', url), await run('definitions', 'validate', file)]
  expect(out + err).toContain('\uFFFD[31m')
  expect(out + err).not.toContain('\u001b')
})

test('a pipe is no file of definitions, and is not waited for', async () => {
  const pipe = join(await tempDir(), 'pipe')
  spawnSync('mkfifo', ['-m', '600', pipe])
  expect(await run('definitions', 'validate', pipe)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not a regular file'),
  })
})

test('a file that hangs, as one on a dead mount does, keeps the agent neither running nor from ending', async () => {
  const [api, dir] = [await scriptedApi(), await tempDir()]
  const [pipe, state_dir] = [join(dir, 'pipe'), join(dir, 'state')]
  spawnSync('mkfifo', ['-m', '600', pipe])
  const flags = ['--server', api.url, '--state-dir', state_dir, '--enrollment-token-file', pipe, '--metrics-port']
  const port = await freePort()
  const { child, outcome } = start([...flags, String(port), ...place])
  // That it answers here comes just before it looks for its token.
  await until(async () => (await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined)) !== undefined)
  child.kill('SIGTERM')
  expect((await outcome).code).toBe(0)
})

test('a file of definitions is looked through, without repeating any of it', async () => {
  const file = join(await tempDir(), 'definitions.json')
  await writeFile(file, '{"a":{"url":"tcp://vault:1"}}', { mode: 0o600 })
  expect(await run('definitions', 'validate', file)).toEqual({ code: 0, out: '{\n  "definitions": 1\n}\n', err: '' })
  await writeFile(file, '{"a":{"url":"vault"}}')
  const { code, err } = await run('definitions', 'validate', file)
  expect(code).toBe(1)
  expect(err).toContain('a: url must start with')
  expect(err).not.toContain('vault')
  await writeFile(file, '{"vault":{},}')
  expect((await run('definitions', 'validate', file)).err).toContain('is not valid JSON (line 1 column 13)')
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
  // However it was started: Node has its settings, and it is the process that was started.
  const { stdout: command } = spawnSync('ps', ['eww', '-o', 'args=', '-p', String(child.pid)], { encoding: 'utf8' })
  const settings = Object.entries(AGENT_ENVIRONMENT).map(([name, value]) => `${name}=${value}`)
  for (const setting of [...AGENT_FLAGS, ...settings]) expect(command).toContain(setting)
  child.kill('SIGHUP')
  child.kill('SIGTERM')
  const { code, err } = await outcome
  expect([code, err.includes('"event":"stopped"')]).toEqual([0, true])
  expect(api.uploads.flat()[0]).toMatchObject({ check_guid: 'a', success: true, http_status: 200 })
  expect(err).not.toMatch(/enroll-token|key-1|Warning/)
})

test('patterns that would be programs of a million instructions fail their own checks, and nothing else', async () => {
  const [api, dir] = [await scriptedApi(), await tempDir()]
  const url = await serveHttp((_, res) => res.end('all is well'))
  const killing = (guid: string) =>
    checkRow({
      guid,
      interval_sec: 1,
      url,
      match_mode: 'regex',
      match_string: `((a*)*${'b'.repeat(980)}${guid}){1000}`,
    })
  const small = checkRow({ guid: 'c', interval_sec: 1, url, match_mode: 'regex', match_string: '^all .* well$' })
  api.checks = [killing('a'), killing('b'), small, checkRow({ guid: 'd', interval_sec: 1, url })]
  const { child, outcome } = start([...place, '--connectivity', 'off'], {
    DOGWATCH_AGENT_SERVER: api.url,
    DOGWATCH_AGENT_STATE_DIR: join(dir, 'state'),
    DOGWATCH_ENROLLMENT_TOKEN: 'enroll-token',
  })
  const runsOf = (guid: string) => api.uploads.flat().filter(({ check_guid }) => check_guid === guid)
  await api.until(() => ['a', 'b', 'c', 'd'].every((guid) => runsOf(guid).length > 1))
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  expect((await outcome).code).toBe(0)
  const refusal = expect.stringMatching(
    /^config: the match_string must be a simpler regular expression with smaller repeat counts; /,
  )
  for (const guid of ['a', 'b']) expect(runsOf(guid)[0]).toMatchObject({ success: false, error: refusal })
  for (const guid of ['c', 'd']) expect(runsOf(guid)[0]).toMatchObject({ success: true, http_status: 200 })
})

test('a check is tried by hand: 0 is healthy, 1 is not, 2 is no check', async () => {
  const site = createServer((_, res) => res.end('all is well'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  ending.push(() => site.close())
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  const healthy = await run('run-once', url, '--json')
  expect([healthy.code, JSON.parse(healthy.out)]).toEqual([0, expect.objectContaining({ success: true })])
  for (const args of [
    ['--public-targets-only', 'run-once'],
    ['run-once', '--public-targets-only'],
  ]) {
    expect(await run(...args, url)).toMatchObject({ code: 1, out: expect.stringContaining('blocked') })
  }
  expect(await run('run-once', 'nowhere')).toMatchObject({ code: 2, out: '' })
})

test('a program that starts it has it sync at once by a line, and end by closing its standard input', async () => {
  const [api, state_dir] = [await scriptedApi(), join(await tempDir(), 'state')]
  const flags = ['--server', api.url, '--state-dir', state_dir, '--connectivity', 'off', '--supervised', ...place]
  const { child, outcome } = start(flags, { DOGWATCH_ENROLLMENT_TOKEN: 'token' })
  const syncs = () => api.arrived.filter(({ route }) => route.endsWith('/checks')).length
  await api.until(() => syncs() > 0)
  const before = syncs()
  child.stdin.write('sync\n')
  await api.until(() => syncs() > before)
  child.stdin.end()
  expect((await outcome).code).toBe(0)
})

test('enroll reads its token from standard input, syncs once and says so; again it needs no token', async () => {
  const [api, dir] = [await scriptedApi(), await tempDir()]
  const flags = ['enroll', '--server', api.url, '--state-dir', join(dir, 'state'), '--connectivity', 'off', ...place]
  const enroll = (token: string) => {
    const child = spawn(process.execPath, [program, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] })
    ending.push(() => child.kill('SIGKILL'))
    child.stdin.end(token)
    return Promise.all([once(child, 'exit'), textOf(child.stdout)])
  }
  const [[code], said] = await enroll('enroll-token\n')
  expect([code, api.arrived[0]?.token]).toEqual([0, 'enroll-token'])
  expect(said).toMatch(/^dogwatch-agent: enrolled as monitor \S+; the first sync succeeded with 0 checks\n$/)
  expect((await enroll(''))[0][0]).toBe(0)
  expect(api.enrolled).toHaveLength(1)
  // The monitor was reset: with a token its place is taken back at once.
  api.keys.clear()
  expect((await enroll('another-token'))[0][0]).toBe(0)
  expect(api.enrolled).toHaveLength(2)
})

test('a command that was not installed by the installer cannot be uninstalled', async () => {
  expect(await run('uninstall')).toMatchObject({ code: 1, err: expect.stringContaining('nothing to uninstall') })
})
