// Deliveries over time: tried, tried again, given up, in order and by several at once, to a real receiver.

import { createChannels } from '@dogwatch/channels/registry'
import { tellPresence } from '@dogwatch/domain/availability'
import { createChannel, removeChannel, switchChannel } from '@dogwatch/domain/channels/edit'
import { testChannel } from '@dogwatch/domain/channels/test-channel'
import { takeBackFuture } from '@dogwatch/domain/clock-set-back'
import { readDeliveries } from '@dogwatch/domain/events/delivery-log'
import type { EventType } from '@dogwatch/domain/events/event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { claim, type DeliveryCounts, type DeliveryDeps, deliver, deliverOnce } from '../../../alerting/src/deliver.ts'
import type { UnderWay } from '../../../alerting/src/turns.ts'
import { happens } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { fakeClock } from '../../../runtime/test/support/fake-clock.ts'
import { liveOn, setDatabaseTime } from '../retention/rows.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let sending: DeliveryDeps
let inbox: Receiver
let org: Org
let channel: number
beforeAll(async () => {
  w = await world()
  const channels = createChannels({
    egress_allow: ['127.0.0.0/8'],
    smtp_url: undefined,
    mail_from: undefined,
    ntfy_url: 'http://127.0.0.1:1',
  })
  sending = { ...w.deps, channels, public_url: 'https://dogwatch.example' }
})
afterAll(() => w.close())
beforeEach(async () => {
  inbox = await receiver()
  org = await w.org()
  channel = await webhook('hook')
})
afterEach(async () => {
  await w.rows('delete from deliveries')
  await inbox.close()
})

async function webhook(name: string, webhook_url = inbox.url): Promise<number> {
  return (await createChannel(w.deps, org.org_id, { kind: 'webhook', name, webhook_url })).id
}
const tell = (type: EventType, name?: string) => happens(w.deps, org.org_id, type, name)
const log = () => readDeliveries(w.deps, org.org_id)
/** The log from oldest to newest: `check.down pending 1`. */
const states = async () => (await log()).map(({ event, state, attempts }) => `${event} ${state} ${attempts}`).reverse()
const NOTHING: DeliveryCounts = { claimed: 0, delivered: 0, pending: 0, failed: 0, superseded: 0, lost: 0 }
const place = (given: Partial<UnderWay>): UnderWay => ({
  org_id: org.org_id,
  channel_id: 0,
  kind: 'webhook',
  host: '',
  is_retry: false,
  ...given,
})
/** Runs until there is nothing due. */
async function drain(): Promise<void> {
  while ((await deliverOnce(sending)).claimed > 0) continue
}

test('what happened is sent once, and the log has its status, latency and time', async () => {
  await tell('check.down')
  expect(await deliverOnce(sending)).toEqual({ ...NOTHING, claimed: 1, delivered: 1 })
  expect(await deliverOnce(sending)).toEqual(NOTHING)
  expect(inbox.told()).toEqual(['check.down shop'])
  expect(await log()).toEqual([
    expect.objectContaining({
      event: 'check.down',
      channel: { id: channel, name: 'hook', kind: 'webhook' },
      state: 'delivered',
      attempts: 1,
      last_status: 204,
      last_latency_ms: expect.any(Number),
      last_error: null,
      next_attempt_at: null,
      last_attempt_at: '2026-11-20T12:00:00.000000Z',
    }),
  ])
})

