// A budget that is spent: what is over is told in one message, in order, and never lost.

import { createChannels } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { readDeliveries } from '@dogwatch/domain/events/delivery-log'
import type { SummaryData } from '@dogwatch/domain/events/event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Budgets } from '../../../alerting/src/budgets.ts'
import { claim, type DeliveryDeps, deliver, deliverOnce } from '../../../alerting/src/deliver.ts'
import { happens } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { type MailServer, mailServer } from '../../../channels/test/support/mail-server.ts'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
let mail: MailServer
let sending: DeliveryDeps
let inbox: Receiver
let org: Org
beforeAll(async () => {
  w = await world()
  mail = await mailServer()
  const channels = createChannels({
    egress_allow: ['127.0.0.0/8'],
    smtp_url: `smtp://127.0.0.1:${mail.port}`,
    mail_from: 'dogwatch@example.com',
    ntfy_url: 'http://127.0.0.1:1',
  })
  sending = { ...w.deps, channels, public_url: 'https://dogwatch.example' }
})
afterAll(async () => {
  sending.channels.email?.close?.()
  await w.close()
  await mail.close()
})
beforeEach(async () => {
  inbox = await receiver()
  mail.got.length = 0
  org = await w.org()
})
afterEach(async () => {
  await w.rows('delete from deliveries')
  await inbox.close()
})

const NONE: Budgets = { channel: undefined, organisation: undefined, mailbox: undefined, shared: undefined }
const within = (budgets: Partial<Budgets>): DeliveryDeps => ({ ...sending, budgets: { ...NONE, ...budgets } })
const webhook = async (webhook_url = inbox.url) =>
  (await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'hook', webhook_url })).id
const email = async (address: string, to: Org = org) =>
  (await createChannel(w.deps, to.org_id, { kind: 'email', name: 'mail', email: address, grouping: 'off' })).id
const tell = (name: string, type: 'check.down' | 'check.up' = 'check.down') => happens(w.deps, org.org_id, type, name)
/** Runs until there is nothing due. */
async function drain(through: DeliveryDeps): Promise<void> {
  for (let idle = 0; idle < 2; ) idle = (await deliverOnce(through)).claimed > 0 ? 0 : idle + 1
}
const states = async () =>
  (await readDeliveries(w.deps, org.org_id)).map(({ event, state }) => `${event} ${state}`).reverse()
const summaries = () => inbox.got.filter(({ json }) => json.type === 'alerts.summary')

test('beyond the budget of a channel, one message tells of the rest, and the log says which', async () => {
  const through = within({ channel: { per_hour: 60, burst: 3 } })
  await webhook()
  for (let i = 0; i < 10; i++) await tell(`check ${i}`)
  await drain(through)
  // Of different checks, they go out beside each other.
  expect(inbox.told().sort()).toEqual(['check.down check 0', 'check.down check 1', 'check.down check 2'])
  expect(await states()).toEqual([
    ...Array<string>(3).fill('check.down delivered'),
    ...Array<string>(7).fill('check.down summarised'),
    'alerts.summary pending',
  ])
  // What comes meanwhile goes the same way, though a place is free again by now.
  w.clock.forward(70)
  await tell('check 10')
  await drain(through)
  expect(inbox.got).toHaveLength(3)
  w.clock.forward(60)
  await drain(through)
  const [summary, ...more] = summaries()
  expect(more).toEqual([])
  expect(summary?.json.data).toMatchObject({ count: 8, counts: [{ type: 'check.down', count: 8 }], down_count: 0 })
  expect((await states()).at(-2)).toBe('alerts.summary delivered')
  // And then it is as before.
  await tell('check 11')
  await drain(through)
  expect(inbox.told().at(-1)).toBe('check.down check 11')
})

