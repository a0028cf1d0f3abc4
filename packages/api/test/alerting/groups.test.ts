// Alerts that come together are one message on channels that people read: what is in it, in which order, and how often.

import { createChannels } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import type { EventType } from '@dogwatch/domain/events/event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { claim, type DeliveryDeps, deliver, deliverOnce } from '../../../alerting/src/deliver.ts'
import { EVENTS } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { type EventToRaise, raise } from '../../../domain/src/events/raise.ts'
import { type Dice, dice } from '../../../runtime/test/support/dice.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let sending: DeliveryDeps
let inbox: Receiver
let org: Org
beforeAll(async () => {
  w = await world()
  const settings = { egress_allow: ['127.0.0.0/8'], smtp_url: undefined, mail_from: undefined }
  const channels = createChannels({ ...settings, ntfy_url: 'http://127.0.0.1:1' })
  sending = { ...w.deps, channels, public_url: 'https://dogwatch.example' }
})
afterAll(() => w.close())
beforeEach(async () => {
  inbox = await receiver()
  inbox.answer = 200
  org = await w.org()
})
afterEach(async () => {
  await w.rows('delete from deliveries')
  await inbox.close()
})

const gotify = async (more = {}) =>
  (
    await createChannel(w.deps, org.org_id, {
      kind: 'gotify',
      name: 'phone',
      gotify_url: inbox.url.replace('/hook', ''),
      gotify_token: 'AbCdEfGhIjKlMnO',
      ...more,
    })
  ).id

/** Raises one event for each of some checks, in one transaction. */
async function happen(type: EventType, names: readonly string[]): Promise<void> {
  const incidents = names.map((name) => incidentOf(name))
  const events = names.map((name, n): EventToRaise => {
    const sample = EVENTS[type === 'check.up' ? 'a check is up' : 'a check is down from some places']?.data
    const data = { ...sample, check: { ...(sample?.check as object), name }, incident_id: incidents[n] }
    return { org_id: org.org_id, type, subject: `check:${name}`, data }
  })
  await w.deps.database.people.transaction().execute((trx) => raise(trx, w.deps, events))
}

const incidentOf = (name: string) => `0190c3a4-0000-7000-8000-${name.replaceAll(/\D/g, '').padStart(12, '0')}`
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `c${from + n}`)
async function drain(): Promise<void> {
  while ((await deliverOnce(sending)).claimed > 0) continue
}
interface Push {
  title: string
  message: string
}
const pushes = () => inbox.got.map(({ json }) => json as unknown as Push)
/** The lines of a push, each as `Down: c3`, without the cause. */
const linesOf = ({ title, message }: Push) => {
  const lines = message.split('\n').filter((line) => /^\d+\. /.test(line))
  const titles = lines.length > 0 ? lines.map((line) => line.replace(/^\d+\. /, '')) : [title]
  return titles.map((one) => one.replace(/ \(Connection refused\)$/, ''))
}
const sizes = () => pushes().map((push) => linesOf(push).length)
const states = async () =>
  (await w.rows('select state, attempts, count(*)::integer as count from deliveries group by 1, 2 order by 1, 2')).map(
    ({ state, attempts, count }) => `${String(count)} ${String(state)} ${String(attempts)}`,
  )

test('22 checks that fail together are one message with a line and a link for each, and 22 deliveries', async () => {
  await gotify()
  await happen('check.down', names(0, 22))
  await drain()
  const [push] = pushes()
  expect([pushes().length, push?.title]).toEqual([1, '22 alerts: 22 down'])
  expect(linesOf(push as Push)).toEqual(names(0, 22).map((name) => `Down: ${name}`))
  const links = [...(push?.message ?? '').matchAll(/^Acknowledge \d+: (https:\S+)$/gm)].map(([, link]) => link)
  expect(new Set(links).size).toBe(22)
  expect(await states()).toEqual(['22 delivered 1'])
})

test('an alert by itself goes out at once, as it always has', async () => {
  await gotify()
  await happen('check.down', ['c1'])
  await drain()
  expect(pushes()[0]?.title).toBe('Down: c1 (Connection refused)')
  expect(await w.rows('select group_id from deliveries')).toEqual([{ group_id: null }])
})

