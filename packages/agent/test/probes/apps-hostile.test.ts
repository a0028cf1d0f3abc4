// Targets of applications and of TLS that behave badly: each run ends with the fault of the target, and in time.

import type { Socket } from 'node:net'
import { SCHEMES, type Scheme } from '@dogwatch/check-rules/schemes'
import type { Check } from '@dogwatch/monitor-sdk'
import { describe, expect, test } from '@jest/globals'
import { mint } from '../support/certificates.ts'
import { run } from '../support/checks.ts'
import { serveTcp, serveTls } from '../support/servers.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

interface Target {
  scheme: Scheme
  rest: (port: number) => string
  /** A valid beginning of a response. */
  half: Buffer
  fields?: Partial<Check>
}

const TARGETS: Target[] = [
  {
    scheme: 'ws',
    rest: (port) => `127.0.0.1:${port}/`,
    half: Buffer.from('HTTP/1.1 101 Switching'),
    fields: { post_data: 'x' },
  },
  // An empty frame of settings.
  { scheme: 'grpc', rest: (port) => `127.0.0.1:${port}/x`, half: hex('000000 04 00 00000000') },
  { scheme: 'mqtt', rest: (port) => `u:p@127.0.0.1:${port}?topic=x`, half: hex('2002 0000 30') },
  {
    scheme: 'postgres',
    rest: (port) => `u:p@127.0.0.1:${port}?query=select 1`,
    half: Buffer.from('R\0\0\0\x08\0\0\0\0S\0\0'),
  },
  { scheme: 'mysql', rest: (port) => `u:p@127.0.0.1:${port}?query=select 1`, half: hex('4a0000 00 0a 35') },
  // The start of the response to a handshake.
  { scheme: 'tls', rest: (port) => `127.0.0.1:${port}`, half: hex('16 0303 007a 02 0000') },
]

const endless = (unit: Buffer) => (socket: Socket) => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(unit));
  }
  socket.on('drain', more)
  more()
}

const BEHAVIOURS: Record<string, (target: Target) => (socket: Socket) => void> = {
  silent: () => () => undefined,
  closing: () => (socket) => socket.destroy(),
  half:
    ({ half }) =>
    (socket) =>
      socket.end(half),
  slow:
    ({ half }) =>
    (socket) => {
      const bytes = [...half]
      const timer = setInterval(() => socket.write(Buffer.from([bytes.shift() ?? half.at(-1) ?? 0])), 20)
      socket.on('close', () => clearInterval(timer))
    },
  garbage: () => (socket) => socket.write(Buffer.alloc(200, 'ab')),
  'endless garbage': () => endless(Buffer.alloc(64 * 1024, 'x')),
  'endless zeros': () => endless(Buffer.alloc(64 * 1024)),
  'endless repeats': ({ half }) => endless(Buffer.concat(Array<Buffer>(2000).fill(half))),
}

/** Timeout of targets that end the conversation. It is long, because a busy machine is slow. */
const LONGEST_SEC = 60

describe.each(TARGETS)('$scheme', ({ scheme, rest, half, fields = {} }) => {
  test.each(Object.keys(BEHAVIOURS))('a target that is %s fails the check', async (behaviour) => {
    const port = await serveTcp((socket) => {
      socket.on('data', () => undefined)
      BEHAVIOURS[behaviour]?.({ scheme, rest, half })(socket)
    })
    const mayWait = ['silent', 'slow'].includes(behaviour)
    const found = await run(`${scheme}://${rest(port)}`, { ...fields, timeout_sec: mayWait ? 0.3 : LONGEST_SEC })
    const kinds = ['protocol', 'http', 'reset', 'tls']
    expect(behaviour === 'silent' ? ['timeout'] : mayWait ? [...kinds, 'timeout'] : kinds).toContain(found.kind)
    expect(found.latency_ms).toBeLessThan(1000 * LONGEST_SEC)
  })
})

const selfSigned = mint({ name: 'x', for: ['127.0.0.1'] })

test.each(['wss', 'grpcs', 'mqtts'] as const)('%s: the certificate is judged', async (scheme) => {
  expect(SCHEMES[scheme].isTls).toBe(true)
  const port = await serveTls(selfSigned, { ALPNProtocols: ['h2', 'http/1.1'] })
  expect((await run(`${scheme}://127.0.0.1:${port}`)).error).toBe('tls: the certificate is self-signed')
  const garbage = await serveTcp((socket) => socket.end('no TLS here'))
  expect((await run(`${scheme}://127.0.0.1:${garbage}`)).error).toBe('tls: the target does not speak TLS')
})

test.each([
  ['ws://192.0.2.1/', { post_data: 'x' }],
  ['mqtt://u:p@192.0.2.1', {}],
  ['mqtt://192.0.2.1?topic=x', {}],
  ['postgres://u@192.0.2.1', {}],
  ['mysql://u@192.0.2.1', {}],
])('shared monitors do not run %s with %j', async (url, fields) => {
  const found = await run(url, fields, { public_targets_only: true })
  expect(found.error).toBe('blocked: only own monitors can run this check')
})

test.each(['ws://127.0.0.1:1/', 'grpc://127.0.0.1:1', 'mqtt://127.0.0.1:1'])(
  'shared monitors do not dial %s',
  async (url) => {
    expect((await run(url, {}, { public_targets_only: true })).error).toBe('blocked: the address is not public')
  },
)
