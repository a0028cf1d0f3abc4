// A receiver that is back hears at once what waits for it, and trouble of our own uses up none of its attempts.

import { createSocket } from 'node:dgram'
import { createChannels } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { readDeliveries } from '@dogwatch/domain/events/delivery-log'
import type { EventType } from '@dogwatch/domain/events/event'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { type DeliveryDeps, deliverOnce } from '../../../alerting/src/deliver.ts'
import { happens } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { resolveByDns } from '../../../channels/src/resolve.ts'
import { mailServer } from '../../../channels/test/support/mail-server.ts'
import { liveOn } from '../retention/rows.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let inbox: Receiver
let sending: DeliveryDeps
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())
beforeEach(async () => {
  inbox = await receiver()
  org = await w.org()
  sending = sendingWith({})
})
afterEach(async () => {
  await w.rows('delete from deliveries')
  await inbox.close()
})

function sendingWith(settings: Partial<Parameters<typeof createChannels>[0]>): DeliveryDeps {
  const channels = createChannels({
    egress_allow: ['127.0.0.0/8'],
    smtp_url: undefined,
    mail_from: undefined,
    ntfy_url: 'http://127.0.0.1:1',
    ...settings,
  })
  return { ...w.deps, channels, public_url: 'https://dogwatch.example' }
}
const webhook = async (webhook_url = inbox.url, name = 'hook') =>
  (await createChannel(w.deps, org.org_id, { kind: 'webhook', name, webhook_url })).id
const tell = (type: EventType, name?: string) => happens(w.deps, org.org_id, type, name)
const log = async () => (await readDeliveries(w.deps, org.org_id)).reverse()
const states = async () => (await log()).map(({ event, state, attempts }) => `${event} ${state} ${attempts}`)
async function drain(): Promise<void> {
  while ((await deliverOnce(sending)).claimed > 0) continue
}
/** Seconds until each delivery is due. */
const waits = async () =>
  (await log()).map(({ next_attempt_at }) =>
    next_attempt_at === null ? null : (Date.parse(next_attempt_at) - w.clock.now().getTime()) / 1000,
  )
const oldest = async () =>
  (await w.rows("select state || ' ' || attempts as was from deliveries order by delivery_id limit 1"))[0]?.was
/** Fails until it waits for hours. */
async function failFor3Hours(): Promise<void> {
  for (const sec of [5, 300, 1800]) {
    await drain()
    w.clock.forward(sec)
  }
  await drain()
}

describe('a receiver that is back', () => {
  test('gets all that waits as soon as it takes anything, in the order in which it happened', async () => {
    await webhook()
    inbox.answer = 500
    for (const name of ['a', 'b', 'c']) {
      await tell('check.down', name)
      w.clock.forward(1)
    }
    await failFor3Hours()
    expect((await waits()).every((sec) => sec !== null && sec > 7000)).toBe(true)
    inbox.answer = 200
    inbox.got.length = 0
    w.clock.forward(60)
    await tell('check.down', 'd')
    await drain()
    expect(inbox.told()).toEqual(
      ['check.down d', 'check.down a', 'check.down b', 'check.down c'].toSorted(byFirst('d')),
    )
    expect(await states()).toEqual([
      ...Array.from({ length: 3 }, () => 'check.down delivered 5'),
      'check.down delivered 1',
    ])
  })

  test('hears of one subject in its order, and never of more than eight at once', async () => {
    await webhook()
    inbox.answer = 500
    for (let i = 0; i < 20; i++) await tell('check.down', `check ${i}`)
    await failFor3Hours()
    w.clock.forward(60)
    let [open, most] = [0, 0]
    inbox.answer = async (response) => {
      most = Math.max(most, ++open)
      await new Promise((resolve) => setImmediate(resolve))
      open--
      response.writeHead(200).end()
    }
    await tell('check.up', 'check 3')
    inbox.got.length = 0
    await drain()
    expect(most).toBeLessThanOrEqual(8)
    expect(inbox.told()).toHaveLength(21)
    expect(inbox.told().filter((line) => line.endsWith(' check 3'))).toEqual(['check.down check 3', 'check.up check 3'])
  })

  test('that takes all but one message is not asked for that one each time, and it keeps its attempts', async () => {
    await webhook()
    inbox.answer = (response, { json }) =>
      void response.writeHead((json.data.check as { name: string }).name === 'poison' ? 400 : 200).end()
    await tell('check.down', 'poison')
    await failFor3Hours()
    const planned = (await waits())[0] ?? 0
    expect(await states()).toEqual(['check.down pending 4'])
    inbox.got.length = 0
    // A message every minute for an hour.
    for (let i = 0; i < 60; i++) {
      w.clock.forward(60)
      await tell('check.down', `n ${i}`)
      await drain()
    }
    const tries = inbox.told().filter((line) => line.endsWith('poison')).length
    expect(tries).toBeGreaterThan(2)
    expect(tries).toBeLessThan(12)
    expect(await oldest()).toBe('pending 4')
    // The regular attempt is where it was.
    const [row] = await w.rows(
      "select wire_time(coalesce(planned_at, next_attempt_at)) as at from deliveries where state = 'pending'",
    )
    expect((Date.parse(String(row?.at)) - w.clock.now().getTime()) / 1000).toBe(planned - 3600)
    w.clock.forward(planned - 3600)
    await drain()
    expect(await oldest()).toBe('pending 5')
  })

  test('is not asked before the time that it asked for itself', async () => {
    await webhook()
    inbox.answer = (response) => void response.writeHead(429, { 'retry-after': '600' }).end()
    await tell('check.down', 'a')
    await drain()
    inbox.answer = 200
    w.clock.forward(10)
    await tell('check.down', 'b')
    await drain()
    expect((await waits())[0]).toBe(590)
  })

  test('says nothing for another channel', async () => {
    const other = await receiver()
    await webhook()
    await webhook(other.url, 'other')
    other.answer = 500
    await tell('check.down', 'a')
    await failFor3Hours()
    await tell('check.down', 'b')
    await drain()
    expect(other.told().filter((line) => line.endsWith(' a'))).toHaveLength(4)
    await other.close()
  })
})

