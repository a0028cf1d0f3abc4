// Deleting checks can be undone for ten minutes: meanwhile nobody sees them, and they come back whole.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { readDeletions, restoreChecks, UNDO_MS } from '@dogwatch/domain/checks/deletions'
import { finishDeletions } from '@dogwatch/domain/checks/finish-deletions'
import { mute } from '@dogwatch/domain/mutes/mute'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { expect, test } from '@jest/globals'
import { liveOn } from '../../../api/test/retention/rows.ts'
import { actions, ago, bob, deeds, org, runners, stored, w } from '../support/check-pages.ts'
import { ACCOUNT, result } from '../support/world.ts'

const editor = () => ({
  org_id: org.org_id,
  actor: { person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null },
})
const remove = (...guids: string[]) => changeChecks(w.deps, editor(), guids, { kind: 'delete' })
const lastDeletion = async () => (await readDeletions(w.deps, org.org_id))[0]
const undo = async () => restoreChecks(w.deps, editor(), (await lastDeletion())?.batch_id ?? '')

/** What deleting a check touches, besides when it did so. */
async function everything(): Promise<Record<string, unknown>> {
  const kept: Record<string, unknown> = {}
  for (const [table, key] of [
    ['checks', 'check_id'],
    ['assignments', 'monitor_id, guid'],
    ['incidents', 'incident_id'],
    ['degradations', 'degradation_id'],
    ['results', 'check_id, ran_at'],
    ['mutes', 'subject'],
    ['check_states', 'check_id'],
    ['events', 'event_id'],
    ['deliveries', 'delivery_id'],
    ['planned_alerts', 'event_id'],
    ['status_page_entries', 'position'],
  ]) {
    const rows = await w.rows(`select * from ${table} where org_id = $1 order by ${key}`, org.org_id)
    kept[table ?? ''] = rows.map(({ updated_at: _, next_attempt_at, ...row }) => ({ ...row, waits: !!next_attempt_at }))
  }
  return kept
}

test('a deletion that is undone leaves every row as it was; meanwhile every reader has forgotten the checks', async () => {
  const [one, shared] = [await w.monitor(org), await w.monitor(null)]
  const [shop = '', api = '', gate = ''] = await w.checks(
    org,
    [
      { name: 'shop', tags: ['web'], url: 'https://shop.example/', headers: { 'X-Key': 'k' } },
      { name: 'api', degraded_over_ms: 10, resend_interval_sec: 600 },
      { name: 'gate' },
    ],
    [one.id, shared.id],
  )
  await w.rows('update checks set depends_on = $1 where guid = $2', shop, gate)
  await createChannel(w.deps, org.org_id, { kind: 'ntfy', name: 'phones', ntfy_topic: 'phones' })
  await one.client.upload([
    result(shop, { ran_at: ago(60), success: false, error: 'status 503 of shop.example' }),
    result(api, { ran_at: ago(50), latency_ms: 900 }),
    result(gate, { ran_at: ago(40) }),
  ])
  await w.judgeLate()
  await mute(
    w.deps,
    { org_id: org.org_id, kind: 'check', guid: shop },
    new Date(w.clock.now().getTime() + 3_600_000),
    editor().actor,
  )
  const entries = [shop, gate].map((guid, order) => ({ kind: 'check' as const, guid, public_name: `p${order}`, order }))
  await editStatusPage(w.deps, org.org_id, { slug: `shop-${org.org_id}`, title: 'Us', description: '', entries })
  await w.rows('update organisations set status_page_enabled = true where org_id = $1', org.org_id)
  const before = await everything()
  expect(before.incidents).toHaveLength(1)
  expect(before.degradations).toHaveLength(1)
  const since = (await one.client.sync()).server_time

  await remove(shop, api)

  const bearer = { Authorization: `Bearer ${await w.pat(org)}` }
  const read = async (path: string) => (await fetch(`${w.direct}${path}`, { headers: bearer })).text()
  for (const path of ['/checks', '/export', '/settings']) {
    const text = await read(`${ACCOUNT}${path}`)
    expect({ path, shop: text.includes(shop), api: text.includes(api) }).toEqual({ path, shop: false, api: false })
  }
  expect(JSON.parse(await read(`${ACCOUNT}/settings`))).toMatchObject({ plan_usage: { Checks: 1 } })
  for (const path of ['', '/results']) expect(await read(`${ACCOUNT}/checks/${shop}${path}`)).toContain('no check')
  expect(await read(`/status/shop-${org.org_id}.json`)).not.toContain('p0')
  const delta = (await one.client.sync(since)).checks
  expect(delta.filter(({ deleted }) => deleted).map(({ guid, url }) => [guid, url])).toEqual(
    [shop, api].toSorted().map((guid) => [guid, '']),
  )
  for (const path of [`/checks/${shop}`, `/checks/${shop}/edit`, `/checks/new?from=${shop}`]) {
    expect((await bob.open(path)).status).toBe(404)
  }
  await bob.open(`/checks/${gate}`)
  expect(bob.text()).not.toContain('shop')
  expect(await one.client.upload([result(shop, { ran_at: ago(5), success: false })])).toMatchObject({ accepted: 0 })
  const [open] = await w.rows(
    'select count(*)::integer as n from incidents where org_id = $1 and ended_at is null',
    org.org_id,
  )
  expect(open).toEqual({ n: 0 })
  expect((await w.rows("select from deliveries where org_id = $1 and state = 'pending'", org.org_id)).length).toBe(0)

  await undo()

  expect(await everything()).toEqual(before)
  const back = (await one.client.sync(since)).checks
  expect(back.find(({ guid }) => guid === shop)).toMatchObject({ deleted: false, url: 'https://shop.example/' })
  expect(await runners(api)).toEqual([one.id, shared.id].toSorted())
  expect(await one.client.upload([result(shop, { ran_at: ago(4) })])).toMatchObject({ accepted: 1 })
  await w.judgeLate()
  const [ended] = await w.rows('select end_reason from incidents where org_id = $1', org.org_id)
  expect(ended).toEqual({ end_reason: 'recovered' })
  expect(await deeds()).toEqual([
    expect.objectContaining({ action: 'check.mute' }),
    expect.objectContaining({
      action: 'check.delete',
      subject: '2 checks',
      detail: { guids: expect.arrayContaining([shop, api]) },
    }),
    expect.objectContaining({
      action: 'check.restore',
      subject: '2 checks',
      detail: { guids: expect.arrayContaining([shop, api]) },
    }),
  ])
})

