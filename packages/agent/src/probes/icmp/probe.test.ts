// icmp:// targets: echo requests and their summary, and machines that may not ping.
import { expect, test } from '@jest/globals'
import { run } from '../../../test/support/checks.ts'
import { mayPing } from '../../process/ping-socket.ts'
import { readEcho, summarise, TOKEN_BYTES, writeEcho } from './echo.ts'

const token = Buffer.alloc(TOKEN_BYTES, 7)

test('a machine that may ping reaches itself, and another one reports its own trouble', async () => {
  const found = run('icmp://127.0.0.1?count=2', { timeout_sec: 20 })
  if (!mayPing()) return expect(found).rejects.toMatchObject({ why: expect.stringMatching(/^icmp_/) })
  const { kind, response_sample } = await found
  expect(kind).toBe('ok')
  expect(response_sample).toMatch(/^replies: 2 of 2\nloss: 0 %\nlatency: [\d.]+ ms\njitter: [\d.]+ ms$/)
})

// No IPv6 socket reaches this form of an IPv4 address.
test('an address to which nothing can be sent fails the check at once', async () => {
  const found = run('icmp://[::ffff:127.0.0.1]', { timeout_sec: 20 })
  if (!mayPing()) return expect(found).rejects.toMatchObject({ why: expect.stringMatching(/^icmp_/) })
  expect((await found).error).toBe('unreachable: the host could not be reached')
})

test('shared monitors ping no internal address', async () => {
  const found = await run('icmp://127.0.0.1', {}, { public_targets_only: true })
  expect(found.error).toBe('blocked: the address is not public')
})

test.each([4, 6] as const)('over IPv%i, only replies to our own requests count', (family) => {
  const request = writeEcho(family, 258, token)
  const reply = Buffer.from(request)
  reply.writeUInt8(family === 4 ? 0 : 129, 0)
  expect(readEcho(family, reply, token)).toBe(258)
  expect(readEcho(family, request, token)).toBeUndefined()
  expect(readEcho(family, reply.subarray(0, -1), token)).toBeUndefined()
  expect(readEcho(family, reply, Buffer.alloc(TOKEN_BYTES))).toBeUndefined()
})

test.each([
  [3, [10, 30, 20], { loss: 0, latency_ms: 20, jitter_ms: 15 }],
  [4, [10, 20], { loss: 50, latency_ms: 15, jitter_ms: 10 }],
  [3, [1.234], { loss: 66.67, latency_ms: 1.23, jitter_ms: 0 }],
])('of %i requests, the round trips %j are summarised', (sent, trips, summary) => {
  expect(summarise(sent, trips)).toEqual(summary)
})
