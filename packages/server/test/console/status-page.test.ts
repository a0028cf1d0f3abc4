// The public status page: who may have one, what it shows, and what it keeps to itself.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { deleteCheck, switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { createHeartbeat, removeHeartbeat, switchHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { createWindow } from '@dogwatch/domain/maintenance/edit'
import { setCustomLimits, setPlan, setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { PLANS } from '@dogwatch/domain/organisations/plans'
import { foldHistory } from '@dogwatch/domain/results/history'
import { type ChosenEntry, editStatusPage } from '@dogwatch/domain/status-page/edit'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { faultyFields, ownerOf } from '../support/console.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const HEARTBEAT = { interval_sec: 3600, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
const BEAT = { kind: 'beat', exit_code: null, rid: null, body: null } as const
/** As long as a page may be old. */
const FRESH_SEC = 15

let count = 0

/** An org with a page that is switched on and shows these. */
async function shown(entries: readonly ChosenEntry[], org?: Org, words: { title?: string; description?: string } = {}) {
  const its = org ?? (await w.org())
  const slug = `page-${count++}`
  await setStatusPage(w.deps, its.org_id, true)
  await editStatusPage(w.deps, its.org_id, { slug, title: 'Shop', description: '', ...words, entries })
  return { slug, org: its }
}

function chosen(guid: string, public_name: string, kind: ChosenEntry['kind'] = 'check'): ChosenEntry {
  return { kind, guid, public_name }
}

async function seen(slug: string): Promise<Browser> {
  const browser = new Browser(w.direct)
  await browser.open(`/status/${slug}`)
  return browser
}

/** How each bar of days is drawn. */
function strokes(page: Browser): (readonly [string | undefined, string | undefined])[][] {
  return page
    .all('.days')
    .map((bar) =>
      bar.querySelectorAll('path').map((path) => [path.getAttribute('class'), path.getAttribute('d')] as const),
    )
}

interface Json {
  computed_at: string
  status: string
  down_since: string | null
  systems: {
    name: string
    state: string
    uptime_percent: number | null
    runs?: number
    days: { day: string; uptime_percent: number | null; runs?: number; down_sec?: number }[]
  }[]
  incidents: { system: string; began_at: string; ended_at: string | null; lasted_sec: number }[]
}

async function json(slug: string): Promise<Json> {
  const response = await fetch(`${w.direct}/status/${slug}.json`)
  expect(response.status).toBe(200)
  return (await response.json()) as Json
}

/** An instant of the test's clock. */
function ago(seconds: number): string {
  return new Date(w.clock.now().getTime() - seconds * 1000).toISOString()
}

async function upload(monitor: Monitor, guid: string, runs: readonly (readonly [sec_ago: number, success: boolean])[]) {
  await monitor.client.upload(
    runs.map(([sec_ago, success]) => result(guid, { ran_at: ago(sec_ago), success, error: success ? '' : 'refused' })),
  )
}

describe('who has a page', () => {
  async function answer(path: string) {
    const response = await fetch(w.direct + path)
    const headers = Object.fromEntries(response.headers)
    delete headers['x-request-id']
    delete headers.date
    return { status: response.status, headers, body: await response.text() }
  }

  test('a page that is unknown, switched off, or not in the plan is the same 404', async () => {
    const off = await shown([])
    await setStatusPage(w.deps, off.org.org_id, false)
    const poor = await shown([])
    await setPlan(w.deps, poor.org.org_id, 'free')
    for (const suffix of ['', '.json']) {
      const unknown = await answer(`/status/nobody-has-this${suffix}`)
      expect(unknown.status).toBe(404)
      expect(await answer(`/status/${off.slug}${suffix}`)).toEqual(unknown)
      expect(await answer(`/status/${poor.slug}${suffix}`)).toEqual(unknown)
      for (const odd of ['UPPER', 'a', '-ab', '%00ab', 'a%2Fb', 'x'.repeat(50), '__proto__', '%', '%zz', 'a%ff']) {
        expect(await answer(`/status/${odd}${suffix}`)).toEqual(unknown)
      }
    }
    const on = await shown([])
    expect((await answer(`/status/${on.slug}`)).status).toBe(200)
  })

  test.each([
    ['a lower plan', (org: Org) => setPlan(w.deps, org.org_id, 'free')],
    ['the switch', (org: Org) => setStatusPage(w.deps, org.org_id, false)],
  ])('%s takes away a page that was seen before', async (_, take) => {
    const { slug, org } = await shown([])
    expect((await seen(slug)).page.status).toBe(200)
    await take(org)
    w.clock.forward(FRESH_SEC)
    expect((await seen(slug)).page.status).toBe(404)
  })

  test('only GET and HEAD are allowed', async () => {
    const { slug } = await shown([])
    const response = await fetch(`${w.direct}/status/${slug}`, { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await fetch(`${w.direct}/status/${slug}`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('what it shows', () => {
  test('all is well', async () => {
    const org = await w.org()
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{}], [monitor.id])
    await upload(monitor, guid, [[60, true]])
    const { slug } = await shown([chosen(guid, 'Website')], org, { description: 'One\nTwo' })
    const page = await seen(slug)
    expect(page.all('h1').map((one) => one.text)).toEqual(['Shop'])
    expect(page.text()).toContain('All systems operational')
    expect(page.all('article').map((one) => one.structuredText)).toEqual([expect.stringMatching(/^Website\nUp/)])
    expect(page.text()).toContain('Last 90 days: 100% uptime over 1 min of monitoring (1 of 1 run passed)')
    expect(page.text()).toContain('No incidents in the last 90 days.')
  })

  test('what is down, and since when', async () => {
    const org = await w.org()
    const monitor = await w.monitor(org)
    const [bad = '', good = ''] = await w.checks(org, [{}, {}], [monitor.id])
    await upload(monitor, bad, [[7200, false]])
    await upload(monitor, good, [[60, true]])
    await w.judgeLate()
    const { slug } = await shown([chosen(bad, 'Cart'), chosen(good, 'Website')], org)
    const page = await seen(slug)
    expect(page.all('.headline').map((one) => one.text)).toEqual([
      expect.stringContaining('Some systems are down, since'),
    ])
    expect(page.text()).toContain('(2 h)')
    const { status, systems, incidents } = await json(slug)
    expect([status, ...systems.map(({ state }) => state)]).toEqual(['partly_down', 'down', 'up'])
    expect(incidents).toMatchObject([{ system: 'Cart', ended_at: null, lasted_sec: 7200 }])
    await upload(monitor, bad, [[0, true]])
    w.clock.forward(FRESH_SEC)
    expect(await json(slug)).toMatchObject({
      status: 'operational',
      incidents: [{ system: 'Cart', ended_at: expect.any(String), lasted_sec: 7200 }],
    })
  })

  test('what nobody knows is grey, not green; what is paused says so', async () => {
    const org = await w.org()
    const monitor = await w.monitor(org)
    const [silent = '', paused = ''] = await w.checks(org, [{}, {}], [monitor.id])
    await switchCheck(w.deps, paused, false)
    const heartbeat = await createHeartbeat(w.deps, org.org_id, { ...HEARTBEAT, name: 'job' })
    const { slug } = await shown(
      [chosen(silent, 'Silent'), chosen(paused, 'Paused'), chosen(heartbeat.guid, 'Job', 'heartbeat')],
      org,
    )
    const page = await seen(slug)
    expect(page.text()).toContain('No data available')
    expect(page.all('.state').map((one) => one.getAttribute('class'))).toEqual(Array(3).fill('state idle'))
    expect(strokes(page)).toEqual(Array(3).fill([['n', 'M0 9.5h90']]))
    expect(page.all('.days title').map((one) => one.text)).toEqual([
      'Silent, last 90 days: no data on 90 days',
      'Paused, last 90 days: no data on 90 days',
      'Job, last 90 days: no data on 90 days',
    ])
    expect((await json(slug)).systems.map(({ uptime_percent }) => uptime_percent)).toEqual([null, null, null])
  })

  test('where something is paused, what is watched is operational, and the page is not green alone', async () => {
    const org = await w.org()
    const monitor = await w.monitor(org)
    const [shop = '', paused = ''] = await w.checks(org, [{}, {}], [monitor.id])
    await monitor.client.upload([result(shop, { ran_at: w.clock.now().toISOString() })])
    await switchCheck(w.deps, paused, false)
    const { slug } = await shown([chosen(shop, 'Shop'), chosen(paused, 'Old shop')], org)
    const page = await seen(slug)
    expect(page.all('.headline').map((one) => [one.text.trim(), one.getAttribute('class')])).toEqual([
      ['All monitored systems operational (1 paused)', 'headline idle'],
    ])
    expect(await json(slug)).toMatchObject({
      status: 'operational',
      headline: 'All monitored systems operational (1 paused)',
    })
  })

  test('entries come in the order their owner chose, and only those', async () => {
    const org = await w.org()
    const [a = '', b = '', hidden = ''] = await w.checks(org, [{ name: 'a' }, { name: 'b' }, { name: 'hidden' }])
    const shy = await createHeartbeat(w.deps, org.org_id, { ...HEARTBEAT, name: 'shy', show_on_status_page: true })
    const job = await createHeartbeat(w.deps, org.org_id, { ...HEARTBEAT, name: 'job' })
    const { slug } = await shown([chosen(b, 'First'), chosen(a, 'Second'), chosen(job.guid, 'Third', 'heartbeat')], org)
    expect((await json(slug)).systems.map(({ name }) => name)).toEqual(['First', 'Second', 'Third'])
    expect((await seen(slug)).page.html).not.toContain(hidden)
    const marks = await w.rows(
      'select name, show_on_status_page from heartbeats where org_id = $1 order by name',
      org.org_id,
    )
    expect(marks).toEqual([
      { name: 'job', show_on_status_page: true },
      { name: 'shy', show_on_status_page: false },
    ])
    // Its own mark hides a heartbeat; without a name that was confirmed, the mark shows none.
    await w.rows('update heartbeats set show_on_status_page = (guid = $1) where org_id = $2', shy.guid, org.org_id)
    w.clock.forward(FRESH_SEC)
    expect((await json(slug)).systems.map(({ name }) => name)).toEqual(['First', 'Second'])
  })

  test('what is deleted disappears, with its incidents', async () => {
    const org = await w.org()
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{}], [monitor.id])
    await upload(monitor, guid, [[60, false]])
    const job = await createHeartbeat(w.deps, org.org_id, { ...HEARTBEAT, name: 'job' })
    const { slug } = await shown([chosen(guid, 'Website'), chosen(job.guid, 'Job', 'heartbeat')], org)
    expect((await json(slug)).systems).toHaveLength(2)
    await deleteCheck(w.deps, guid)
    await removeHeartbeat(w.deps, job.guid)
    w.clock.forward(FRESH_SEC)
    expect(await json(slug)).toMatchObject({ status: 'empty', systems: [], incidents: [] })
    expect((await seen(slug)).text()).toContain('No systems added yet')
  })
})

describe('ninety days', () => {
  const DAY = 86_400

  test('each day is its runs, folded or not, also those that arrive late', async () => {
    const org = await w.org()
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{ down_interval_sec: 5 }], [monitor.id])
    const { slug } = await shown([chosen(guid, 'Website')], org)
    const day = async (days_ago: number) => (await json(slug)).systems[0]?.days.at(-1 - days_ago)
    await upload(monitor, guid, [
      [89 * DAY, true],
      [90 * DAY, false],
      [2 * DAY, true],
      [2 * DAY + 60, false],
      [60, true],
    ])
    expect(await day(89)).toMatchObject({ uptime_percent: 100, runs: 1 })
    expect(await day(2)).toMatchObject({ uptime_percent: 50, runs: 2 })
    expect(await day(1)).toMatchObject({ uptime_percent: null })
    expect(await day(0)).toMatchObject({ uptime_percent: 100, runs: 1 })
    expect((await json(slug)).systems).toMatchObject([{ uptime_percent: 75, runs: 4 }])
    w.clock.forward(DAY)
    await foldHistory(w.deps)
    await upload(monitor, guid, [
      [3 * DAY + 120, true],
      [2 * DAY, false],
    ])
    expect(await day(3)).toMatchObject({ uptime_percent: 66.66, runs: 3 })
    expect(await day(2)).toMatchObject({ uptime_percent: 0, runs: 1 })
    w.clock.forward(FRESH_SEC)
    await foldHistory(w.deps)
    expect(await day(3)).toMatchObject({ uptime_percent: 66.66, runs: 3 })
    const page = await seen(slug)
    // Today there is no data; before it came a day that was well, two that were not, and 84 that nobody knows.
    expect(strokes(page)).toEqual([
      [
        ['g', 'M88 6.5h1'],
        ['b', 'M86 5h2'],
        ['n', 'M0 9.5h86M89 9.5h1'],
      ],
    ])
    expect(page.all('.days title').map((one) => one.text)).toEqual([
      `Website, last 90 days: ${dayOf(3)}: 66.66% uptime over 3 min of monitoring (2 of 3 runs passed); ${dayOf(2)}: 0% uptime over 1 min of monitoring (0 of 1 run passed); no data on 87 days`,
    ])
  })

  test('a heartbeat has the days on which it was heard or down, by time', async () => {
    const org = await w.org()
    const midnight = DAY - ((w.clock.now().getTime() / 1000) % DAY)
    w.clock.forward(midnight)
    const { guid, token } = await createHeartbeat(w.deps, org.org_id, {
      ...HEARTBEAT,
      interval_sec: 7 * DAY,
      name: 'job',
    })
    const { slug } = await shown([chosen(guid, 'Job', 'heartbeat')], org)
    await w.rows('update heartbeats set created_at = $1 where guid = $2', ago(0), guid)
    const place = await findHeartbeatOfToken(w.deps, token)
    await takePing(w.deps, place, BEAT, w.clock.now())
    w.clock.forward(18 * 3600)
    await takePing(w.deps, place, { ...BEAT, kind: 'fail' }, w.clock.now())
    w.clock.forward(18 * 3600)
    await takePing(w.deps, place, BEAT, w.clock.now())
    w.clock.forward(36 * 3600)
    // Three days, of which it was down for 6 h of the first and 12 h of the second; on the third it was not heard.
    const { systems, incidents } = await json(slug)
    expect(systems[0]).toMatchObject({ name: 'Job', state: 'up' })
    expect(systems[0]?.days.slice(-4)).toMatchObject([
      { uptime_percent: 75, down_sec: 6 * 3600 },
      { uptime_percent: 50, down_sec: 12 * 3600 },
      { uptime_percent: null },
      { uptime_percent: null },
    ])
    expect(incidents).toMatchObject([{ system: 'Job', lasted_sec: 18 * 3600 }])
    await switchHeartbeat(w.deps, guid, 'enabled', false)
    w.clock.forward(FRESH_SEC)
    expect((await json(slug)).systems).toMatchObject([{ state: 'paused' }])
  })

  test('incidents that ended before them are gone', async () => {
    const org = await w.org()
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{}], [monitor.id])
    await upload(monitor, guid, [[60, false]])
    await upload(monitor, guid, [[0, true]])
    const { slug } = await shown([chosen(guid, 'Website')], org)
    expect((await json(slug)).incidents).toHaveLength(1)
    w.clock.forward(88 * DAY)
    expect((await json(slug)).incidents).toHaveLength(1)
    w.clock.forward(3 * DAY)
    expect((await json(slug)).incidents).toEqual([])
  })

  function dayOf(days_ago: number): string {
    const at = new Date(w.clock.now().getTime() - days_ago * DAY * 1000)
    const month = at.toLocaleString('en', { month: 'short', timeZone: 'UTC' })
    return `${at.getUTCDate()} ${month}`
  }
})

