// dns:// targets: answers and their facts, servers that behave badly, and the servers of a zone.
import type { Socket } from 'node:net'
import { readTarget, type TargetOf } from '@dogwatch/check-rules/target'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { run } from '../../../test/support/checks.ts'
import {
  AA,
  AD,
  type Answerer,
  nameBytes,
  serveDns,
  TC,
  typeIn,
  writeResponse,
} from '../../../test/support/dns-server.ts'
import { nameIn } from '../../../test/support/dns-wire.ts'
import { closedPort, serveTcp } from '../../../test/support/servers.ts'
import { observe } from '../attempt.ts'
import { readResponse, writeQuery } from './message.ts'
import { readServer } from './own-resolvers.ts'
import { probeDns } from './probe.ts'
import { WireFault } from './wire.ts'

const [A, NS, CNAME, SOA] = [1, 2, 5, 6]
const address = (last: number) => Buffer.from([192, 0, 2, last])
const NXDOMAIN = 3
const REFUSED = 5

const aliased: Answerer = () => ({
  bits: AD,
  answers: [
    { name: 'shop.example', type: CNAME, ttl: 60, data: nameBytes('edge.example') },
    { name: 'edge.example', type: A, data: address(2) },
    { name: 'edge.example', type: A, data: address(1) },
  ],
})

test('an answer contains the chain of aliases, in an order that does not depend on the server', async () => {
  const found = await run(`dns://127.0.0.1:${await serveDns(aliased)}/shop.example?ad=yes`)
  expect(found).toMatchObject({ kind: 'ok', address: '127.0.0.1' })
  expect(found.response_sample.split('\n')).toEqual([
    ';; status: NOERROR, flags: ad',
    'edge.example. 300 IN A 192.0.2.1',
    'edge.example. 300 IN A 192.0.2.2',
    'shop.example. 60 IN CNAME edge.example.',
  ])
  expect(Object.keys(found.phases)).toEqual(['first_byte'])
})

test('rules can ask about the records, the response code, the time to live and the AD flag', async () => {
  const port = await serveDns(aliased)
  const target = readTarget(`dns://127.0.0.1:${port}/shop.example?ad=yes`) as TargetOf<'dns'>
  const { facts } = await observe({ timeout_ms: 3000, mayDial: () => true }, (attempt) =>
    probeDns(attempt, target, {} as never),
  )
  expect(facts).toEqual({
    dns_answer: ['192.0.2.1', '192.0.2.2', 'edge.example.'],
    dns_count: 2,
    dns_rcode: 'NOERROR',
    dns_ttl: 60,
    dns_ad: true,
  })
})

test('an error of the server and an answer without a record of the type fail, unless a rule judges the answer', async () => {
  const missing = `dns://127.0.0.1:${await serveDns(() => ({ bits: NXDOMAIN }))}/x.example`
  const empty = `dns://127.0.0.1:${await serveDns(() => ({}))}/x.example`
  expect(await run(missing)).toMatchObject({ kind: 'dns', error: 'dns: NXDOMAIN' })
  expect(await run(missing, { invert_result: true })).toMatchObject({ success: true })
  expect(await run(empty)).toMatchObject({ error: 'dns: there is no record of this type' })
  expect(await run(empty, { match_string: 'IN A', match_mode: 'not_contains' })).toMatchObject({ success: true })
})

test('a truncated answer is read over TCP, and transport=tcp uses TCP alone', async () => {
  const overs: string[] = []
  const port = await serveDns((query, over) => {
    overs.push(over)
    return over === 'udp' ? { bits: TC } : aliased(query, over)
  })
  expect((await run(`dns://127.0.0.1:${port}/shop.example`)).kind).toBe('ok')
  expect((await run(`dns://127.0.0.1:${port}/shop.example?transport=tcp`)).kind).toBe('ok')
  expect(overs).toEqual(['udp', 'tcp', 'tcp'])
})

