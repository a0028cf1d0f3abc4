// The demo of `npm start`: its pages are full, and both APIs answer over its rows as their documents say.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { openSession } from '@dogwatch/domain/people/sessions'
import { foldHistory } from '@dogwatch/domain/results/history'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type DemoRecord, fill } from '../../../scripts/demo/fill.ts'
import { Inbox, type Letter } from '../../../scripts/demo/inbox.ts'
import { openSite, type Site } from '../../../scripts/demo/site.ts'
import { CHECKS, HEARTBEATS, HISTORY_DAYS, MONITORS } from '../../../scripts/demo/story.ts'
import { ACCOUNT, type World, world } from './support/world.ts'

let w: World
let folder: string
let inbox: Inbox
let site: Site
let made: DemoRecord
let letters: readonly Letter[]
let session: string
beforeAll(async () => {
  w = await world()
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-demo-'))
  inbox = await Inbox.open(join(folder, 'inbox.jsonl'), 'secret')
  site = await openSite(undefined, inbox)
  const inbox_url = site.url + inbox.path
  made = await fill(w.deps, {
    ports: site.ports,
    inbox_url,
    keep: async (_, sent) => {
      letters = sent
      await inbox.fill(sent)
    },
  })
  const [owner] = await w.rows('select person_id from memberships where org_id = $1', made.org_id)
  session = await openSession(w.deps, Number(owner?.person_id), made.org_id)
})
afterAll(async () => {
  await site.close()
  await rm(folder, { recursive: true })
  await w.close()
})

const read = async (path: string) => {
  const answer = await w.http.get(ACCOUNT + path).set('Authorization', `Bearer ${made.token}`)
  expect({ path, status: answer.status }).toEqual({ path, status: 200 })
  return answer.body as Record<string, unknown>
}
const page = async (path: string) => {
  const answer = await w.http.get(path).set('Cookie', `dogwatch-session=${session}`)
  expect({ path, status: answer.status }).toEqual({ path, status: 200 })
  return answer.text
}

test('the account API reads all of it, each answer as its document says', async () => {
  for (const path of ['/settings', '/monitors', '/members', '/heartbeats', '/notification-channels']) await read(path)
  const { checks } = (await read('/export')) as { checks: { name: string }[] }
  expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(CHECKS.map(({ name }) => name)))
  for (const guid of made.guids) {
    await read(`/checks/${guid}`)
    const { results } = (await read(`/checks/${guid}/results`)) as { results: { ran_at: string }[] }
    expect(results.length).toBeGreaterThan(100)
  }
})

test('each of its monitors gets its checks from the monitor API, and its turn of three', async () => {
  for (const { api_key } of made.monitors) {
    const client = new MonitorClient({ baseUrl: w.url, token: api_key, retries: 0 })
    const { checks } = await client.sync()
    expect(checks.length).toBe(CHECKS.length - 1)
    expect(new Set(checks.map(({ monitor_count }) => monitor_count))).toEqual(new Set([MONITORS.length]))
  }
})

test('every page of it is full', async () => {
  await foldHistory(w.deps)
  await judgeUnmonitored(w.deps)
  const list = await page('/checks')
  for (const { name } of CHECKS) expect(list).toContain(name)
  for (const [i, guid] of made.guids.entries()) {
    for (const period of ['24h', '30d'])
      expect(await page(`/checks/${guid}?period=${period}`)).toContain(CHECKS[i]?.name)
  }
  const heartbeats = await page('/heartbeats')
  for (const { name } of HEARTBEATS) expect(heartbeats).toContain(name)
  const monitors = await page('/monitors')
  for (const { name } of MONITORS) expect(monitors).toContain(name)
  expect(await page('/channels')).toContain('Demo inbox')
  const status = await page('/status/demo')
  for (const { public_name } of [...CHECKS, ...HEARTBEATS])
    if (public_name !== undefined) expect(status).toContain(public_name)
})

test('what is down is down, what was down has its incident and its alerts, and the history is as long as it says', async () => {
  const open = await w.rows(
    `select coalesce(c.name, h.name) as name from incidents i left join checks c using (org_id, check_id)
     left join heartbeats h on h.org_id = i.org_id and h.heartbeat_id = i.heartbeat_id
     where i.ended_at is null and i.org_id = $1 order by 1`,
    made.org_id,
  )
  expect(open.map(({ name }) => name)).toEqual([
    'Demo certificate (about to expire)',
    'Demo invoice export (its job died)',
  ])
  const [counted] = await w.rows(
    `select (select count(*) from incidents where org_id = $1)::integer as incidents,
      (select count(*) from deliveries where org_id = $1 and state = 'delivered')::integer as delivered,
      (select count(*) from deliveries where org_id = $1 and state <> 'delivered')::integer as waiting,
      (select extract(epoch from max(ran_at) - min(ran_at)) / 86400 from results where org_id = $1)::float8 as days`,
    made.org_id,
  )
  const { incidents = 0, delivered = 0, waiting, days } = counted as Record<string, number>
  expect(incidents).toBeGreaterThan(40)
  expect([delivered, waiting]).toEqual([2 * incidents - 2, 0])
  expect(letters.length).toBe(delivered)
  expect(Math.round(days ?? 0)).toBe(HISTORY_DAYS)
})

test('the inbox shows every alert once, and what it says as text', async () => {
  const letter = {
    type: 'check.down',
    timestamp: '2026-11-22T12:00:00.000000Z',
    data: { check: { name: '<b>bold</b>' } },
  }
  const send = () =>
    fetch(site.url + inbox.path, { method: 'POST', headers: { 'webhook-id': 'one' }, body: JSON.stringify(letter) })
  expect([(await send()).status, (await send()).status]).toEqual([204, 204])
  const shown = await (await fetch(`${site.url}/inbox`)).text()
  expect(shown.split('&#60;b&#62;bold').length).toBe(2)
  expect(shown).not.toContain('<b>bold')
  expect((await fetch(`${site.url}/inbox/other`, { method: 'POST', body: '{}' })).status).toBe(404)
})