describe('trouble of our own', () => {
  test('a mail server that is away uses up no attempts, and both DOWN and UP arrive when it is back', async () => {
    const port = await freePort()
    const smtp_url = `smtp://127.0.0.1:${port}`
    sending = sendingWith({ smtp_url, mail_from: 'dogwatch@example.com' })
    await createChannel(w.deps, org.org_id, { kind: 'email', name: 'mail', email: 'a@b.example' })
    await tell('check.down')
    for (let i = 0; i < 3; i++) {
      await drain()
      w.clock.forward(30)
    }
    await tell('check.up')
    await drain()
    expect(await states()).toEqual(['check.down pending 0', 'check.up pending 0'])
    expect((await log())[0]).toMatchObject({
      last_error: expect.stringMatching(
        /^problem on the Dogwatch side, not counted as an attempt: smtp: .*ECONNREFUSED/,
      ),
      last_attempt_at: expect.any(String),
    })
    const back = await mailServer({}, port)
    w.clock.forward(30)
    await drain()
    expect(await states()).toEqual(['check.down delivered 1', 'check.up delivered 1'])
    expect(back.got.map(({ raw }) => /^Subject: (\w+)/m.exec(raw)?.[1])).toEqual(['Down', 'Recovered'])
    // Connections are kept open, and the server would wait for them.
    sending.channels.email?.close?.()
    await back.close()
  })

  test('one receiver that cannot be reached has its own trouble', async () => {
    await webhook('http://127.0.0.1:1/')
    await tell('check.down')
    await drain()
    expect(await states()).toEqual(['check.down pending 1'])
    expect((await log())[0]?.last_error).toMatch(/^connect ECONNREFUSED/)
  })

  const NAMES = ['a.example', 'b.example.org', 'c.example.net']
  const nowhere = (names = NAMES) => Promise.all(names.map((name) => webhook(`http://${name}:1/`, name)))
  const here = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])

  test('if no host of several can be reached it is ours, and what was counted before is taken back', async () => {
    sending = sendingWith({ resolve: here })
    await nowhere()
    await tell('check.down')
    await drain()
    expect(await states()).toEqual(Array.from({ length: 3 }, () => 'check.down pending 0'))
    for (let i = 0; i < 20; i++) {
      w.clock.forward(30)
      await drain()
    }
    expect(await states()).toEqual(Array.from({ length: 3 }, () => 'check.down pending 0'))
  })

  test('if another host is reached meanwhile it is theirs', async () => {
    sending = sendingWith({ resolve: here })
    await webhook()
    await tell('check.down')
    await drain()
    await nowhere()
    w.clock.forward(50)
    await tell('check.down', 'other')
    await drain()
    expect((await states()).toSorted()).toEqual([
      ...Array.from({ length: 2 }, () => 'check.down delivered 1'),
      ...Array.from({ length: 3 }, () => 'check.down pending 1'),
    ])
  })

  test('hosts of one domain are one', async () => {
    sending = sendingWith({ resolve: here })
    await nowhere(['a.example.org', 'b.example.org', 'c.example.org'])
    await tell('check.down')
    await drain()
    expect(await states()).toEqual(Array.from({ length: 3 }, () => 'check.down pending 1'))
  })

  test('name servers of ours that answer nobody are our trouble, also with a single receiver', async () => {
    const silent = createSocket('udp4')
    await new Promise<void>((resolve) => void silent.bind(0, '127.0.0.1', resolve))
    const { port } = silent.address()
    silent.close()
    // Nobody is there: the name server refuses, and it does so for the root as well.
    sending = sendingWith({ resolve: resolveByDns({ servers: [`127.0.0.1:${port}`] }) })
    await webhook('http://receiver.example/')
    await tell('check.down')
    await drain()
    expect(await states()).toEqual(['check.down pending 0'])
    expect((await log())[0]?.last_error).toMatch(/^problem on the Dogwatch side/)
  })

  test('is given up on after seven days', async () => {
    sending = sendingWith({ resolve: here })
    await nowhere()
    await tell('check.down')
    await drain()
    w.clock.forward(7 * 86_400 + 1)
    await liveOn(w)
    await drain()
    w.clock.forward(30)
    await liveOn(w)
    await drain()
    expect((await states()).every((line) => /^check\.down (failed|pending)/.test(line))).toBe(true)
    expect(await states()).toContain('check.down failed 0')
  })
})

/** The one of that name, which was told first, first. */
function byFirst(name: string) {
  return (a: string, b: string) => Number(b.endsWith(` ${name}`)) - Number(a.endsWith(` ${name}`)) || a.localeCompare(b)
}