test('nothing internal is on it, in any form', async () => {
  const M = 'zq-internal'
  const org = await w.org()
  const monitor = await w.monitor(org, `${M}-monitor`)
  await w.rows(
    'update monitors set city = $1, region = $1, country = $1, version = $1 where id = $2',
    `${M}-place`,
    monitor.id,
  )
  await w.rows('update organisations set name = $1 where org_id = $2', `${M}-org`, org.org_id)
  const [guid = ''] = await w.checks(
    org,
    [
      {
        name: `${M}-check`,
        url: `https://${M}.example/${M}-path`,
        headers: { 'x-key': `${M}-header` },
        post_data: `${M}-post`,
        match_string: `${M}-match`,
        result_detail_max_chars: 500,
      },
    ],
    [monitor.id],
  )
  const { guid: beat_guid, token } = await createHeartbeat(w.deps, org.org_id, { ...HEARTBEAT, name: `${M}-job` })
  await createChannel(w.deps, org.org_id, { kind: 'email', name: `${M}-channel`, email: `${M}@example.com` })
  await monitor.client.upload([
    result(guid, { success: false, http_status: 503, error: `${M}-error`, response_sample: `${M}-sample` }),
  ])
  await w.judgeLate()
  const place = await findHeartbeatOfToken(w.deps, token)
  await takePing(
    w.deps,
    place,
    { ...BEAT, kind: 'exit_code', exit_code: 7, rid: `${M}-run`, body: `${M}-log` },
    w.clock.now(),
  )
  const { slug } = await shown([chosen(guid, 'Website'), chosen(beat_guid, 'Backups', 'heartbeat')], org)
  const [{ address } = {}] = await w.rows('select email as address from people where person_id = $1', org.owner_id)
  const ids = await w.rows('select incident_id as id from incidents where org_id = $1', org.org_id)
  const events = await w.rows('select event_id as id from events where org_id = $1', org.org_id)
  expect([ids.length, events.length]).toEqual([2, 2])
  const made = [...ids, ...events].map(({ id }) => id)
  const secrets = [M, guid, beat_guid, token, monitor.id, monitor.key, address, ...made].map(String)
  for (const path of [`/status/${slug}`, `/status/${slug}.json`]) {
    const response = await fetch(w.direct + path)
    const whole = JSON.stringify([...response.headers]) + (await response.text())
    expect(whole).toContain('Website')
    expect(whole).toContain('Backups')
    expect(secrets.filter((secret) => whole.includes(secret))).toEqual([])
    expect(whole).not.toMatch(/\b503\b|refused|org_id|check_id|guid/)
  }
})