const otherId = (query: Buffer) => {
  const response = writeResponse(query, { answers: [{ name: 'x.example', type: A, data: address(1) }] })
  response.writeUInt16BE(response.readUInt16BE(0) ^ 1, 0)
  return response
}
const otherName = (query: Buffer) => {
  const response = writeResponse(query, { answers: [{ name: 'x.example', type: A, data: address(1) }] })
  response[13] = 'y'.charCodeAt(0)
  return response
}
const loop: Answerer = (query) => {
  const response = writeResponse(query, {
    answers: [{ name: 'x.example', type: CNAME, data: Buffer.from([0xc0, 0xff]) }],
  })
  response.writeUInt16BE(0xc000 | (response.length - 2), response.length - 2)
  return response
}
const half: Answerer = (query) =>
  writeResponse(query, { answers: [{ name: 'a', type: A, data: address(1) }] }).subarray(0, -2)

test.each<[what: string, udp: Answerer, outcome: string]>([
  ['silence', () => undefined, 'timeout: while waiting for a response'],
  ['garbage', () => Buffer.from('garbage'), 'timeout: while waiting for a response'],
  ['the query itself', (query) => query, 'timeout: while waiting for a response'],
  ['another id', otherId, 'timeout: while waiting for a response'],
  ['an answer about another name', otherName, 'timeout: while waiting for a response'],
  ['a name that refers to itself', loop, 'dns: the response is not valid DNS'],
  ['half an answer', half, 'dns: the response is not valid DNS'],
  ['a refusal', () => ({ bits: REFUSED }), 'dns: REFUSED'],
])('over UDP, %s', async (_, answerer, outcome) => {
  const timeout_sec = outcome.startsWith('timeout') ? 0.3 : 20
  const { error } = await run(`dns://127.0.0.1:${await serveDns(answerer)}/x.example`, { timeout_sec })
  expect(error).toBe(outcome)
})

function dripping(socket: Socket): void {
  const timer = setInterval(() => socket.write('x'), 20)
  socket.on('close', () => clearInterval(timer))
}

test('over TCP and TLS, servers that behave badly fail by what they do', async () => {
  const errorOf = async (port: number, transport: string, timeout_sec = 20) =>
    (await run(`dns://127.0.0.1:${port}/x.example?transport=${transport}`, { timeout_sec })).error
  expect(await errorOf(await serveTcp((socket) => socket.end('x')), 'tcp')).toMatch(/^reset: /)
  expect(await errorOf(await serveTcp((socket) => socket.write('xx')), 'tcp', 0.5)).toMatch(/^timeout: /)
  expect(await errorOf(await serveTcp(dripping), 'tcp', 0.5)).toMatch(/^timeout: /)
  expect(await errorOf(await serveTcp((socket) => socket.write(Buffer.alloc(200_000))), 'tcp')).toMatch(/^dns: /)
  expect(await errorOf(await serveDns(otherId), 'tcp')).toBe('dns: the response does not match the query')
  expect(await errorOf(await serveTcp((socket) => socket.end('no TLS at all, but text')), 'tls')).toMatch(/^tls: /)
  expect(await errorOf(await closedPort(), 'udp')).toBe('refused: the connection was refused')
})

test('shared monitors query neither internal resolvers nor their own', async () => {
  const shared = { public_targets_only: true }
  expect((await run('dns://127.0.0.1:5353/x.example', {}, shared)).error).toBe('blocked: the address is not public')
  expect((await run('dns:///x.example', {}, shared)).kind).toBe('blocked')
})

/** A name server of a zone that has two, at 127.0.0.1 and 127.0.0.2. */
const zoneServer =
  (serial: number): Answerer =>
  (query) => {
    const name = nameIn(query)
    const data = Buffer.concat([nameBytes('ns1.example'), nameBytes('admin.example'), Buffer.alloc(20)])
    data.writeUInt32BE(serial, data.length - 20)
    const soa = { name: 'example', type: SOA, data }
    if (typeIn(query) === NS)
      return { answers: ['ns1.example', 'ns2.example'].map((ns) => ({ name, type: NS, data: nameBytes(ns) })) }
    if (typeIn(query) === SOA) return name === 'example' ? { bits: AA, answers: [soa] } : { authorities: [soa] }
    return { answers: [{ name, type: A, data: Buffer.from([127, 0, 0, name.startsWith('ns2') ? 2 : 1]) }] }
  }

