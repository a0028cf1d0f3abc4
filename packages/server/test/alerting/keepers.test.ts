// Receivers that keep incidents close each one that they opened, whatever happens in between.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { deliverOnce, type DeliveryDeps } from '../../src/alerting/deliver.ts'
import { createChannels } from '../../src/channels/registry.ts'
import { createChannel } from '../../src/domain/channels/edit.ts'
import { remind } from '../../src/domain/events/remind.ts'
import { standInFor } from '../channels/fakes/all.ts'
import { alertmanager, firing } from '../channels/fakes/alertmanager.ts'
import { openAliases, opsgenie } from '../channels/fakes/opsgenie.ts'
import { openAlerts, pagerduty } from '../channels/fakes/pagerduty.ts'
import { type Asked, type Fakes, openFakes, type Vendor } from '../channels/fakes/vendor.ts'
import { result, type World, world } from '../support/world.ts'

const KEEPERS = [
  { vendor: pagerduty, open: openAlerts },
  { vendor: opsgenie, open: openAliases },
  { vendor: alertmanager, open: firing },
]
let w: World
let fakes: Fakes
let sending: DeliveryDeps
beforeAll(async () => {
  w = await world()
  const vendors = KEEPERS.map(({ vendor }) => vendor)
  fakes = await openFakes(vendors)
  standInFor(vendors, fakes.at)
  const settings = { egress_allow: ['127.0.0.1'], smtp_url: undefined, mail_from: undefined, ntfy_url: 'http://x' }
  sending = { ...w.deps, channels: createChannels(settings), public_url: 'https://dogwatch.example' }
})
beforeEach(() => {
  fakes.mood = () => undefined
  for (const { open } of KEEPERS) open.clear()
})
afterAll(async () => {
  await fakes.close()
  await w.close()
})

async function send(): Promise<void> {
  while ((await deliverOnce(sending)).claimed > 0) continue
}

async function watched(vendor: Vendor, entry: Record<string, unknown> = {}) {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop', ...entry }], 'all')
  await createChannel(w.deps, org.org_id, {
    kind: vendor.kind,
    name: 'keeper',
    ...vendor.destination(fakes.at(vendor)),
  })
  const run = async (success: boolean) => {
    w.clock.forward(60)
    await monitor.client.upload([
      result(guid, { ran_at: w.clock.now().toISOString(), success, ...(!success && { error: 'refused: no' }) }),
    ])
    await send()
  }
  const states = async () =>
    (
      await w.rows(
        `select e.type, d.state from deliveries d join events e using (org_id, event_id) where d.org_id = $1 order by d.delivery_id`,
        org.org_id,
      )
    ).map(({ type, state }) => `${String(type)} ${String(state)}`)
  return { org, run, states }
}

/** That something is over. */
function isEnd({ path, body }: Asked): boolean {
  const [, endsAt] = /"endsAt":"([^"]+)"/.exec(body) ?? []
  if (endsAt !== undefined) return Date.parse(endsAt) <= w.clock.now().getTime()
  return body.includes('"resolve"') || path.includes('/close')
}

test.each(KEEPERS)(
  '$vendor.kind: an end that is not taken holds up no new incident, and is told later',
  async (one) => {
    const { vendor, open } = one
    const s = await watched(vendor)
    await s.run(false)
    expect(open.size).toBe(1)
    fakes.mood = (_, asked) => (isEnd(asked) ? 'fails' : undefined)
    await s.run(true)
    await s.run(false)
    // The first incident is still open there, and the second is told at once.
    expect(await s.states()).toEqual(['check.down delivered', 'check.up pending', 'check.down delivered'])
    expect(open.size).toBe(2)
    fakes.mood = () => undefined
    w.clock.forward(3600)
    await send()
    expect(await s.states()).toEqual(['check.down delivered', 'check.up delivered', 'check.down delivered'])
    expect(open.size).toBe(1)
    await s.run(true)
    expect(open.size).toBe(0)
  },
)

test('nothing is taken for hours while it goes down and up: in the end no incident is open, and none was opened after its end', async () => {
  const s = await watched(pagerduty, { resend_interval_sec: 300, alert_every_change: true })
  fakes.mood = () => 'fails'
  for (let n = 0; n < 3; n++) {
    await s.run(false)
    w.clock.forward(400)
    await remind(w.deps)
    await send()
    await s.run(true)
  }
  const order: string[] = []
  fakes.mood = (_, { body }) => {
    const { event_action, dedup_key } = JSON.parse(body) as Record<string, string>
    order.push(`${dedup_key} ${event_action}`)
    return undefined
  }
  for (let n = 0; n < 12; n++) {
    w.clock.forward(6 * 3600)
    await send()
  }
  expect([...openAlerts.keys()]).toEqual([])
  for (const own of Map.groupBy(order, (told) => told.split(' ')[0]).values()) {
    expect(own.at(-1)).toMatch(/ resolve$/)
    expect(own.filter((told) => told.endsWith('resolve'))).toHaveLength(1)
  }
  expect((await s.states()).filter((state) => state.endsWith('pending'))).toEqual([])
})

test('an incident that an older build told of keeps its order', async () => {
  const s = await watched(pagerduty)
  fakes.mood = () => 'fails'
  await s.run(false)
  await w.rows("update deliveries set subject = split_part(subject, '#', 1) where org_id = $1", s.org.org_id)
  await s.run(true)
  const lines = await w.rows('select distinct subject from deliveries where org_id = $1', s.org.org_id)
  expect(lines).toEqual([{ subject: expect.stringMatching(/^check:\d+$/) }])
})
