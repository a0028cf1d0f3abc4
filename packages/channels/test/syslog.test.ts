// Lines to a syslog server that takes RFC 5424 and nothing else, by UDP, TCP and TLS.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import tls from 'node:tls'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { mint } from '../../agent/test/support/certificates.ts'
import { syslogChannel } from '../src/syslog/socket.ts'
import { openSyslog, readLine, type SyslogServer } from './fakes/syslog.ts'
import { type Changes, dispatchOf, EVENTS } from './support/dispatches.ts'

const trusted = tls.getCACertificates('default')
let server: SyslogServer
beforeAll(async () => {
  const ca = mint({ name: 'Dogs', is_ca: true })
  server = await openSyslog(mint({ name: '127.0.0.1', for: ['127.0.0.1'], issuer: ca }))
  tls.setDefaultCACertificates([...trusted, ca.cert])
})
beforeEach(() => {
  server.got.length = 0
  server.mood = 'takes'
})
afterAll(async () => {
  tls.setDefaultCACertificates(trusted)
  await server.close()
})

const channel = syslogChannel({ egress_allow: ['127.0.0.1'] })
const dispatch = (syslog_url: string, name?: string, changes?: Changes) =>
  dispatchOf<'syslog_url' | 'syslog_facility'>({ syslog_url, syslog_facility: 'local3' }, name, changes)
const urlOf = (scheme: 'udp' | 'tcp' | 'tls') => `${scheme}://127.0.0.1:${server[scheme]}`

/** Datagrams come after the sender is done. The runner ends what never comes. */
async function arrive(count: number): Promise<void> {
  while (server.got.length < count) await setTimeout(5)
  expect(server.got).toHaveLength(count)
}

test.each(['udp', 'tcp', 'tls'] as const)('%s: every event is a line that can be read', async (scheme) => {
  const names = Object.keys(EVENTS)
  const outcomes = await Promise.all(names.map((name) => channel.send(dispatch(urlOf(scheme), name))))
  expect(outcomes).toEqual(names.map(() => ({ kind: 'delivered' })))
  await arrive(names.length)
  expect(server.faults).toEqual([])
  expect(server.got.find(({ text }) => text.startsWith('Down: shop'))).toMatchObject({
    facility: 19,
    severity: 2,
    timestamp: '2026-11-20T12:00:00.000000Z',
    host: 'dogwatch.example',
    app: 'dogwatch',
    message_id: 'check.down',
    data: expect.stringContaining(
      '[dogwatch@32473 id="msg_5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0009_7" incident="5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0003"',
    ),
    text: expect.stringMatching(/^Down: shop \(Connection refused\) \| shop has been down since .*\| Failing from /),
  })
})

test('whatever a name has in it, the line is one and fits one packet', async () => {
  for (const part of ['"', ']', '\\', '\n', '\0', 'ä', '🐕', '<13>1 ', 'x']) {
    const name = part.repeat(500)
    const changes = { words: { shop: name }, data: { incident_id: name } }
    expect(await channel.send(dispatch(urlOf('tcp'), 'a check is down', changes))).toEqual({
      kind: 'delivered',
    })
  }
  await arrive(9)
  expect(server.faults).toEqual([])
})

test('the fake refuses what is no line', () => {
  expect(readLine('<130>1 2026-11-20T12:00:00Z h a - m - hello')).toMatchObject({ text: 'hello' })
  for (const text of [
    'hello',
    '<192>1 2026-11-20T12:00:00Z h a - m - x',
    '<13>Nov 20 12:00:00 h a: x',
    '<13>1 2026-11-20T12:00:00Z h a - m [x y="]"] x',
  ]) {
    expect([text, readLine(text)]).toEqual([text, undefined])
  }
})

test('nobody there, a reset and a certificate of somebody else are tried again', async () => {
  const closed = createServer()
  await new Promise<void>((resolve) => void closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise<void>((resolve) => void closed.close(() => resolve()))
  for (const scheme of ['tcp', 'tls', 'udp']) {
    expect([scheme, await channel.send(dispatch(`${scheme}://127.0.0.1:${port}`))]).toEqual([
      scheme,
      { kind: 'retry', reason: expect.stringMatching(/ECONNREFUSED/), unreached: '127.0.0.1' },
    ])
  }
  server.mood = 'resets'
  expect(await channel.send(dispatch(urlOf('tcp')))).toMatchObject({ kind: 'retry' })
  server.mood = 'hangs up'
  expect(await channel.send(dispatch(urlOf('tcp')))).toMatchObject({ kind: 'retry' })
  server.mood = 'takes'
  tls.setDefaultCACertificates(trusted)
  expect(await channel.send(dispatch(urlOf('tls')))).toEqual({
    kind: 'retry',
    reason: expect.stringMatching(/certificate/),
  })
  expect(server.got).toEqual([])
})

test('an address that is not public is not dialled, by its number or by its name', async () => {
  const resolve = async (name: string) => (name === 'nobody.example' ? [] : [{ address: '127.0.0.1', family: 4 }])
  const guarded = syslogChannel({ egress_allow: [], resolve })
  for (const scheme of ['udp', 'tcp', 'tls'] as const) {
    for (const [host, reason] of [
      ['127.0.0.1', 'blocked: the address is not public; the operator can allow the address in EGRESS_ALLOW'],
      ['logs.example', 'the name logs.example has no public address'],
      ['nobody.example', 'the name nobody.example has no public address'],
    ] as const) {
      const url = `${scheme}://${host}:${server[scheme]}`
      expect([url, await guarded.send(dispatch(url))]).toMatchObject([url, { kind: 'retry', reason }])
    }
  }
  expect(server.got).toEqual([])
})