test('the summary says what is down by then, and an UP after it reaches whoever read only that', async () => {
  const through = within({ channel: { per_hour: 60, burst: 1 } })
  await webhook()
  const monitor = await w.monitor(org)
  const guids = await w.checks(org, [{ name: 'shop' }, { name: 'api' }, { name: 'blog' }], 'all')
  w.clock.forward(60)
  const at = (n: number) => new Date(w.clock.now().getTime() + n * 1000).toISOString()
  const upload = (guid: string | undefined, success: boolean, n: number) =>
    monitor.client.upload([result(guid ?? '', { success, ran_at: at(n) })])
  for (const [n, guid] of guids.entries()) await upload(guid, false, n - 30)
  await drain(through)
  // Down and up again within what is gathered.
  await upload(guids[2], true, -20)
  await drain(through)
  w.clock.forward(121)
  await drain(through)
  const { count, counts, checks, down_count } = summaries()[0]?.json.data as unknown as SummaryData
  expect({ count, counts, down_count }).toEqual({
    count: 3,
    counts: [
      { type: 'check.down', count: 2 },
      { type: 'check.up', count: 1 },
    ],
    down_count: 2,
  })
  expect(checks.map(({ name }) => name)).toEqual(['shop', 'api'])
  w.clock.forward(121)
  await upload(guids[1], true, -1)
  await drain(through)
  expect(inbox.told().at(-1)).toBe('check.up api')
})

test('a mailbox has one budget, however its address is written and whosever the channels are', async () => {
  const through = within({ mailbox: { per_hour: 60, burst: 4 } })
  const first = org
  await email('ops@example.com')
  await email('Ops+two@example.com')
  for (let i = 0; i < 2; i++) await tell(`check ${i}`)
  org = await w.org()
  await email('OPS@EXAMPLE.com')
  for (let i = 0; i < 5; i++) await tell(`other ${i}`)
  await drain(through)
  expect(mail.got).toHaveLength(4)
  const log = [...(await readDeliveries(w.deps, first.org_id)), ...(await readDeliveries(w.deps, org.org_id))]
  expect(log.filter(({ state }) => state === 'summarised')).toHaveLength(5)
})

test('an organisation has one budget for all of its channels, and another is not held to it', async () => {
  const through = within({ organisation: { per_hour: 60, burst: 5 } })
  for (let i = 0; i < 3; i++) await webhook()
  for (let i = 0; i < 4; i++) await tell(`check ${i}`)
  const first = org
  org = await w.org()
  await webhook()
  await tell('honest')
  await drain(through)
  expect(inbox.got).toHaveLength(6)
  expect(inbox.told()).toContain('check.down honest')
  const log = await readDeliveries(w.deps, first.org_id)
  expect(log.filter(({ state }) => state === 'summarised')).toHaveLength(7)
})

test('one organisation does not spend the quota of ntfy, which all share, however many topics it has', async () => {
  const ntfy = createChannels({ ntfy_url: inbox.url, smtp_url: undefined, mail_from: undefined, egress_allow: [] })
  const through = { ...within({ shared: { per_hour: 60, burst: 5 } }), channels: ntfy }
  const topic = (n: number, to = org) =>
    createChannel(w.deps, to.org_id, {
      kind: 'ntfy',
      name: `phone ${n}`,
      ntfy_topic: `phone-${n}`,
      grouping: 'off',
    })
  for (let n = 0; n < 3; n++) await topic(n)
  for (let i = 0; i < 4; i++) await tell(`check ${i}`)
  const greedy = org
  org = await w.org()
  await topic(9)
  await tell('honest')
  await drain(through)
  const told = inbox.got.map(({ json }) => String(json.topic))
  expect([told.length, told.filter((name) => name === 'phone-9')]).toEqual([6, ['phone-9']])
  const log = await readDeliveries(w.deps, greedy.org_id)
  expect(log.filter(({ state }) => state === 'summarised')).toHaveLength(7)
  // Its summaries are held to the quota as well, and come in the end: one for each topic.
  for (let minutes = 0; minutes < 10; minutes += 2) {
    w.clock.forward(121)
    await drain(through)
  }
  const summarised = new Set(log.flatMap(({ state, channel }) => (state === 'summarised' ? [channel.id] : [])))
  expect(inbox.got).toHaveLength(6 + summarised.size)
})

