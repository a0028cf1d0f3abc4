// ws:// targets: the handshake, the message of a check, and the messages of a server that behaves well and badly.
import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type Peer, serveScript } from '../../../test/support/byte-server.ts'
import { run } from '../../../test/support/checks.ts'
import { serveHttp } from '../../../test/support/servers.ts'

const SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Reads the head of a request. */
async function headOf({ take }: Peer): Promise<string> {
  let head = ''
  while (!head.endsWith('\r\n\r\n')) head += (await take(1)).toString('latin1')
  return head
}

/** Serves WebSockets. `more` is added to the response. */
function serveSocket(talk: (peer: Peer, head: string) => Promise<void>, more = ''): Promise<number> {
  return serveScript(async (peer) => {
    const head = await headOf(peer)
    const key = /sec-websocket-key: (.*)/i.exec(head)?.[1] ?? ''
    const accept = createHash('sha1').update(`${key}${SUFFIX}`).digest('base64')
    peer.send(
      `HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n${more}\r\n`,
    )
    await talk(peer, head)
  })
}

const frame = (first: number, text: string) => Buffer.concat([Buffer.from([first, text.length]), Buffer.from(text)])

/** Reads a short masked frame. */
async function readFrame({ take }: Peer): Promise<{ first: number; text: string }> {
  const [first = 0, second = 0] = await take(2)
  const mask = await take(4)
  const masked = await take(second & 0x7f)
  expect(second & 0x80).toBe(0x80)
  return { first, text: Buffer.from(masked.map((byte, index) => byte ^ (mask[index % 4] ?? 0))).toString() }
}

test('an open WebSocket is enough, and its handshake carries the path, the user and the headers', async () => {
  let head = ''
  const { promise: left, resolve } = Promise.withResolvers<number>()
  const port = await serveSocket(async (peer, given) => {
    head = given
    resolve((await readFrame(peer)).first)
  }, 'Sec-WebSocket-Protocol: chat\r\n')
  const headers = { 'Sec-WebSocket-Protocol': 'soap, chat', 'Sec-WebSocket-Key': 'mine', 'X-A': 'b' }
  const found = await run(`ws://u:p@127.0.0.1:${port}/a?b=c`, { headers })
  expect(found).toMatchObject({ kind: 'ok', http_status: 101 })
  expect(head).toMatch(/^GET \/a\?b=c HTTP\/1.1\r\n/)
  expect(head).toContain(`Authorization: Basic ${Buffer.from('u:p').toString('base64')}\r\n`)
  expect(head).toContain('X-A: b\r\n')
  expect(head).not.toContain('mine')
  expect(await left).toBe(0x88)
})

test('a message is sent, and the response may come in fragments with a ping between them', async () => {
  const { promise: received, resolve } = Promise.withResolvers<string[]>()
  const port = await serveSocket(async (peer) => {
    const { text } = await readFrame(peer)
    peer.send(frame(0x01, 'all '), frame(0x89, 'p'), frame(0x80, 'is well'))
    resolve([text, (await readFrame(peer)).text])
  })
  const found = await run(`ws://127.0.0.1:${port}`, { post_data: 'grüß dich', match_string: 'is well' })
  expect(found).toMatchObject({ kind: 'ok', response_sample: 'all is well' })
  expect(await received).toEqual(['grüß dich', 'p'])
})

test('a check waits for a message that its rule accepts', async () => {
  const port = await serveSocket(async ({ send }) => send(frame(0x81, 'welcome'), frame(0x81, 'ready')))
  const url = `ws://127.0.0.1:${port}`
  expect((await run(url, { match_string: 'ready' })).kind).toBe('ok')
  const missed = await run(url, { match_string: 'never', timeout_sec: 1.5 })
  expect(missed).toMatchObject({ kind: 'match', response_sample: 'ready' })
  const silent = await serveSocket(() => new Promise(() => undefined))
  expect((await run(`ws://127.0.0.1:${silent}`, { post_data: 'x', timeout_sec: 0.3 })).kind).toBe('timeout')
})

test('a long message is judged by its beginning', async () => {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(1n << 40n)
  const port = await serveSocket(async ({ send }) => send(Buffer.from([0x82, 127]), length, 'x'.repeat(65_536)))
  const found = await run(`ws://127.0.0.1:${port}`, { match_string: 'y' })
  expect(found.error).toBe('match: not found in the first 64 KiB of the message; the rest is not read')
})

test.each([
  ['closes it', [frame(0x88, '\x03\x7f')], 'the server closed the WebSocket with the code 895'],
  ['masks a frame', [Buffer.from([0x81, 0x80])], 'the server breaks the WebSocket protocol'],
  ['uses an extension', [frame(0xc1, 'x')], 'the server breaks the WebSocket protocol'],
  ['continues nothing', [frame(0x80, 'x')], 'the server breaks the WebSocket protocol'],
  ['sends a long ping', [Buffer.from([0x89, 126, 0, 200])], 'the server breaks the WebSocket protocol'],
  ['sends only pings', Array<Buffer>(1001).fill(frame(0x89, '')), 'the server sent more than 1000 frames'],
])('a server that %s fails the check', async (_, frames, words) => {
  const port = await serveSocket(async ({ send }) => send(...frames))
  expect((await run(`ws://127.0.0.1:${port}`, { match_string: 'x' })).error).toBe(`protocol: ${words}`)
})

test('a server without a WebSocket fails the check', async () => {
  const web = await serveHttp((_req, res) => res.writeHead(404).end())
  const found = await run(web.replace('http', 'ws'))
  expect(found).toMatchObject({
    http_status: 404,
    error: 'http: the status is 404 instead of 101, so there is no WebSocket',
  })
  const strange = await serveScript(async (peer) => {
    await headOf(peer)
    peer.send('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  expect((await run(`ws://127.0.0.1:${strange}`)).error).toBe(
    'protocol: the server did not accept the WebSocket handshake',
  )
  const other = await serveSocket(async () => undefined, 'Sec-WebSocket-Protocol: other\r\n')
  expect((await run(`ws://127.0.0.1:${other}`)).error).toBe(
    'protocol: the server did not choose one of the offered subprotocols',
  )
})
