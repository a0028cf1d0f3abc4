// ntp:// targets: the offset of their clock, and servers that cannot or will not tell the time.
import { expect, test } from '@jest/globals'
import { run } from '../../../test/support/checks.ts'
import { serveDatagrams } from '../../../test/support/datagram-server.ts'
import { readNtpResponse } from './packet.ts'

const EPOCH_SEC = 2_208_988_800

interface NtpClock {
  leap?: number
  stratum?: number
  ahead_ms?: number
  mode?: number
  cookie?: number
  reference?: string
}

/** Returns the response to a request. */
function respond(request: Buffer, clock: NtpClock): Buffer {
  const { leap = 0, stratum = 2, ahead_ms = 0, mode = 4, cookie = 0, reference = 'GPS' } = clock
  const packet = Buffer.alloc(48)
  packet.writeUInt8((leap << 6) | (4 << 3) | mode, 0)
  packet.writeUInt8(stratum, 1)
  packet.write(reference, 12)
  request.copy(packet, 24, 40, 48)
  packet.writeUInt8(packet.readUInt8(24) ^ cookie, 24)
  const now_ms = Date.now() + ahead_ms
  for (const at of [32, 40]) {
    packet.writeUInt32BE((Math.floor(now_ms / 1000) + EPOCH_SEC) % 2 ** 32, at)
    packet.writeUInt32BE(Math.floor(((now_ms % 1000) / 1000) * 2 ** 32), at + 4)
  }
  return packet
}

const target = async (clock: NtpClock) =>
  `ntp://127.0.0.1:${await serveDatagrams((request) => [respond(request, clock)])}`

test('the offset is that of the clock of the server', async () => {
  const { kind, response_sample, latency_ms } = await run(await target({ ahead_ms: 5000 }))
  expect(kind).toBe('ok')
  const [, offset] = /^offset: (.*) ms\nstratum: 2\nleap: 0$/.exec(response_sample) ?? []
  // The response may have been under way all the time in one direction alone.
  expect(Math.abs(Number(offset) - 5000)).toBeLessThan(20 + latency_ms)
})

const UNSYNCHRONISED = 'protocol: the clock of the server is not synchronised'

test.each<[what: string, clock: NtpClock, error: string]>([
  ['a refusal', { leap: 3, stratum: 0, reference: 'RATE' }, 'protocol: the server refuses to tell the time'],
  ['a clock without a reference', { leap: 3 }, UNSYNCHRONISED],
  ['a clock without a reference, as chrony says so', { leap: 3, stratum: 0, reference: '' }, UNSYNCHRONISED],
  ['a clock that has just started, as ntpd says so', { leap: 3, stratum: 0, reference: 'INIT' }, UNSYNCHRONISED],
  ['a clock too far from a reference', { stratum: 16 }, UNSYNCHRONISED],
  ['a response to another request', { cookie: 1 }, 'timeout: while waiting for a response'],
  ['a request instead of a response', { mode: 3 }, 'timeout: while waiting for a response'],
])('%s', async (_, clock, error) => {
  const timeout_sec = error.startsWith('timeout') ? 0.3 : 20
  expect(await run(await target(clock), { timeout_sec })).toMatchObject({ error })
})

test.each<[what: string, answers: (request: Buffer) => Uint8Array[]]>([
  ['silence', () => []],
  ['half a packet', (request) => [respond(request, {}).subarray(0, 40)]],
  ['garbage without end', () => Array<Buffer>(500).fill(Buffer.alloc(48, 0x24))],
])('%s is no response', async (_, answers) => {
  const port = await serveDatagrams(answers)
  expect((await run(`ntp://127.0.0.1:${port}`, { timeout_sec: 0.3 })).error).toBe(
    'timeout: while waiting for a response',
  )
})

test('times after the year 2036 are read, when the seconds begin again', () => {
  const packet = respond(Buffer.alloc(48), {})
  packet.fill(0, 32, 40)
  const response = readNtpResponse(packet, Buffer.alloc(8))
  expect(new Date(response?.received_ms ?? 0).toISOString()).toBe('2036-02-07T06:28:16.000Z')
})
