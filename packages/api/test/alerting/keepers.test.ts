// Receivers that keep incidents close each one that they opened, whatever happens in between.

import { createChannels } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { restoreChecks, UNDO_MS } from '@dogwatch/domain/checks/deletions'
import { finishDeletions } from '@dogwatch/domain/checks/finish-deletions'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { judgeUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat, removeOneHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type DeliveryDeps, deliverOnce } from '../../../alerting/src/deliver.ts'
import { alertmanager, firing } from '../../../channels/test/fakes/alertmanager.ts'
import { standInFor } from '../../../channels/test/fakes/all.ts'
import { openAliases, opsgenie } from '../../../channels/test/fakes/opsgenie.ts'
import { openAlerts, pagerduty } from '../../../channels/test/fakes/pagerduty.ts'
import { type Fakes, openFakes, type Vendor, type VendorRequest } from '../../../channels/test/fakes/vendor.ts'
import { liveOn } from '../retention/rows.ts'
import { result, type World, world } from '../support/world.ts'

const KEEPERS = [
  { vendor: pagerduty, open: openAlerts },
  { vendor: opsgenie, open: openAliases },
  { vendor: alertmanager, open: firing },
]
const DAY_MS = 86_400_000
const BOB = { person_id: 0, email: 'bob@example.com', impersonator_email: null }
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
  /** The certificate has so many days left. */
  const see = async (days: number) => {
    w.clock.forward(60)
    const now = w.clock.now().getTime()
    const cert_expires_at = new Date(Math.floor(now / DAY_MS + days) * DAY_MS).toISOString()
    const seen = { ...result(guid, { ran_at: new Date(now).toISOString() }), cert_expires_at }
    await monitor.client.upload([seen] as Parameters<typeof monitor.client.upload>[0])
    await send()
  }
  const edit = async (fields: Record<string, unknown>) => {
    const all = { name: 'shop', url: 'https://shop.example/', interval_sec: 60, ...entry, ...fields, guid }
    await importChecks(w.deps, org.org_id, [all])
    await send()
  }
  const states = async () =>
    (
      await w.rows(
        `select e.type, d.state from deliveries d join events e using (org_id, event_id) where d.org_id = $1 order by d.delivery_id`,
        org.org_id,
      )
    ).map(({ type, state }) => `${String(type)} ${String(state)}`)
  return { org, monitor, guid, run, see, edit, states }
}

