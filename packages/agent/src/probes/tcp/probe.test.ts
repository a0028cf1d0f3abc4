// Cases 19 and 20: a connection, and the banner that a service volunteers.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { hideInUrl } from '@dogwatch/check-rules/secrets'
import { afterEach, describe, expect, test } from '@jest/globals'
import { mint } from '../../../test/support/certificates.ts'
import { run, verdict } from '../../../test/support/checks.ts'
import { closedPort, serveTcp } from '../../../test/support/servers.ts'

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
  expect(await verdict(`tcp://127.0.0.1:${await closedPort()}`)).toBe('refused 0')
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
  const found = await run(await tcp((socket) => socket.write('SSH-2.0')), { match_string: 'ESMTP', timeout_sec: 1.5 })
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
    const asked = { match_string: 'ESMTP', match_mode }
    expect(await verdict(await silent(), { ...asked, timeout_sec: 0.3 })).toBe('timeout 0')
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
    timeout_sec: 2,
    max_response_time_ms: 1900,
  })
  expect(found.kind).toBe('ok')
})

describe('a dialogue', () => {
  const minted = mint({ name: 'mail.example', for: ['127.0.0.1'], not_after: new Date(Date.now() + 5 * 86_400_000) })
  const lax = { insecure_skip_verify: true }
  const upgrade = (socket: Socket) => new TLSSocket(socket, { isServer: true, key: minted.key, cert: minted.cert })
  /** Answers each line that comes by `answer`, after a greeting. */
  const talking = (greeting: string, answer: (line: string, socket: Socket) => string) =>
    tcp((socket) => {
      socket.write(greeting)
      socket.on('data', (data) => socket.write(answer(data.toString(), socket)))
    })

  test('its lines are awaited and sent in order, and those before a match are skipped', async () => {
    const url = await talking('hello\r\n220 ready\r\n', (line) => `250-${line.trim()}\r\n250 done\r\n`)
    const found = await run(`${url}?expect=^220&send=EHLO%20x\\r\\n&expect=^250 done$`)
    expect(found).toMatchObject({ error: '', response_sample: 'hello\n220 ready\n250-***\n250 done' })
    expect((await run(`${url}?expect=^220&expect=^221`, { timeout_sec: 1.5 })).error).toBe(
      'timeout: while waiting for a line that matches step 2',
    )
  })

  test('a prompt counts as a line, once it is followed by silence', async () => {
    const url = await talking('login: ', (line) => `${line}welcome`)
    expect((await run(`${url}?expect=^login:&send=ana\\n&expect=^welcome$`)).error).toBe('')
  })

  test('STARTTLS encrypts what follows, and the certificate is judged', async () => {
    const url = await tcp((socket) => {
      socket.once('data', () => {
        socket.write('220 go\r\n')
        upgrade(socket)
          .on('error', () => undefined)
          .on('data', function (this: TLSSocket) {
            this.write('secure\r\n')
          })
      })
    })
    const steps = '?send=STARTTLS\\r\\n&expect=^220&starttls=yes&send=x\\r\\n&expect=^secure'
    expect((await run(url + steps, lax)).error).toBe('')
    expect((await run(url + steps)).error).toBe('tls: the certificate is self-signed')
    expect((await run(url + steps, { ...lax, cert_expiry_warn_days: 14 })).kind).toBe('cert_expiry')
  })

  test('more data before the handshake is a fault, because anyone on the path could have sent it', async () => {
    const url = await talking('220 go\r\n250 injected\r\n', () => '')
    const found = await run(`${url}?expect=^220&starttls=yes`, lax)
    expect(found.error).toBe('protocol: the target sent more data before the TLS handshake')
  })

  test('a rule about the content reads on after the last message', async () => {
    const url = await talking('', (line) => (line === 'PING' ? '+PO' : ''))
    expect(await verdict(`${url}?send=PING`, { match_string: '+PO' })).toBe('ok 0')
    const asked = { match_string: '+PONG', timeout_sec: 1.5 }
    expect(await run(`${url}?send=PING`, asked)).toMatchObject({ kind: 'match', response_sample: '+PO' })
    expect(await verdict(`${url}?send=PONG`, asked)).toBe('timeout 0')
  })

  test.each([
    ['long', 'x'.repeat(5000), 'protocol: the response is longer than 4 KiB'],
    ['full of lines', 'x\n'.repeat(300), 'protocol: no line matches step 1'],
    ['closed', '', 'reset: the connection was closed before the response was complete'],
  ])('a response that is %s fails', async (_, sent, error) => {
    const url = await tcp((socket) => (sent === '' ? socket.end('part') : socket.write(sent)))
    expect((await run(`${url}?expect=^220`)).error).toBe(error)
  })

  test('a pattern that is too costly or invalid is a fault of the check', async () => {
    const url = await tcp((socket) => socket.write('x\r\n'))
    expect((await run(`${url}?expect=(`)).kind).toBe('config')
  })

  test('shared monitors send nothing that a member wrote, and readers do not see it', async () => {
    const shared = { public_targets_only: true }
    expect((await run('tcp://192.0.2.1:9?send=x', {}, shared)).error).toBe(
      'blocked: only own monitors can run this check',
    )
    expect((await run('tcp://127.0.0.1:9?expect=x', {}, shared)).error).toBe('blocked: the address is not public')
    const url = 'tcp://a:9?send=x#y&expect=z&send=w'
    expect(hideInUrl(url)).toBe('tcp://a:9?send=***&expect=z&send=***')
  })
})
