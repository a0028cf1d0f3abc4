// One organisation's flood or hanging receivers never make another's alert late: real rows, real sockets.
import type { ServerResponse } from 'node:http'
import { startDelivering } from '@dogwatch/alerting/pipeline'
import { openPost } from '@dogwatch/channels/egress'
import { createChannels } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { systemClock } from '@dogwatch/runtime/clock'
import { findTurns, START } from '@dogwatch/store/alerting/delivery-turns'
import { listDueSubjects } from '@dogwatch/store/routing/planned-alerts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { claim, type DeliveryDeps, deliverOnce } from '../../../alerting/src/deliver.ts'
import { happens } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { openKind } from '../../../channels/src/open-kind.ts'
import { RenderThread } from '../../../channels/src/webhook-template/apart.ts'
import { templateKind } from '../../../channels/src/webhook-template/kind.ts'
import { eventually, type Org, type World, world } from '../support/world.ts'

const SETTINGS = {
  egress_allow: ['127.0.0.0/8'],
  smtp_url: undefined,
  mail_from: undefined,
  ntfy_url: 'http://127.0.0.1:1',
}

let w: World
let sending: DeliveryDeps
let inbox: Receiver
let attacker: Org
let honest: Org
beforeAll(async () => {
  w = await world()
  const channels = createChannels(SETTINGS)
  sending = { ...w.deps, channels, public_url: 'https://dogwatch.example' }
})
afterAll(() => w.close())
beforeEach(async () => {
  inbox = await receiver()
  attacker = await w.org()
  honest = await w.org()
})
afterEach(async () => {
  await w.rows('delete from deliveries')
  await inbox.close()
})

async function webhook(org: Org, webhook_url = inbox.url): Promise<number> {
  return (await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'hook', webhook_url })).id
}

/** Many deliveries of one org, all of them older than what comes next. */
async function floods(org: Org, channel: number, count: number): Promise<void> {
  await happens(w.deps, org.org_id, 'check.down', 'seed')
  await w.rows(
    `insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
     select org_id, event_id, $2, 'flood:' || n, created_at - interval '1 hour', created_at - interval '1 hour'
     from events, generate_series(1, $3) n where org_id = $1`,
    org.org_id,
    channel,
    count,
  )
}
const look = (perChannel = 8) =>
  findTurns(w.deps.database.machines, {
    now: w.clock.now().toISOString(),
    after: START,
    perChannel,
    fullOrgs: [],
    fullChannels: [],
    fullKinds: [],
  })

test('behind 15,000 older deliveries of one organisation, the single one of another is claimed at once', async () => {
  await floods(attacker, await webhook(attacker), 15_000)
  await webhook(honest)
  await happens(w.deps, honest.org_id, 'check.down')
  const { deliveries } = await claim(sending, { limit: 2 })
  expect(new Set(deliveries.map(({ org_id }) => org_id))).toEqual(new Set([attacker.org_id, honest.org_id]))
})

test('a look reads a few deliveries of each channel, however many wait', async () => {
  await floods(attacker, await webhook(attacker), 15_000)
  const { turns, until } = await look()
  expect(turns).toHaveLength(8)
  expect(until).toBeNull()
})

test('with more organisations than fit in one look, each gets its turn', async () => {
  await w.rows(`
    with made as (insert into organisations (name, plan) select 'many', 'team' from generate_series(1, 450) returning org_id),
    hooks as (insert into notification_channels (org_id, name, kind, destination)
      select org_id, 'hook', 'webhook', jsonb_build_object('webhook_url', 'https://x' || org_id || '.example/') from made returning org_id, id),
    told as (insert into events (org_id, event_id, type, created_at, subject, data)
      select org_id, 'e', 'check.down', '2026-11-20T11:00:00Z', 's', '{}' from made returning org_id, event_id)
    select 1`)
  await w.rows(`
    insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
    select c.org_id, 'e', c.id, 's' || n, '2026-11-20T11:00:00Z', '2026-11-20T11:00:00Z'
    from notification_channels c join organisations o using (org_id), generate_series(1, 3) n where o.name = 'many'`)
  const served = new Map<number, number>()
  let next: Awaited<ReturnType<typeof claim>>['next']
  for (let i = 0; i < 6; i++) {
    const found = await claim(sending, { limit: 75, ...(next && { after: next }) })
    for (const { org_id } of found.deliveries) served.set(org_id, (served.get(org_id) ?? 0) + 1)
    next = found.next
  }
  expect(served.size).toBe(450)
  expect(new Set(served.values())).toEqual(new Set([1]))
})