/** That something is over. */
function isEnd({ path, body }: VendorRequest): boolean {
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

test.each(KEEPERS)(
  '$vendor.kind: what is open about unmonitored checks is closed when the last of them is paused or deleted',
  async ({ vendor, open }) => {
    const s = await watched(vendor)
    const [other = ''] = await w.checks(s.org, [{ name: 'forum' }], 'all')
    await s.run(true)
    const pass = async (minutes: number) => {
      w.clock.forward(60 * minutes)
      await s.monitor.client.ping()
      await judgeUnmonitored(w.deps)
      await send()
    }
    // When they are to run is noted as of the first look.
    await pass(1)
    await pass(60)
    // Alertmanager has an alert for each check, the others one for all.
    expect(open.size).toBe(vendor === alertmanager ? 2 : 1)
    await switchCheck(w.deps, s.guid, false)
    await pass(1)
    expect(open.size).toBe(1)
    await deleteCheck(w.deps, other)
    await pass(1)
    expect(open.size).toBe(0)
    expect((await s.states()).at(-1)).toBe('check.closed delivered')
    await pass(2)
    expect((await s.states()).filter((state) => state.startsWith('check.closed'))).toHaveLength(2)
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

const WARNS = { url: 'https://shop.example/', cert_warn_days: 14 }

test.each(KEEPERS)('$vendor.kind: a certificate that ends soon is open until it is renewed', async (one) => {
  const { vendor, open } = one
  const s = await watched(vendor, WARNS)
  await s.see(10)
  expect(open.size).toBe(1)
  // Another one that ends soon: the same trouble.
  await s.see(12)
  expect(open.size).toBe(1)
  await s.see(90)
  expect(open.size).toBe(0)
  expect(await s.states()).toEqual([
    'check.certificate delivered',
    'check.certificate delivered',
    'check.renewed delivered',
  ])
})

test.each(KEEPERS)('$vendor.kind: what is open about a check is closed when it is paused or deleted', async (one) => {
  const { vendor, open } = one
  const s = await watched(vendor, { ...WARNS, degraded_over_ms: 10 })
  const end = async (close: () => Promise<void>) => {
    await s.see(10)
    await s.see(10)
    await s.run(false)
    const opened = open.size
    await close()
    await send()
    return [opened, open.size]
  }
  expect(await end(() => switchCheck(w.deps, s.guid, false))).toEqual([3, 0])
  await switchCheck(w.deps, s.guid, true)
  const { guid } = s
  // The certificate was told before the pause, and is not told twice.
  expect(await end(() => deleteCheck(w.deps, guid))).toEqual([2, 0])
  expect((await s.states()).filter((state) => !state.endsWith('delivered'))).toEqual([])
})

test('a member deletes a check that is down: it is closed when that can no longer be undone, and says nothing of the target', async () => {
  const s = await watched(pagerduty, { alert_every_change: true })
  await s.run(false)
  const remove = () => changeChecks(w.deps, { org_id: s.org.org_id, actor: BOB }, [s.guid], { kind: 'delete' })
  await remove()
  await send()
  const [{ batch_id } = {}] = await w.rows('select batch_id from deleted_checks where org_id = $1', s.org.org_id)
  expect(openAlerts.size).toBe(1)
  await restoreChecks(w.deps, { org_id: s.org.org_id, actor: BOB }, String(batch_id))
  await remove()
  w.clock.forward(UNDO_MS / 1000 + 1)
  await liveOn(w)
  await finishDeletions(w.deps)
  await send()
  expect(openAlerts.size).toBe(0)
  const [closed] = await w.rows("select data from events where org_id = $1 and type = 'check.closed'", s.org.org_id)
  expect(closed).toMatchObject({
    data: { check: { guid: s.guid, name: 'shop' }, reason: 'deleted', closes: 'check.down' },
  })
  expect(JSON.stringify(closed)).not.toContain('url')
})

test('a check that is flapping is closed when it is paused', async () => {
  const s = await watched(pagerduty)
  for (const success of [false, true, false, true, false]) await s.run(success)
  expect([...openAlerts.keys()]).toEqual([expect.stringMatching(/^check\.flapping:/)])
  await switchCheck(w.deps, s.guid, false)
  await send()
  expect(openAlerts.size).toBe(0)
})

test('a certificate is closed when the check warns of none any more, and told when it warns again earlier', async () => {
  const s = await watched(pagerduty, WARNS)
  await s.see(10)
  await s.edit({ cert_warn_days: 0 })
  expect(openAlerts.size).toBe(0)
  await s.edit({ cert_warn_days: 30 })
  await s.see(10)
  expect(openAlerts.size).toBe(1)
  await s.edit({ cert_warn_days: 7 })
  await s.see(10)
  expect(openAlerts.size).toBe(0)
})

test('a heartbeat that is deleted while it is down is closed', async () => {
  const org = await w.org()
  await createChannel(w.deps, org.org_id, {
    kind: 'pagerduty',
    name: 'keeper',
    ...pagerduty.destination(fakes.at(pagerduty)),
  })
  const wanted = { name: 'job', interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
  const { guid, token } = await createHeartbeat(w.deps, org.org_id, wanted)
  const failed = { kind: 'fail', exit_code: null, rid: null, body: null } as const
  await takePing(w.deps, await findHeartbeatOfToken(w.deps, token), failed, w.clock.now())
  await send()
  expect(openAlerts.size).toBe(1)
  await removeOneHeartbeat(w.deps, { org_id: org.org_id, guid })
  await send()
  expect(openAlerts.size).toBe(0)
})

test('people are not told that a check was paused, and a receiver that heard of nothing is told nothing', async () => {
  const s = await watched(pagerduty)
  await createChannel(w.deps, s.org.org_id, { kind: 'email', name: 'ops', email: 'ops@example.com' })
  fakes.mood = () => 'fails'
  await s.run(true)
  await switchCheck(w.deps, s.guid, false)
  await switchCheck(w.deps, s.guid, true)
  await s.run(false)
  await w.rows('update deliveries set attempts = 0 where org_id = $1', s.org.org_id)
  await switchCheck(w.deps, s.guid, false)
  const types = await w.rows('select type from events where org_id = $1', s.org.org_id)
  expect(types).toEqual([{ type: 'check.down' }])
  expect((await s.states()).filter((state) => !state.endsWith('superseded'))).toEqual([])
})
