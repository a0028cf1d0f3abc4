// Cases 19 and 20: a connection, and the banner that a service volunteers.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from '@jest/globals'
import { run, verdict } from '../../../test/support/checks.ts'
import { freePort, serveTcp } from '../../../test/support/servers.ts'

const tcp = async (onConnection: (socket: Socket) => void) => `tcp://127.0.0.1:${await serveTcp(onConnection)}`
/** Well before the timeout of five seconds; a busy machine takes its time. */
const BEFORE_TIMEOUT_MS = 4500
const silent = () => tcp(() => undefined)

test('case 19: a connection is enough', async () => {
  const found = await run(await silent())
  expect(found).toMatchObject({ kind: 'ok', success: true, error: '', http_status: 0, address: '127.0.0.1' })
  expect(Object.keys(found.phases)).toEqual(['connect'])
})

test('case 19: also one that is closed at once, and rules about a status are not for it', async () => {
  expect(await verdict(await tcp((socket) => socket.end()))).toBe('ok 0')
  expect(await verdict(await silent(), { status_code_op: 'eq', status_code_value: 200 })).toBe('ok 0')
})

test('case 19: also one that is reset at once, whether that is seen with the connection or after it', async () => {
  const server = new Worker(RESETTING, { eval: true })
  const [port] = (await once(server, 'message')) as [number]
  running.push(server)
  const found = run(`tcp://127.0.0.1:${port}`)
  const withBanner = run(`tcp://127.0.0.1:${port}`, { match_string: 'ESMTP' })
  // The connections are being made; both have been reset when this thread looks at them.
  await new Promise(process.nextTick)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  expect(await found).toMatchObject({ kind: 'ok', address: '127.0.0.1' })
  expect((await withBanner).kind).toBe('reset')
})

const running: Worker[] = []
afterEach(() => Promise.all(running.splice(0).map((server) => server.terminate())))

const RESETTING = `
  const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer((socket) => socket.resetAndDestroy())
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

test('case 19: nobody listens', async () => {
  expect(await verdict(`tcp://127.0.0.1:${await freePort()}`)).toBe('refused 0')
})

test.each([
  'tcp://localhost',
  'tcp://localhost:0',
  'tcp://localhost:65536',
  'tcp://localhost:22/x',
  'tcp://:22',
  'tcp://a@b:22',
  'localhost:22',
  '',
])('case 19: the target %s is a fault of the check', async (url) => {
  expect(await verdict(url)).toBe('config 0')
})

test('case 20: a banner may come in parts, and its deciding byte is the end', async () => {
  const url = await tcp((socket) => {
    socket.write('220 mail.exam')
    setTimeout(() => socket.write('ple ESMTP\r\n'), 60)
  })
  const found = await run(url, { match_string: 'mail.example' })
  expect(found).toMatchObject({ kind: 'ok', response_sample: '220 mail.example ESMTP\r\n' })
  expect(found.latency_ms).toBeGreaterThanOrEqual(40)
  expect(found.latency_ms).toBeLessThan(BEFORE_TIMEOUT_MS)
})

test('case 20: a wrong banner fails by the match once time is up', async () => {
  const found = await run(await tcp((socket) => socket.write('SSH-2.0')), { match_string: 'ESMTP', timeout_sec: 0.4 })
  expect(found).toMatchObject({ kind: 'match', response_sample: 'SSH-2.0' })
})

test('case 20: a wrong banner of a target that then closes fails by the match at once', async () => {
  const found = await run(await tcp((socket) => socket.end('SSH-2.0')), { match_string: 'ESMTP' })
  expect(found).toMatchObject({ kind: 'match', response_sample: 'SSH-2.0' })
  expect(found.latency_ms).toBeLessThan(BEFORE_TIMEOUT_MS)
})

test.each(['contains', 'not_contains', 'regex', 'not_regex'])(
  'case 20: silence fails, whatever %s',
  async (match_mode) => {
    const asked = { match_string: 'ESMTP', match_mode, timeout_sec: 0.3 }
    expect(await verdict(await silent(), asked)).toBe('timeout 0')
    expect(await verdict(await tcp((socket) => socket.end()), asked)).toBe('reset 0')
  },
)

test('case 20: an endless banner is judged by its first four kibibytes', async () => {
  const url = await tcp((socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write('x'.repeat(1000)));
    }
    socket.on('drain', more)
    more()
  })
  const found = await run(url, { match_string: 'y' })
  expect(found).toMatchObject({ kind: 'match', response_sample: 'x'.repeat(4096) })
  expect(found.latency_ms).toBeLessThan(BEFORE_TIMEOUT_MS)
})

test('case 20: what must not come decides when it does; else its absence, timed by the last byte', async () => {
  const url = await tcp((socket) => socket.write('220 ready'))
  expect(await verdict(url, { match_string: 'ready', match_mode: 'not_contains' })).toBe('match 0')
  const found = await run(url, {
    match_string: '^5',
    match_mode: 'not_regex',
    timeout_sec: 0.4,
    max_response_time_ms: 300,
  })
  expect(found.kind).toBe('ok')
})