test('markup in what the owner writes is text', async () => {
  const evil = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`
  const org = await w.org()
  const [guid = ''] = await w.checks(org, [{}])
  const { slug } = await shown([chosen(guid, evil)], org, { title: evil, description: evil })
  const page = await seen(slug)
  expect(page.all('script, img, [onerror], style, [style]')).toEqual([])
  expect([page.all('h1')[0]?.text, page.all('.lines')[0]?.text, page.all('h3')[0]?.text]).toEqual([evil, evil, evil])
  const response = await fetch(`${w.direct}/status/${slug}.json`)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(page.page.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'")
})

describe('a crowd', () => {
  test('is served what was computed at most fifteen seconds ago', async () => {
    const { slug, org } = await shown([])
    const titles = async () => (await seen(slug)).all('h1').map((one) => one.text)
    expect(await titles()).toEqual(['Shop'])
    await editStatusPage(w.deps, org.org_id, { slug, title: 'Store', description: '', entries: [] })
    w.clock.forward(FRESH_SEC - 1)
    expect(await titles()).toEqual(['Shop'])
    w.clock.forward(1)
    expect(await titles()).toEqual(['Store'])
    const at = w.clock.now().toISOString().replace('Z', '000Z')
    const all = await Promise.all(Array.from({ length: 40 }, () => json(slug)))
    expect(new Set(all.map(({ computed_at }) => computed_at))).toEqual(new Set([at]))
  })

  test('may keep it as long, gets no cookie, and sends none that matters', async () => {
    const { slug } = await shown([])
    const url = `${w.direct}/status/${slug}`
    const first = await fetch(url, { headers: { cookie: 'dogwatch-session=whatever' } })
    expect(first.headers.get('cache-control')).toBe('public, max-age=15')
    expect(first.headers.getSetCookie()).toEqual([])
    const unknown = await fetch(`${w.direct}/status/not-there`, { headers: { accept: 'text/html' } })
    expect([unknown.status, unknown.headers.getSetCookie()]).toEqual([404, []])
    const etag = first.headers.get('etag') ?? ''
    // Not by fetch, which asks for no cached answer then.
    const again = async () => (await w.http.get(`/status/${slug}`).set('if-none-match', etag)).status
    expect(await again()).toBe(304)
    w.clock.forward(FRESH_SEC)
    expect(await again()).toBe(200)
  })

  test('is compressed once, for those who can read it', async () => {
    const { slug } = await shown([])
    const plain = await fetch(`${w.direct}/status/${slug}`, { headers: { 'accept-encoding': 'identity' } })
    const small = await fetch(`${w.direct}/status/${slug}`, { headers: { 'accept-encoding': 'gzip' } })
    expect([plain.headers.get('content-encoding'), small.headers.get('content-encoding')]).toEqual([null, 'gzip'])
    expect(small.headers.get('vary')).toContain('Accept-Encoding')
    expect(await small.text()).toBe(await plain.text())
  })

  test('is under no limit, unlike those who try addresses', async () => {
    const strict = await world({ address_limit: { per_sec: 0.001, burst: 3 } })
    try {
      const { org_id } = await strict.org()
      await setStatusPage(strict.deps, org_id, true)
      await editStatusPage(strict.deps, org_id, { slug: 'shop', title: 'Shop', description: '', entries: [] })
      const get = async (slug: string) => (await fetch(`${strict.direct}/status/${slug}`)).status
      expect([await get('shop'), await get('not-1'), await get('not-2'), await get('not-3')]).toEqual([
        200, 404, 404, 429,
      ])
      expect([await get('%'), await get(`%${'a.'.repeat(4000)}`)]).toEqual([429, 429])
      for (let i = 0; i < 20; i++) expect(await get('shop')).toBe(200)
      strict.clock.forward(3600)
      expect(await get('shop')).toBe(200)
    } finally {
      await strict.close()
    }
  })
})

describe('its owner', () => {
  const FORM = '/settings/status-page/entries'
  let alice: Browser
  let aliceOrg: Org
  beforeAll(async () => {
    alice = new Browser(w.direct)
    await alice.open('/sign-up')
    await alice.submit('/sign-up', { email: 'alice@example.com', password: 'correct horse', org_name: 'Wonderland' })
    const [row] = await w.rows(
      `select org_id, person_id as owner_id from people join memberships using (person_id) where email = 'alice@example.com'`,
    )
    aliceOrg = { org_id: Number(row?.org_id), owner_id: Number(row?.owner_id) }
    await setPlan(w.deps, aliceOrg.org_id, 'team')
  })

  test('names what is shown, beginning with the names used inside', async () => {
    const [website = '', inner = ''] = await w.checks(aliceOrg, [{ name: 'prod-web-1' }, { name: 'db' }])
    await setStatusPage(w.deps, aliceOrg.org_id, true)
    await alice.open('/settings/status-page')
    expect(alice.all('a').map((one) => one.getAttribute('href'))).toContain(FORM)
    await alice.open(FORM)
    expect(alice.all(`[name="name-check-${website}"]`)[0]?.getAttribute('value')).toBe('prod-web-1')
    const slug = alice.all('[name=slug]')[0]?.getAttribute('value') ?? ''
    expect(slug).toMatch(/^[0-9a-z]{10}$/)
    await alice.submit(FORM, { title: 'Shop', [`show-check-${website}`]: 'on', [`name-check-${website}`]: 'Website' })
    expect(alice.text()).toContain('Status page saved.')
    expect(alice.text()).toContain(`http://dogwatch.example/status/${slug}`)
    expect(await json(slug)).toMatchObject({ systems: [{ name: 'Website' }] })
    // Saving it as it stands changes nothing.
    await alice.submit(FORM)
    w.clock.forward(FRESH_SEC)
    expect(await json(slug)).toMatchObject({ title: 'Shop', systems: [{ name: 'Website' }] })
    expect((await seen(slug)).page.html).not.toMatch(new RegExp(`prod-web-1|${website}|${inner}`))
    const [deed] = await w.rows(
      `select max(actor) as actor, max(subject) as subject, jsonb_agg(detail -> 'changed' order by entry_id) as changed
       from audit_entries where org_id = $1 and action = 'status_page.edit'`,
      aliceOrg.org_id,
    )
    expect(deed).toEqual({ actor: 'alice@example.com', subject: slug, changed: [['title', 'entries'], []] })
  })

  test.each([
    ['an address that another has', { slug: 'taken-already' }, '“URL slug” is already taken. Choose another.'],
    ['an address that is none', { slug: 'No Such' }, '“URL slug” must be 3 to 40 lower-case letters'],
    ['no title', { title: ' ' }, '“Title” must not be blank.'],
    ['a description without end', { description: 'x'.repeat(1001) }, '“Description” must be 1000 characters or fewer.'],
  ])('is told of %s, and finds the form as it was filled in', async (_, fields, line) => {
    if ('slug' in fields && fields.slug === 'taken-already') {
      const { org_id } = await w.org()
      await editStatusPage(w.deps, org_id, { slug: fields.slug, title: 'x', description: '', entries: [] })
    }
    await alice.open(FORM)
    await alice.submit(FORM, { description: 'kept', ...fields })
    expect(alice.page.status).toBe(400)
    expect(alice.all('[role=alert]').map((one) => one.text)).toEqual([expect.stringContaining(line)])
    const [name = '', value] = Object.entries(fields)[0] ?? []
    const field = alice.all(`[name=${name}]`)[0]
    expect(field?.getAttribute('value') ?? field?.textContent.trim()).toBe(value)
  })

  test('is told of an entry without a public name, or a wrong place', async () => {
    const [guid = ''] = await w.checks(aliceOrg, [{ name: 'nameless' }])
    await alice.open(FORM)
    const shown = { [`show-check-${guid}`]: 'on' }
    await alice.submit(FORM, { ...shown, [`name-check-${guid}`]: '' })
    expect(alice.text()).toContain('“Public name of nameless” must not be blank.')
    await alice.open(FORM)
    await alice.submit(FORM, { ...shown, [`position-check-${guid}`]: 'first' })
    expect(alice.text()).toContain('“Position of nameless” must be a whole number of at least 1.')
  })

  test('is told everything that is wrong at once, at its field, and begins at the first', async () => {
    const [guid = ''] = await w.checks(aliceOrg, [{ name: 'both' }])
    await alice.open(FORM)
    const wrong = { [`show-check-${guid}`]: 'on', [`name-check-${guid}`]: '', [`position-check-${guid}`]: '-1' }
    await alice.submit(FORM, { slug: 'No Such', title: ' ', description: 'x'.repeat(1001), ...wrong })
    expect(alice.page.status).toBe(400)
    expect(faultyFields(alice)).toEqual({
      faults: {
        'field-slug': expect.stringMatching(/^Must be 3 to 40 lower-case letters/),
        'field-title': 'Must not be blank.',
        'field-description': 'Must be 1000 characters or fewer.',
        [`field-name-check-${guid}`]: 'Must not be blank.',
        [`field-position-check-${guid}`]: 'Must be a whole number of at least 1.',
      },
      first: ['field-slug'],
    })
    const listed = alice.all('[role=alert] a').map((link) => link.getAttribute('href') ?? '')
    expect(listed).toHaveLength(5)
    for (const href of listed) expect(alice.all(`[id="${href.slice(1)}"]`)).toHaveLength(1)
  })

  test('with a thousand checks gets a short form, which saves, searches, and keeps what it does not list', async () => {
    const org = await w.org()
    const owner = await ownerOf(w, org)
    await setCustomLimits(w.deps, org.org_id, { ...PLANS.team, max_checks: 0 })
    const names = Array.from({ length: 1000 }, (_, n) => `svc-${String(n).padStart(4, '0')}`)
    const guids = await w.checks(
      org,
      names.map((name) => ({ name })),
    )
    const { browser } = owner
    const inputs = () => browser.all(`form[action="${FORM}"] :is(input, textarea)`).length
    const entries = async () =>
      (await w.rows('select public_name from status_page_entries where org_id = $1 order by position', org.org_id)).map(
        ({ public_name }) => public_name,
      )
    await browser.open(FORM)
    expect(inputs()).toBeLessThan(100)
    await browser.submit(FORM, { [`show-check-${guids[3]}`]: 'on' })
    expect([browser.page.status, await entries()]).toEqual([200, ['svc-0003']])
    await browser.open(`${FORM}?q=0999`)
    expect(browser.all('tbody tr')).toHaveLength(1)
    await browser.submit(FORM, { [`show-check-${guids[999]}`]: 'on', [`position-check-${guids[999]}`]: '1' })
    expect([browser.page.path, await entries()]).toEqual([`${FORM}?q=0999`, ['svc-0999', 'svc-0003']])
    await browser.open(FORM)
    await browser.submit(`${FORM}/all`)
    expect(await entries()).toEqual(['svc-0999', 'svc-0003', ...names.filter((name) => !/0003|0999/.test(name))])
    expect(inputs()).toBeLessThan(100)
    await browser.submit(FORM)
    expect([browser.page.status, (await entries()).length]).toEqual([200, 1000])
    await browser.open(`${FORM}?page=2`)
    const [tick] = browser.all('tbody input[type=checkbox]')
    await browser.submit(FORM, { [tick?.getAttribute('name')?.replace('show', 'position') ?? '']: '1000' })
    expect((await entries()).at(-1)).toBe('svc-0024')
  })

  test('gets a random address by leaving the field empty, and keeps it', async () => {
    const org = await w.org()
    const { browser } = await ownerOf(w, org)
    const slug = () => browser.all('[name=slug]')[0]?.getAttribute('value')
    await browser.open(FORM)
    expect(slug()).toBe('')
    await browser.submit(FORM)
    const saved = slug()
    expect(saved).toMatch(/^[0-9a-z]{10}$/)
    await browser.open(FORM)
    expect(slug()).toBe(saved)
  })

  test('cannot show what belongs to another org', async () => {
    const other = await w.org()
    const [foreign = ''] = await w.checks(other, [{ name: 'foreign' }])
    await alice.open(FORM)
    const name = {
      [`show-check-${foreign}`]: 'on',
      [`name-check-${foreign}`]: 'Mine',
      [`position-check-${foreign}`]: '1',
    }
    await alice.submit(FORM, name)
    expect(alice.page.status).toBe(200)
    await expect(shown([chosen(foreign, 'Mine')])).resolves.toBeDefined()
    const rows = await w.rows(`select org_id from status_page_entries where public_name = 'Mine'`)
    expect(rows).toEqual([])
  })

  test('whose plan has no status page sees why, and cannot save one', async () => {
    const org = await w.org('free')
    const edit = editStatusPage(w.deps, org.org_id, { slug: 'no-plan', title: 'x', description: '', entries: [] })
    await expect(edit).rejects.toThrow('status pages are not included in the free plan')
    await setPlan(w.deps, aliceOrg.org_id, 'free')
    await alice.open(FORM)
    expect(alice.text()).toContain('Status pages are not included in the free plan.')
    expect(alice.all(`form[action="${FORM}"]`)).toEqual([])
    await setPlan(w.deps, aliceOrg.org_id, 'team')
  })
})

