// Own outages: what counts as one, how long it lasts, and what it hides.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { Connectivity, type DialResult, dialTcp, isLocal, mayBeOurs } from '../../src/outages/connectivity.ts'
import type { Reference } from '../../src/process/config.ts'
import type { RunResult } from '../../src/run/run-result.ts'
import { FakeTime, settled } from './support/fake-time.ts'

const api = { host: 'api.example', port: 443 }
const away = [
  { host: 'one.example', port: 443 },
  { host: 'two.example', port: 443 },
]

function setUp(apiAddress = '203.0.113.9') {
  const time = new FakeTime()
  const world = { up: new Set(['api.example', 'one.example', 'two.example']), dialled: [] as string[], slow: false }
  const answering: (() => void)[] = []
  const connectivity = new Connectivity({
    api,
    references: away,
    dial: async ({ host }: Reference): Promise<DialResult> => {
      world.dialled.push(host)
      if (world.slow) await new Promise<void>((resolve) => answering.push(resolve))
      return { isUp: world.up.has(host), address: host === api.host ? apiAddress : undefined }
    },
    mono: () => time.now,
    now: () => time.now,
    timer: time.timer,
  })
  return { connectivity, time, world, answer: () => answering.splice(0).forEach((go) => go()) }
}

test('while somebody can be reached, a failure is the target’s', async () => {
  const { connectivity, time, world } = setUp()
  for (const up of ['api.example', 'two.example']) {
    world.up = new Set([up])
    time.now += 1000
    expect(await connectivity.outage.covers(time.now)).toBe(false)
  }
  expect(connectivity.outage.isOut).toBe(false)
})

test('when nobody can, it is ours until the first one can again, and that is told', async () => {
  const { connectivity, time, world } = setUp()
  const began = time.now
  world.up.clear()
  time.now += 500
  expect(await connectivity.outage.covers(began)).toBe(true)
  expect([connectivity.outage.isOut, connectivity.outage.last]).toEqual([true, undefined])
  await time.pass(4000)
  world.up.add('two.example')
  await time.pass(1000)
  expect(connectivity.outage.isOut).toBe(false)
  expect(connectivity.outage.last).toEqual({ ended_at: began + 5500, seconds: 6 })
})

test('a check that began in an outage which has ended by now is not counted', async () => {
  const { connectivity, time, world } = setUp()
  world.up.clear()
  await connectivity.outage.covers(time.now)
  const began = time.now + 500
  world.up.add('one.example')
  await time.pass(2000)
  expect(connectivity.outage.isOut).toBe(false)
  expect(await connectivity.outage.covers(began)).toBe(true)
  expect(await connectivity.outage.covers(time.now)).toBe(false)
})

test('sixty failures at once ask the references once', async () => {
  const { connectivity, time, world, answer } = setUp()
  world.slow = true
  const asking = Array.from({ length: 60 }, (_, n) => connectivity.outage.covers(time.now - n))
  await settled()
  answer()
  expect(new Set(await Promise.all(asking))).toEqual(new Set([false]))
  expect(world.dialled).toHaveLength(3)
})

test('who was reached before the check began proves nothing', async () => {
  const { connectivity, time, world } = setUp()
  expect(await connectivity.outage.covers(time.now)).toBe(false)
  world.up.clear()
  time.now += 1
  expect(await connectivity.outage.covers(time.now)).toBe(true)
  connectivity.outage.stop()
})

test('a server next door speaks for the Internet only where nobody on the Internet was ever reached', async () => {
  for (const [seen, want] of [
    [true, true],
    [false, false],
  ] as const) {
    const { connectivity, time, world } = setUp('192.168.7.1')
    if (!seen) world.up = new Set([api.host])
    await connectivity.outage.look()
    world.up = new Set([api.host])
    time.now += 1
    expect(await connectivity.outage.covers(time.now)).toBe(want)
    connectivity.outage.stop()
  }
})

test.each<[string, Partial<RunResult>, string, boolean]>([
  ['a timeout', { kind: 'timeout' }, 'http://shop.example/', true],
  ['a name that is not found', { kind: 'dns' }, 'https://shop.example/', true],
  ['a reset', { kind: 'reset', address: '203.0.113.7' }, 'tcp://shop.example:25', true],
  ['a refused connection', { kind: 'refused' }, 'http://shop.example/', false],
  ['a wrong status', { kind: 'status', http_status: 500 }, 'http://shop.example/', false],
  ['a body that did not end', { kind: 'timeout', http_status: 200 }, 'http://shop.example/', true],
  ['a redirect to a name that is not found', { kind: 'dns', http_status: 302 }, 'http://shop.example/', true],
  ['a target on this network', { kind: 'timeout', address: '10.0.0.7' }, 'http://shop.example/', false],
  ['a name of this network', { kind: 'dns' }, 'http://nas.local/', false],
  ['a success', { kind: 'ok', success: true }, 'http://shop.example/', false],
])('%s: may it be ours?', (_, found, url, want) => {
  const none = { success: false, error: '', http_status: 0, latency_ms: 1, response_sample: '', phases: {} }
  expect(mayBeOurs({ kind: 'ok', ...none, ...found }, url)).toBe(want)
})

test('local are the addresses and names that lie on this machine or its own network', () => {
  for (const host of [
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    'fe80::1%eth0',
    '::ffff:192.168.0.1',
    '100.64.0.1',
    'nas',
    'a.internal',
  ])
    expect([host, isLocal(host)]).toEqual([host, true])
  for (const host of ['1.1.1.1', '2606:4700:4700::1111', 'shop.example', 'local.example'])
    expect([host, isLocal(host)]).toEqual([host, false])
})

test('a connection and a refusal of one are both signs of life', async () => {
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  expect(await dialTcp({ host: '127.0.0.1', port })).toEqual({ isUp: true, address: '127.0.0.1' })
  await new Promise((resolve) => server.close(resolve))
  expect(await dialTcp({ host: '127.0.0.1', port })).toMatchObject({ isUp: true })
  expect(await dialTcp({ host: 'nobody.invalid', port: 1 })).toMatchObject({ isUp: false })
})