test('an attempt is charged once: retries use up nothing', async () => {
  const through = within({ channel: { per_hour: 1, burst: 2 } })
  await webhook()
  inbox.answer = 500
  await tell('one')
  for (const wait_sec of [0, 5, 300, 1800]) {
    w.clock.forward(wait_sec)
    await drain(through)
  }
  expect(inbox.got).toHaveLength(4)
  inbox.answer = 204
  await tell('two')
  await drain(through)
  expect(inbox.told()).toContain('check.down two')
})

test('a worker that dies over what is too much loses none of it', async () => {
  const through = within({ channel: { per_hour: 1, burst: 1 } })
  await webhook()
  for (let i = 0; i < 4; i++) await tell(`check ${i}`)
  const { deliveries } = await claim(through)
  expect(deliveries).toHaveLength(1)
  // Nothing of that is recorded, and its lease runs out.
  w.clock.forward(61)
  await drain(through)
  w.clock.forward(121)
  const {
    deliveries: [summary],
  } = await claim(through)
  // It dies after it began to send the summary.
  expect(summary?.type).toBe('alerts.summary')
  if (summary) await deliver({ ...through, database: w.deps.database }, summary)
  expect(summaries()).toHaveLength(1)
  expect(summaries()[0]?.json.data).toMatchObject({ count: 3 })
  expect(new Set(await states())).toEqual(
    new Set(['check.down delivered', 'check.down summarised', 'alerts.summary delivered']),
  )
})

test('a summary that is tried again is the same, under the same id', async () => {
  const through = within({ channel: { per_hour: 60, burst: 1 } })
  await webhook()
  for (let i = 0; i < 4; i++) await tell(`check ${i}`)
  await drain(through)
  inbox.answer = 500
  w.clock.forward(121)
  await drain(through)
  inbox.answer = 204
  w.clock.forward(5)
  await drain(through)
  const [first, second] = summaries()
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.body).toBe(first?.body)
})

test('a receiver that keeps incidents hears each alert, later: no DOWN of it may lose its UP', async () => {
  const through = within({ channel: { per_hour: 60, burst: 2 } })
  const wanted = { kind: 'alertmanager', name: 'keeper', alertmanager_url: inbox.url }
  await createChannel(w.deps, org.org_id, wanted)
  inbox.answer = 200
  for (let i = 0; i < 3; i++) await tell(`check ${i}`)
  await drain(through)
  expect(inbox.got).toHaveLength(2)
  expect((await states()).toSorted()).toEqual(['check.down delivered', 'check.down delivered', 'check.down pending'])
  w.clock.forward(91)
  await drain(through)
  expect(inbox.got).toHaveLength(3)
  expect(await states()).toEqual(Array(3).fill('check.down delivered'))
})

test('what a receiver refuses for good is not tried again, and the channel stays on', async () => {
  await createChannel(w.deps, org.org_id, { kind: 'alertmanager', name: 'keeper', alertmanager_url: inbox.url })
  inbox.answer = (response) => void response.writeHead(400).end('"start time must be before end time"')
  await tell('check')
  await drain(sending)
  w.clock.forward(3600)
  await drain(sending)
  expect(inbox.got).toHaveLength(1)
  const log = await readDeliveries(w.deps, org.org_id)
  expect(log.map(({ state, attempts, last_error }) => [state, attempts, last_error])).toEqual([
    ['failed', 1, 'status 400: "start time must be before end time"'],
  ])
  expect(await w.rows('select enabled from notification_channels where org_id = $1', org.org_id)).toEqual([
    { enabled: true },
  ])
})
