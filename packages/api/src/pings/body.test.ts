// The end of a body as text that can be stored.
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { eventually } from '../../test/support/world.ts'
import { Bodies, KEPT_BYTES, tailText } from './body.ts'

test.each([
  ['nothing', Buffer.alloc(0), null],
  ['text', Buffer.from('grüße €'), 'grüße €'],
  ['a U+0000', Buffer.from('a\0b'), 'ab'],
  ['nothing but U+0000', Buffer.from('\0\0'), null],
  ['no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a\ufffd\ufffdb'],
  ['half a character at its end', Buffer.from([0x61, 0xe2, 0x82]), 'a\ufffd'],
  ['half a character at its beginning, uncut', Buffer.from([0x82, 0xac, 0x61]), '\ufffd\ufffda'],
])('%s', (_, bytes, want) => {
  expect(tailText(bytes)).toBe(want)
})

test.each([1, 2, 3])('a character cut at byte %i of its four is left out', (cut) => {
  // The cut falls behind `cut` bytes of the first character.
  const bytes = Buffer.concat([Buffer.from('🐕'), Buffer.alloc(KEPT_BYTES - 4 + cut, 'x')])
  expect(tailText(bytes)).toBe('x'.repeat(KEPT_BYTES - 4 + cut))
})

test('what is stored can be stored, is short, and ends as the body ended', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(piece, fc.nat(60), piece, (begin, less, end) => {
      // Long enough that the cut may fall into the beginning.
      const body = Buffer.concat([begin, Buffer.alloc(KEPT_BYTES - less, 'x'), end])
      const text = tailText(body) ?? ''
      expect(text).not.toContain('\0')
      expect(text.isWellFormed()).toBe(true)
      expect(text.length).toBeLessThanOrEqual(KEPT_BYTES)
      expect(body.toString('utf8').replaceAll('\0', '').endsWith(text)).toBe(true)
    }),
  )
})

describe('slow bodies', () => {
  let server: Server
  let begun: number
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  /** Answers each request with what was read of its body. The header X-Client says whose it is. */
  async function start(most_slow: number): Promise<number> {
    const bodies = new Bodies({ most_slow, least_ms: 0 })
    begun = 0
    server = createServer((req, res) => {
      begun++
      void bodies.read(req, String(req.headers['x-client'])).then((text) => res.end(String(text)))
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  /** Sends a body of 10 bytes or as much of it; resolves with the answer. */
  function post(port: number, client: string, body: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nX-Client: ${client}\r\nContent-Length: 10\r\n\r\n${body}`)
    return new Promise((resolve) => {
      socket.once('data', (bytes) => resolve(bytes.toString().split('\r\n').at(-1) ?? ''))
    })
  }

  test('beyond the bound the oldest of its client is cut where it stands, and no other', async () => {
    const port = await start(2)
    const answers: string[] = []
    const slow = (client: string, body: string) => post(port, client, body).then((text) => answers.push(text))
    const first = slow('a', 'first')
    void slow('a', 'second')
    void slow('b', 'other')
    await eventually(() => begun === 3, 'all three are being read')
    expect(answers).toEqual([])
    void slow('a', 'third')
    await first
    expect(answers).toEqual(['first'])
    expect(await post(port, 'a', '0123456789')).toBe('0123456789')
  })
})