test('maintenance is announced, and what it covers is under maintenance while it is on, also when it is down', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [shop = '', mail = ''] = await w.checks(org, [{}, {}], 'all')
  const { slug } = await shown([chosen(shop, 'The shop'), chosen(mail, 'Post office')], org)
  const at = (min: number) => new Date(w.clock.now().getTime() + min * 60_000).toISOString().slice(0, 16)
  const once = { duration_sec: 3600, zone: 'UTC', rule: null, scope: { checks: [shop], heartbeats: [] } }
  await createWindow(w.deps, org.org_id, { ...once, name: 'New racks', starts_at: at(60), is_public: true })
  await createWindow(w.deps, org.org_id, { ...once, name: 'In secret', starts_at: at(-5), is_public: false })
  const told = async () => {
    const { status, systems, maintenance } = (await w.http.get(`/status/${slug}.json`)).body as Json & {
      maintenance: { name: string; state: string; systems: string[] }[]
    }
    return { status, states: systems.map(({ state }) => state), maintenance }
  }
  const run = (success: boolean) => {
    const ran_at = w.clock.now().toISOString()
    return monitor.client.upload([
      result(shop, { ran_at, success, ...(!success && { error: 'refused: no' }) }),
      result(mail, { ran_at }),
    ])
  }
  await run(true)
  expect(await told()).toMatchObject({
    status: 'operational',
    maintenance: [{ name: 'New racks', state: 'announced', systems: ['The shop'] }],
  })
  w.clock.forward(3700)
  await run(false)
  expect(await told()).toMatchObject({
    status: 'maintenance',
    states: ['maintenance', 'up'],
    maintenance: [{ name: 'New racks', state: 'running' }],
  })
  const page = await seen(slug)
  expect(page.page.html).toContain('Maintenance')
  expect(page.page.html).not.toContain('In secret')
  w.clock.forward(3600)
  await run(false)
  expect(await told()).toMatchObject({ status: 'partly_down', states: ['down', 'up'], maintenance: [] })
})
