// What a monitor is told of its class, and what becomes of one that is retired.

import { assignMonitors } from '@dogwatch/domain/checks/assign'
import { retireOneMonitor, switchOneMonitor } from '@dogwatch/domain/monitors/edit'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { adminOf, deedsOf, ownerOf } from '../support/console.ts'
import { ACCOUNT, PLACE, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

test('each monitor is told its class, when it enrolls and at each sync', async () => {
  for (const [org, told] of [
    [null, 'shared'],
    [await w.org(), 'private'],
  ] as const) {
    const token = await w.token(org)
    const { body } = await w.http.post(`${PREFIX}/enroll`).set('Authorization', `Bearer ${token}`).send(PLACE)
    expect(body).toMatchObject({ class: told })
    const answer = await w.http.get(`${PREFIX}/checks`).set('Authorization', `Bearer ${String(body.api_key)}`)
    expect(answer.body).toMatchObject({ class: told })
  }
})

test('the turns of a retired monitor go to the others at once, its results stay with its name, and it does not come back', async () => {
  const org = await w.org()
  const [one, two] = [await w.monitor(org, 'attic'), await w.monitor(org, 'cellar')]
  // Restricted: the shared monitors of other tests are none of its own.
  const [guid = ''] = await w.checks(org, [{ restricted: true }], 'all')
  const ran_at = w.clock.now().toISOString()
  await one.client.upload([result(guid, { ran_at })])
  const before = await two.client.sync()
  expect(before.checks).toMatchObject([{ guid, monitor_count: 2 }])
  const { browser, email } = await ownerOf(w, org)
  await browser.open(`/monitors/${one.id}`)
  await browser.submit(`/monitors/${one.id}/retire`)
  expect(browser.page.path).toBe('/monitors')
  expect(
    browser
      .all('main table, main ul')
      .map((list) => list.text)
      .join(),
  ).not.toContain('attic')
  expect(await deedsOf(w, org)).toContain(`${email}: monitor.retire attic (${one.id})`)
  expect((await two.client.sync(before.server_time)).checks).toMatchObject([
    { guid, monitor_count: 1, monitor_rank: 0 },
  ])
  await expect(one.client.sync()).rejects.toMatchObject({ status: 401 })
  const account = async (path: string) =>
    (await w.http.get(`${ACCOUNT}${path}`).set('Authorization', `Bearer ${pat}`)).body as unknown
  const pat = await w.pat(org)
  const listed = ((await account('/monitors')) as { id: string }[]).map(({ id }) => id)
  expect([listed.includes(one.id), listed.includes(two.id)]).toEqual([false, true])
  expect(await account(`/checks/${guid}/results`)).toMatchObject({
    results: [{ monitor_id: one.id, monitor_name: 'attic' }],
  })
  const key = { org_id: org.org_id, id: one.id }
  for (const tried of [
    retireOneMonitor(w.deps, key),
    switchOneMonitor(w.deps, key, 'enabled', true),
    assignMonitors(w.deps, guid, [one.id]),
  ])
    await expect(tried).rejects.toThrow()
  const again = await w.http
    .post(`${PREFIX}/enroll`)
    .set('Authorization', `Bearer ${await w.token(org)}`)
    .send({ ...PLACE, id: one.id })
  expect(again.status).toBe(404)
  await w.checks(org, [{ guid, restricted: true }], 'all')
  expect((await two.client.sync()).checks).toMatchObject([{ monitor_count: 1 }])
})

test('an admin retires a shared monitor, and nobody sees it any more', async () => {
  const { id, client } = await w.monitor(null, 'fleet 9')
  const { browser } = await adminOf(w)
  await browser.open('/admin/fleet')
  await browser.submit(`/admin/fleet/${id}/retire`)
  expect(browser.text()).not.toContain(id)
  await expect(client.sync()).rejects.toMatchObject({ status: 401 })
})