test('after ten minutes a deletion is final, and nothing knows what the check looked at', async () => {
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop', url: 'https://secret.example/' }], 'all')
  await monitor.client.upload([result(guid, { success: false, error: 'secret.example is down', ran_at: ago(30) })])
  await remove(guid)
  await liveOn(w)
  await finishDeletions(w.deps)
  expect(await stored(guid)).toMatchObject({ deleted: true, url: 'https://secret.example/', all_monitors: true })
  const deletion = await lastDeletion()
  w.clock.forward(UNDO_MS / 1000)
  expect(await readDeletions(w.deps, org.org_id)).toEqual([])
  await expect(restoreChecks(w.deps, editor(), deletion?.batch_id ?? '')).rejects.toThrow('can no longer be undone')
  await liveOn(w)
  expect(await finishDeletions(w.deps)).toBeGreaterThan(0)
  expect(await stored(guid)).toMatchObject({ deleted: true, url: '', restricted: true, all_monitors: false })
  expect(JSON.stringify(await w.rows('select data from events where org_id = $1', org.org_id))).not.toContain(
    'secret.example',
  )
  expect(await w.rows('select from deleted_checks where org_id = $1', org.org_id)).toEqual([])
})

test('monitors that were added meanwhile run a restored check that is for all monitors', async () => {
  const one = await w.monitor(org)
  const [all = '', chosen = ''] = await w.checks(org, [{}, {}], 'all')
  await changeChecks(w.deps, editor(), [chosen], { kind: 'assign', how: 'replace', monitors: [one.id] })
  const before = await runners(all)
  await remove(all, chosen)
  w.clock.forward(1)
  const two = await w.monitor(org)
  await undo()
  expect([await runners(all), await runners(chosen)]).toEqual([[...before, two.id].toSorted(), [one.id]])
})

test('what the plan has no room for any more does not come back, nor what would depend on itself', async () => {
  const [a = '', b = ''] = await w.checks(org, [{ name: 'a' }, { name: 'b' }], 'none')
  await w.rows('update checks set depends_on = $1 where guid = $2', a, b)
  await remove(a)
  await w.rows('update checks set depends_on = $1 where guid = $2', b, a)
  await expect(undo()).rejects.toThrow('must not create a circular dependency')
  await w.rows("update checks set depends_on = '' where guid = $1", a)
  await w.checks(
    org,
    Array.from({ length: 99 }, () => ({})),
    'none',
  )
  await expect(undo()).rejects.toThrow('allows 100 checks')
  expect((await stored(a))?.deleted).toBe(true)
})

test('another org cannot undo it, and an import that brings a check back ends its deletion', async () => {
  const [guid = ''] = await w.checks(org, [{ name: 'a' }], 'none')
  await remove(guid)
  const batch_id = (await lastDeletion())?.batch_id ?? ''
  const other = await w.org()
  await expect(restoreChecks(w.deps, { ...editor(), org_id: other.org_id }, batch_id)).rejects.toThrow('no longer')
  await w.checks(org, [{ guid, name: 'b' }], 'none')
  expect(await readDeletions(w.deps, org.org_id)).toEqual([])
  await expect(restoreChecks(w.deps, editor(), batch_id)).rejects.toThrow('no longer')
  w.clock.forward(UNDO_MS / 1000)
  await liveOn(w)
  await finishDeletions(w.deps)
  expect(await stored(guid)).toMatchObject({ deleted: false, name: 'b', url: 'https://example.com/' })
  expect(await actions()).toEqual(['check.delete'])
})