test('behind 3,000 alerts of one organisation that waited longer, the single one of another is released in the first run', async () => {
  const plans = async (org: Org, count: number, due_at: string) => {
    const id = await webhook(org)
    await w.rows(
      `with e as (
         insert into events (org_id, event_id, type, created_at, subject, data)
         select $1, 'plan-' || n, 'check.down', $3, 'plan:' || n, '{}' from generate_series(1, $4::integer) n
         returning org_id, event_id, subject)
       insert into planned_alerts (org_id, event_id, channel_id, subject, due_at, held_by, created_at)
       select org_id, event_id, $2, subject, $3, 'delay', $3 from e`,
      org.org_id,
      id,
      due_at,
      count,
    )
  }
  await plans(attacker, 3_000, '2026-11-20T10:00:00Z')
  await plans(honest, 1, '2026-11-20T11:00:00Z')
  const due = await listDueSubjects(w.deps.database.machines, '2026-11-20T12:00:00Z', 1_000)
  expect(due).toHaveLength(1_000)
  expect(due.filter(({ org_id }) => org_id === honest.org_id)).toEqual([{ org_id: honest.org_id, subject: 'plan:1' }])
  await w.rows('delete from planned_alerts')
})

test('15 webhooks of one organisation that hang do not hold up the alert of another', async () => {
  const held: ServerResponse[] = []
  inbox.answer = (response) => void held.push(response)
  for (let i = 0; i < 15; i++) await webhook(attacker)
  for (let i = 0; i < 10; i++) await happens({ ...w.deps, clock: systemClock }, attacker.org_id, 'check.down', `c ${i}`)
  const other = await receiver('127.0.0.2')
  await webhook(honest, other.url)
  const stop = startDelivering({ ...sending, clock: systemClock }, { poll_ms: 100 })
  try {
    await eventually(() => held.length >= 20, 'the share of one organisation hangs')
    await happens({ ...w.deps, clock: systemClock }, honest.org_id, 'check.down')
    await eventually(() => other.got.length === 1, 'the alert of the other arrives')
    // Nothing was answered or given up on meanwhile.
    expect(held.every(({ destroyed }) => !destroyed)).toBe(true)
    expect(held).toHaveLength(20)
  } finally {
    for (const response of held) response.writeHead(204).end()
    inbox.answer = 204
    await w.rows("update deliveries set state = 'failed', next_attempt_at = null where state = 'pending'")
    await stop()
    await other.close()
  }
})

test('an alert whose template waits too long for those of others is sent later, and no attempt is counted', async () => {
  const post = openPost(SETTINGS)
  const thread = new RenderThread({ wait_ms: 0, tries_ms: [1000], stuck_ms: 60_000 })
  const hasty = openKind(templateKind(thread), { receiver: post, operator: post }, SETTINGS)
  const deps = { ...sending, channels: { ...sending.channels, 'webhook-template': hasty } }
  for (const org of [attacker, honest]) {
    const template_body = '{"text": {{ message.title | json }}}'
    await createChannel(w.deps, org.org_id, {
      kind: 'webhook-template',
      name: 'hook',
      template_url: inbox.url,
      template_body,
    })
    // Nothing is read for this kind of event before it is rendered, so both are there at once.
    await happens(w.deps, org.org_id, 'check.flapping')
  }
  expect(await deliverOnce(deps)).toMatchObject({ claimed: 2, delivered: 1, pending: 1 })
  const log = await w.rows('select state, attempts, last_error from deliveries order by state')
  expect(log).toEqual([
    { state: 'delivered', attempts: 1, last_error: null },
    {
      state: 'pending',
      attempts: 0,
      last_error:
        'problem on the Dogwatch side, not counted as an attempt: the template could not be rendered because the server is busy; try again',
    },
  ])
  w.clock.forward(120)
  expect(await deliverOnce(deps)).toMatchObject({ delivered: 1 })
})