test('what fails is tried again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and is then given up', async () => {
  inbox.answer = 500
  await tell('check.down')
  const hours = 3600
  for (const [i, wait_sec] of [0, 5, 300, 1800, 2 * hours, 5 * hours, 10 * hours, 14 * hours, 20 * hours].entries()) {
    if (wait_sec > 0) {
      w.clock.forward(wait_sec - 1)
      expect(await deliverOnce(sending)).toEqual(NOTHING)
      w.clock.forward(1)
    }
    expect(await deliverOnce(sending)).toEqual({ ...NOTHING, claimed: 1, pending: 1 })
    expect(await states()).toEqual([`check.down pending ${i + 1}`])
  }
  w.clock.forward(24 * hours)
  expect(await deliverOnce(sending)).toEqual({ ...NOTHING, claimed: 1, failed: 1 })
  expect(await log()).toEqual([
    expect.objectContaining({
      state: 'failed',
      attempts: 10,
      last_status: 500,
      last_error: 'status 500',
      next_attempt_at: null,
    }),
  ])
  expect(new Set(inbox.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(inbox.got.map(({ body }) => body)).size).toBe(1)
})

test('a Retry-After is waited for, and an immodest one is cut to an hour', async () => {
  inbox.answer = (response) => void response.writeHead(429, { 'retry-after': '600' }).end()
  await tell('check.down')
  await drain()
  w.clock.forward(599)
  expect(await deliverOnce(sending)).toEqual(NOTHING)
  w.clock.forward(1)
  const at = new Date(w.clock.now().getTime() + 86_400_000).toUTCString()
  inbox.answer = (response) => void response.writeHead(503, { 'retry-after': at }).end()
  expect(await deliverOnce(sending)).toMatchObject({ pending: 1 })
  w.clock.forward(3599)
  expect(await deliverOnce(sending)).toEqual(NOTHING)
  w.clock.forward(1)
  expect(await deliverOnce(sending)).toMatchObject({ claimed: 1 })
})

test('a DOWN not yet delivered is sent with its UP, in order, and then given up', async () => {
  inbox.answer = 500
  await tell('check.down')
  await drain()
  w.clock.forward(2)
  await tell('check.up')
  await drain()
  expect(inbox.told()).toEqual(['check.down shop', 'check.down shop', 'check.up shop'])
  expect(await states()).toEqual(['check.down superseded 2', 'check.up pending 1'])
  inbox.answer = 200
  w.clock.forward(5)
  await drain()
  expect(inbox.told().at(-1)).toBe('check.up shop')
  expect(await states()).toEqual(['check.down superseded 2', 'check.up delivered 2'])
})

test('a receiver that is back gets the DOWN before its UP', async () => {
  inbox.answer = 500
  await tell('check.down')
  await drain()
  inbox.answer = 200
  await tell('check.up')
  await drain()
  expect(inbox.told()).toEqual(['check.down shop', 'check.down shop', 'check.up shop'])
  expect(await states()).toEqual(['check.down delivered 2', 'check.up delivered 1'])
})

test('an UP that comes while its DOWN is being sent: the DOWN is tried once more, at once', async () => {
  inbox.answer = async (response) => {
    if (inbox.got.length === 1) await tell('check.up')
    response.writeHead(500).end()
  }
  await tell('check.down')
  await drain()
  expect(inbox.told()).toEqual(['check.down shop', 'check.down shop', 'check.up shop'])
  expect(await states()).toEqual(['check.down superseded 2', 'check.up pending 1'])
})

test('what waits about one check holds up no other, and no other channel', async () => {
  const other = await receiver()
  await webhook('other', other.url)
  inbox.answer = (response, { json }) => {
    const isShop = (json.data.check as { name: string }).name === 'shop'
    response.writeHead(isShop ? 500 : 200).end()
  }
  await tell('check.down')
  await drain()
  await tell('check.down', 'api')
  await drain()
  expect(inbox.told()).toEqual(['check.down shop', 'check.down api'])
  expect(other.told()).toEqual(['check.down shop', 'check.down api'])
  await other.close()
})

test('a reminder is not sent where something about its check still waits', async () => {
  inbox.answer = 500
  await tell('check.down')
  await drain()
  await tell('check.reminder')
  w.clock.forward(5)
  await drain()
  expect(inbox.told()).toEqual(['check.down shop', 'check.down shop'])
})

test('one that hangs takes no more than its share, so that others are served', async () => {
  const other = await receiver()
  await webhook('other', other.url)
  let answer: () => void = () => {}
  const opened = new Promise<void>((resolve) => (answer = resolve))
  inbox.answer = async (response) => {
    await opened
    response.writeHead(200).end()
  }
  for (let i = 0; i < 20; i++) await tell('check.down', `check ${i}`)
  const { deliveries: claimed } = await claim(sending, { limit: 50 })
  expect(claimed.filter(({ channel_id }) => channel_id === channel)).toHaveLength(8)
  expect(claimed).toHaveLength(16)
  const { deliveries: next } = await claim(sending, {
    limit: 50,
    underWay: Array.from({ length: 8 }, () => place({ channel_id: channel, host: new URL(inbox.url).host })),
  })
  expect(next.every(({ channel_id }) => channel_id !== channel)).toBe(true)
  answer()
  await other.close()
})

test('of mail no more is claimed than can go out at once, and what else waits is not behind it', async () => {
  const settings = { egress_allow: [], smtp_url: 'smtp://127.0.0.1:1', mail_from: 'a@b.example', ntfy_url: 'http://x' }
  const channels = createChannels(settings)
  const kinds = async (underWay: UnderWay[]) => {
    const { deliveries } = await claim({ ...sending, channels }, { limit: 50, underWay })
    return deliveries.map((delivery) => delivery.channel.kind).sort()
  }
  const mails = (length: number) =>
    Array.from({ length }, (_, i) => place({ org_id: -i, channel_id: -i, kind: 'email' }))
  await removeChannel(w.deps, channel)
  for (let i = 0; i < 12; i++)
    await createChannel(w.deps, org.org_id, { kind: 'email', name: 'mail', email: 'a@b.example' })
  await tell('check.down')
  await webhook('hook')
  w.clock.forward(1)
  await tell('check.up', 'another')
  expect(await kinds(mails(5))).toEqual(['webhook'])
  expect(await kinds(mails(3))).toEqual(['email', 'email'])
  // The last connection is kept for other organisations.
  expect(await kinds([])).toEqual(Array.from({ length: 4 }, () => 'email'))
  channels.email?.close?.()
})

test('four workers at once share the work, and nothing is sent twice', async () => {
  for (let i = 0; i < 60; i++) await tell(i % 2 === 0 ? 'check.down' : 'check.up', `check ${Math.floor(i / 2)}`)
  const totals = await Promise.all(
    Array.from({ length: 4 }, async () => {
      let delivered = 0
      for (let idle = 0; idle < 3; ) {
        const counts = await deliverOnce(sending, { limit: 5 })
        delivered += counts.delivered
        idle = counts.claimed === 0 ? idle + 1 : 0
      }
      return delivered
    }),
  )
  expect(totals.reduce((sum, delivered) => sum + delivered)).toBe(60)
  expect(totals.filter((delivered) => delivered > 0).length).toBeGreaterThan(1)
  const ids = inbox.got.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(60)
  expect(ids).toHaveLength(60)
  for (let i = 0; i < 30; i++) {
    const own = inbox.told().filter((line) => line.endsWith(` check ${i}`))
    expect(own).toEqual([`check.down check ${i}`, `check.up check ${i}`])
  }
})

test('a worker that dies between sending and recording: when its lease is over it is sent again, with the same id', async () => {
  await tell('check.down')
  const {
    deliveries: [taken],
  } = await claim(sending)
  await sending.channels.webhook?.send({
    webhook_id: `msg_${taken?.event_id}_${channel}`,
    sent_at: w.clock.now(),
    type: 'check.down',
    timestamp: taken?.happened_at ?? '',
    data: taken?.data,
    message: { severity: 'down', title: '', lines: [], facts: [], link: '' },
    destination: { webhook_url: inbox.url, webhook_secret: '' },
  })
  w.clock.forward(59)
  expect(await deliverOnce(sending)).toEqual(NOTHING)
  w.clock.forward(1)
  expect(await deliverOnce(sending)).toMatchObject({ delivered: 1 })
  const [first, second] = inbox.got
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.json).toMatchObject(first?.json ?? {})
})