test('what comes within five seconds of a message waits for their end and is one message', async () => {
  await gotify()
  for (const name of names(0, 22)) {
    await happen('check.down', [name])
    await drain()
    w.clock.forward(0.2)
  }
  expect(sizes()).toEqual([1])
  w.clock.forward(0.5)
  const { next_due_at, deliveries } = await claim(sending)
  expect([deliveries, next_due_at]).toEqual([[], '2026-11-20T12:00:05.000000Z'])
  w.clock.forward(0.1)
  await drain()
  expect(sizes()).toEqual([1, 21])
})

test('no alert waits for longer than five seconds, however many there are', async () => {
  await createChannel(w.deps, org.org_id, {
    kind: 'gotify',
    name: 'phone',
    gotify_url: inbox.url.replace('/hook', ''),
    gotify_token: 'AbCdEfGhIjKlMnO',
  })
  await happen('check.down', names(0, 120))
  await drain()
  expect(sizes()).toEqual([25])
  w.clock.forward(5)
  await drain()
  expect(sizes()).toEqual([25, 25, 25, 25, 20])
})

test('a group that fails is tried again with the same members under the same id, whatever came since', async () => {
  await gotify()
  inbox.answer = 500
  await happen('check.down', names(0, 3))
  await drain()
  const [{ group_id } = {}] = await w.rows('select distinct group_id from deliveries')
  w.clock.forward(5)
  await happen('check.down', names(3, 6))
  await drain()
  // Another worker dies with it.
  w.clock.forward(300)
  await claim(sending)
  w.clock.forward(60)
  inbox.answer = 200
  await drain()
  // Different groups go out beside each other.
  const said = pushes().map((push) => linesOf(push).join())
  expect(said.toSorted()).toEqual([
    ...Array<string>(3).fill('Down: c0,Down: c1,Down: c2'),
    ...Array<string>(2).fill('Down: c3,Down: c4,Down: c5'),
  ])
  expect(new Set((await w.rows('select group_id from deliveries')).map((one) => one.group_id)).size).toBe(2)
  expect(await w.rows('select count(*)::integer as n from deliveries where group_id = $1', group_id)).toEqual([
    { n: 3 },
  ])
})

test('an UP waits for the group with its DOWN; when that fails once more it makes way, and the others are another group', async () => {
  await gotify()
  inbox.answer = 500
  await happen('check.down', names(0, 3))
  await drain()
  w.clock.forward(5)
  await drain()
  w.clock.forward(20)
  await happen('check.up', ['c1'])
  await drain()
  // The attempt before its time is not counted for the others.
  expect(await states()).toEqual(['1 pending 1', '2 pending 2', '1 superseded 3'])
  inbox.answer = 200
  w.clock.forward(400)
  await drain()
  const groups = await w.rows('select distinct group_id from deliveries where group_id is not null')
  expect(groups).toHaveLength(2)
  expect(
    pushes()
      .map((push) => linesOf(push).join())
      .slice(-2)
      .toSorted(),
  ).toEqual(['Down: c0,Down: c2', expect.stringMatching(/^Recovered: c1/)])
})

test('a group is charged as one message', async () => {
  await gotify()
  const budgets = {
    channel: { per_hour: 60, burst: 2 },
    organisation: undefined,
    mailbox: undefined,
    shared: undefined,
  }
  await happen('check.down', names(0, 10))
  while ((await deliverOnce({ ...sending, budgets })).claimed > 0) continue
  w.clock.forward(5)
  await happen('check.down', names(10, 20))
  while ((await deliverOnce({ ...sending, budgets })).claimed > 0) continue
  expect(sizes()).toEqual([10, 10])
  expect(await states()).toEqual(['20 delivered 1'])
})

test('nothing is grouped where the switch is off, nor for programs that need each alert', async () => {
  await gotify({ grouping: 'off' })
  await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'hook', webhook_url: inbox.url })
  await happen('check.down', names(0, 4))
  await drain()
  expect(inbox.got).toHaveLength(8)
  expect(await w.rows('select distinct group_id from deliveries')).toEqual([{ group_id: null }])
})

test('one alert costs as many statements with groups as without', async () => {
  const count = async (more: object) => {
    org = await w.org()
    await gotify(more)
    await happen('check.down', ['c1'])
    let statements = 0
    const machines = w.deps.database.machines.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1
        return node
      },
      transformResult: ({ result: found }) => Promise.resolve(found),
    })
    const counted = { ...sending, database: { ...w.deps.database, machines } }
    while ((await deliverOnce(counted)).claimed > 0) continue
    return statements
  }
  await count({})
  expect(await count({})).toBe(await count({ grouping: 'off' }))
})