test.each([
  [7, 'ok', ''],
  [8, 'dns', 'dns: the name servers have different serial numbers'],
  [undefined, 'dns', 'dns: a name server of the zone did not respond for the zone'],
])('authoritative=yes: the second name server has serial %s', async (serial, kind, error) => {
  const port = await serveDns(zoneServer(7))
  await serveDns(serial === undefined ? () => undefined : zoneServer(serial), '127.0.0.2', port)
  // One that is silent is waited for.
  const timeout_sec = serial === undefined ? 2 : 20
  const found = await run(`dns://127.0.0.1:${port}/shop.example?authoritative=yes`, { timeout_sec })
  expect(found).toMatchObject({ kind, error })
  expect(found.response_sample).toContain(`;; ns2.example. (127.0.0.2): serial ${serial ?? 'unknown'}`)
})

test('whatever a server sends, it is read, refused or ignored', () => {
  const question = { name: 'a', type: A, wantsRecursion: true, wantsAd: false }
  const head = writeResponse(writeQuery(1, question), {})
  head.set([0, 3, 0, 3], 6)
  const tails = fc.array(fc.constantFrom(0, 1, 2, 5, 16, 64, 65, 0xc0, 12, 255), { maxLength: 200 })
  fc.assert(
    fc.property(tails, (tail) => {
      try {
        readResponse(Buffer.concat([head, Buffer.from(tail)]), 1, question)
      } catch (error) {
        expect(error).toBeInstanceOf(WireFault)
      }
    }),
  )
})

test.each([
  [15, [0, 10, 1, 109, 0], 'MX 10 m.'],
  [16, [3, 97, 34, 92, 1, 200], 'TXT "a\\"\\\\" "\\200"'],
  [28, [0x20, 1, 0x0d, 0xb8, ...Array(11).fill(0), 1], 'AAAA 2001:db8::1'],
  [33, [0, 5, 0, 10, 0x13, 0xc4, 1, 109, 0], 'SRV 5 10 5060 m.'],
  [35, [0, 1, 0, 2, 1, 117, 1, 115, 0, 0], 'NAPTR 1 2 "u" "s" "" .'],
  [43, [0, 1, 8, 2, 0xab, 0xcd], 'DS 1 8 2 ABCD'],
  [48, [1, 1, 3, 13, 1, 2, 3], 'DNSKEY 257 3 13 AQID'],
  [65, [0, 1, 0, 0, 1, 0, 3, 2, 104, 50, 0, 3, 0, 2, 1, 187], 'HTTPS 1 . alpn="h2" port=443'],
  [99, [1, 2], 'TYPE99 \\# 2 0102'],
  [257, [0, 5, ...Buffer.from('issueca.example')], 'CAA 0 issue "ca.example"'],
])('the data of a record of type %i is written like in a zone file', async (type, data, shown) => {
  const port = await serveDns(() => ({ answers: [{ name: 'x.example', type, data: Buffer.from(data) }] }))
  const { response_sample } = await run(`dns://127.0.0.1:${port}/x.example`)
  expect(response_sample).toContain(`x.example. 300 IN ${shown}`)
})

test('the resolvers of this machine are read in each of their forms', () => {
  expect(['192.0.2.1', '192.0.2.1:54', '::1', '[::1]:54', 'fe80::1%eth0'].map(readServer)).toEqual([
    { address: '192.0.2.1', port: 53 },
    { address: '192.0.2.1', port: 54 },
    { address: '::1', port: 53 },
    { address: '::1', port: 54 },
    { address: 'fe80::1%eth0', port: 53 },
  ])
})