test('who comes back after its lease was over does not end the lease of another', async () => {
  inbox.answer = async (response) => {
    if (inbox.got.length === 1) {
      w.clock.forward(61)
      await claim(sending)
    }
    response.writeHead(500).end()
  }
  await tell('check.down')
  expect(await deliverOnce(sending)).toMatchObject({ claimed: 1, lost: 1 })
  w.clock.forward(5)
  expect(await deliverOnce(sending)).toEqual(NOTHING)
  expect(await states()).toEqual(['check.down pending 0'])
})

test('who stood still until its lease was over sends nothing: others may have told it, and what came after it', async () => {
  await tell('check.down')
  const { deliveries } = await claim(sending)
  w.clock.forward(61)
  await drain()
  await tell('check.up')
  await drain()
  expect(inbox.told()).toEqual(['check.down shop', 'check.up shop'])
  expect(await Promise.all(deliveries.map((delivery) => deliver(sending, delivery)))).toEqual(['lost'])
  expect(inbox.told()).toEqual(['check.down shop', 'check.up shop'])
})

test('what others write by a time that this process does not believe yet goes out at once, and is retried in its time', async () => {
  inbox.answer = 500
  w.clock.jump(7200)
  const right = fakeClock(w.clock.asTold().toISOString())
  await happens({ ...w.deps, clock: right }, org.org_id, 'check.down')
  expect(await deliverOnce(sending)).toMatchObject({ claimed: 1, pending: 1 })
  expect(await deliverOnce(sending)).toEqual(NOTHING)
  inbox.answer = 204
  w.clock.forward(5)
  expect(await deliverOnce(sending)).toMatchObject({ delivered: 1 })
  w.clock.jump(0)
})

test('who comes back after its lease was over changes nothing that another recorded', async () => {
  inbox.answer = async (response) => {
    if (inbox.got.length === 1) {
      // The first sender sleeps; another takes over and is done.
      w.clock.forward(61)
      expect(await deliverOnce(sending)).toMatchObject({ delivered: 1 })
      response.writeHead(500).end()
    } else response.writeHead(200).end()
  }
  await tell('check.down')
  expect(await deliverOnce(sending)).toMatchObject({ claimed: 1, lost: 1 })
  expect(await states()).toEqual(['check.down delivered 1'])
})