const SEEDS = 6

/** What a group said, and under which id. */
interface Told {
  id: string
  lines: string[]
}

test(`${SEEDS} random timelines with workers that die: every change is told, once an id, in order, and an id always says the same`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await timeline(dice(seed), seed)
})

async function timeline(d: Dice, seed: number): Promise<void> {
  org = await w.org()
  const channel_id = await gotify()
  inbox.got.length = 0
  const taken: Told[] = []
  const mayBeAway = seed % 2 === 0
  let isAway = false
  let isDying = false
  inbox.answer = (response, { json }) => {
    if (!isAway) taken.push({ id: '', lines: linesOf(json as unknown as Push) })
    response.writeHead(isAway ? 500 : 200).end()
  }
  const isDown = new Map<string, boolean>()
  const changes = new Map<string, string[]>()
  const change = async () => {
    const some = d.some(names(0, 9), 1 + d.below(6))
    for (const down of [true, false]) {
      const own = some.filter((name) => (isDown.get(name) ?? false) !== down)
      if (own.length === 0) continue
      await happen(down ? 'check.down' : 'check.up', own)
      for (const name of own) {
        isDown.set(name, down)
        changes.set(name, [...(changes.get(name) ?? []), down ? 'Down' : 'Recovered'])
      }
    }
  }
  const ids = new Map<string, string>()
  const step = async () => {
    const claimed = await claim(sending)
    for (const message of claimed.deliveries) {
      // The worker dies before it sends, or after it sent and before it records.
      const dies = isDying ? d.below(3) : 0
      const id = message.group_id ?? message.event_id
      const members = message.members.map(({ delivery_id }) => delivery_id).join()
      expect({ seed, id, members: ids.get(id) ?? members }).toEqual({ seed, id, members })
      ids.set(id, members)
      if (dies === 1) continue
      const before = taken.length
      // What nobody finds is not recorded.
      const lost = { ...message, members: message.members.map((one) => ({ ...one, org_id: -1 })) }
      await deliver(sending, dies === 2 ? lost : message)
      for (const one of taken.slice(before)) one.id = id
    }
  }
  for (let turn = 0; turn < 40; turn++) {
    if (d.below(3) > 0) await change()
    if (mayBeAway && d.below(6) === 0) isAway = !isAway
    isDying = d.below(4) === 0
    await step()
    w.clock.forward(d.one([0, 1, 2, 5, 30, 70]))
  }
  isAway = false
  isDying = false
  for (let turn = 0; turn < 40; turn++) {
    await step()
    w.clock.forward(61)
  }
  const left = await w.rows(
    `select count(*)::integer as n from deliveries where channel_id = $1 and state = 'pending'`,
    channel_id,
  )
  expect(left).toEqual([{ n: 0 }])
  // A repeat under an id that was taken before is known as such.
  const known = new Set<string>()
  const once = taken.filter(({ id }) => !known.has(id) && known.add(id))
  const superseded = (await w.rows(
    `select e.data -> 'check' ->> 'name' as name, count(*)::integer as n from deliveries join events e using (org_id, event_id)
     where channel_id = $1 and state = 'superseded' group by 1`,
    channel_id,
  )) as { name: string; n: number }[]
  for (const [name, all] of changes) {
    const told = once.flatMap(({ lines }) => lines.filter((line) => new RegExp(`: ${name}\\b`).test(line)))
    const words = told.map((line) => line.split(':')[0] ?? '')
    // While the receiver is away, a DOWN makes way for its UP.
    const gone = superseded.find((one) => one.name === name)?.n ?? 0
    const isWhole = all.length - words.length <= (mayBeAway ? gone : 0)
    const facts = { isWhole, isOrdered: isWithin(words, all), last: words.at(-1) }
    expect({ seed, name, ...facts }).toEqual({ seed, name, isWhole: true, isOrdered: true, last: all.at(-1) })
  }
}

/** Whether some of a list come in its order, each once. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let at = -1
  return some.every((one) => {
    at = all.indexOf(one, at + 1)
    return at >= 0
  })
}