test('switching a channel off gives up what waits for it, and says so', async () => {
  inbox.answer = 500
  await tell('check.down')
  await drain()
  await switchChannel(w.deps, channel, false)
  expect(await log()).toEqual([
    expect.objectContaining({
      state: 'failed',
      attempts: 1,
      last_error: 'the channel is disabled',
    }),
  ])
  w.clock.forward(86_400)
  expect(await deliverOnce(sending)).toEqual(NOTHING)
})

test('a channel that is switched off while something is sent to it: what fails is not tried again', async () => {
  inbox.answer = async (response) => {
    await switchChannel(w.deps, channel, false)
    response.writeHead(500).end()
  }
  await tell('check.down')
  expect(await deliverOnce(sending)).toMatchObject({ pending: 1 })
  w.clock.forward(5)
  expect(await deliverOnce(sending)).toMatchObject({ failed: 1 })
  expect(inbox.got).toHaveLength(1)
  expect(await log()).toEqual([
    expect.objectContaining({
      state: 'failed',
      attempts: 1,
      last_error: 'the channel is disabled',
    }),
  ])
})

test('a channel that is deleted while something is sent to it takes its deliveries along', async () => {
  inbox.answer = async (response) => {
    await removeChannel(w.deps, channel)
    response.writeHead(500).end()
  }
  await tell('check.down')
  expect(await deliverOnce(sending)).toMatchObject({ lost: 1 })
  expect(await log()).toEqual([])
})

test('email without SMTP_URL and MAIL_FROM waits, says why, counts no attempt, and is given up after 3 days', async () => {
  await removeChannel(w.deps, channel)
  await createChannel(w.deps, org.org_id, { kind: 'email', name: 'mail', email: 'alice@example.com' })
  await tell('check.down')
  const waiting = {
    state: 'pending',
    attempts: 0,
    last_error: 'email is not set up: SMTP_URL and MAIL_FROM are not set',
    last_attempt_at: null,
  }
  await drain()
  expect(await log()).toEqual([expect.objectContaining(waiting)])
  w.clock.forward(60)
  expect(await deliverOnce(sending)).toMatchObject({ pending: 1 })
  w.clock.forward(3 * 86_400 - 61)
  expect(await deliverOnce(sending)).toMatchObject({ pending: 1 })
  w.clock.forward(60)
  await liveOn(w)
  expect(await deliverOnce(sending)).toMatchObject({ failed: 1 })
  expect(await log()).toEqual([expect.objectContaining({ ...waiting, state: 'failed' })])
})

test.each([7200, 404 * 86_400])(
  'a clock ahead by %d s for a moment gives nothing up, and puts nothing off',
  async (ahead_sec) => {
    await removeChannel(w.deps, channel)
    await createChannel(w.deps, org.org_id, { kind: 'email', name: 'mail', email: 'alice@example.com' })
    await tell('check.down')
    await liveOn(w)
    await drain()
    await tellPresence(w.deps)
    w.clock.forward(ahead_sec)
    await setDatabaseTime(w)
    await tellPresence(w.deps)
    expect(await deliverOnce(sending)).toMatchObject({ pending: 1 })
    w.clock.forward(60 - ahead_sec)
    await setDatabaseTime(w)
    await tellPresence(w.deps)
    await takeBackFuture(w.deps)
    expect(await deliverOnce(sending)).toMatchObject({ pending: 1 })
  },
)

test('a channel can be tested by itself, past what waits for it', async () => {
  await webhook('other')
  inbox.answer = 500
  await tell('check.down')
  await drain()
  inbox.answer = 200
  inbox.got.length = 0
  const { delivery_id } = await testChannel(w.deps, channel)
  await drain()
  expect(inbox.got.map(({ json }) => json)).toEqual([
    {
      type: 'channel.test',
      timestamp: expect.any(String),
      data: { org: { name: expect.any(String) }, channel: { id: channel, name: 'hook', kind: 'webhook' } },
    },
  ])
  expect((await log())[0]).toMatchObject({ delivery_id, event: 'channel.test', state: 'delivered' })
})

test('a channel that is not there, or is switched off, is not tested', async () => {
  await expect(testChannel(w.deps, 999_999)).rejects.toThrow('no channel with that id')
  await switchChannel(w.deps, channel, false)
  await expect(testChannel(w.deps, channel)).rejects.toThrow(
    'this channel is disabled; enable it to send a test message',
  )
})

test('the log of one org shows nothing of another', async () => {
  await tell('check.down')
  const other = await w.org()
  expect(await readDeliveries(w.deps, other.org_id)).toEqual([])
  await expect(readDeliveries(w.deps, 999_999)).rejects.toThrow('no organisation with that id')
})
