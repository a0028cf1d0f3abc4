// The pages of checks, as a member without scripts uses them.
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { openSession } from '../../src/domain/people/sessions.ts'
import { addMember } from '../../src/domain/organisations/members.ts'
import { foldHistory } from '../../src/domain/results/history.ts'
import { switchMonitor } from '../../src/domain/monitors/switches.ts'
import { Browser } from '../support/browser.ts'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let bob: Browser
let members = 0
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
  bob = await memberOf(org)
})
afterAll(() => w.close())

/** Signed in, and no owner. */
async function memberOf({ org_id }: Org): Promise<Browser> {
  const { person_id } = await addMember(w.deps, org_id, `bob-${members++}@example.com`)
  return new Browser(w.direct, await openSession(w.deps, person_id, org_id))
}

const ago = (sec: number) => new Date(w.clock.now().getTime() - sec * 1000).toISOString()
const stored = async (guid: string) => (await w.rows('select * from checks where guid = $1', guid))[0]
const deeds = async () =>
  (await w.rows(
    "select actor, action, subject, detail from audit_entries where org_id = $1 and actor <> 'operator' order by entry_id",
    org.org_id,
  )) as {
    actor: string
    action: string
    subject: string
    detail: unknown
  }[]
const actions = async () => (await deeds()).map(({ action }) => action)
const fault = () => bob.all('[role=alert]').map((one) => one.text.trim())
const cell = (row: number, column: number) =>
  bob.all('tbody tr')[row]?.querySelectorAll('td')[column]?.text.replaceAll(/\s+/g, ' ').trim()
const guidHere = () => bob.page.path.split('/')[2]?.split('?')[0] ?? ''

async function oneCheck(entry: Record<string, unknown> = {}, monitors: 'all' | 'none' = 'all'): Promise<string> {
  const [guid = ''] = await w.checks(org, [{ name: 'shop', ...entry }], monitors)
  return guid
}

describe('the first page', () => {
  test('without checks it says the next step', async () => {
    await bob.open('/checks')
    expect(bob.text()).toContain('Make the first check')
    expect(bob.all('table')).toEqual([])
  })

  test('says in one line what is down and since when, and shows it first', async () => {
    const monitor = await w.monitor(org)
    const [a = '', b = '', c = ''] = await w.checks(org, [{ name: 'alpha' }, { name: 'blog' }, { name: 'cart' }], 'all')
    await monitor.client.upload([a, b, c].map((guid) => result(guid, { ran_at: ago(1200) })))
    await bob.open('/checks')
    expect(bob.all('[role=status]')[0]?.text).toBe('All 3 checks are up.')
    await monitor.client.upload([result(b, { ran_at: ago(720), success: false, error: 'refused' })])
    await bob.open('/checks')
    expect(bob.all('[role=status]')[0]?.text).toBe('1 of 3 is down: blog (for 12 min)')
    expect(bob.all('tbody td.name').map((td) => td.text)).toEqual(['blog', 'alpha', 'cart'])
    expect([cell(0, 0), cell(0, 2), cell(0, 4), cell(0, 6)]).toEqual(['▼ Down', '12 min', '50 % of 2', '✕ failed'])
    expect([cell(1, 0), cell(1, 2), cell(1, 5), cell(1, 6)]).toEqual(['● Up', 'never down', '100 % of 1', '12 ms'])
  })

  test('no data is no share and no green cell', async () => {
    await w.monitor(org)
    await oneCheck()
    await bob.open('/checks')
    expect([cell(0, 0), cell(0, 4), cell(0, 5), cell(0, 6)]).toEqual(['◌ No data', '–', '–', '–'])
    const cells = bob.all('.bar i')
    expect(cells).toHaveLength(24)
    expect(new Set(cells.map((one) => one.getAttribute('class')))).toEqual(new Set(['n']))
    expect(bob.text()).toContain('The check has no data yet.')
    expect(bob.text()).not.toContain('100 %')
  })

  test('a check that no monitor runs is not monitored, and a paused one is neither up nor down', async () => {
    await w.checks(org, [{ name: 'alone' }, { name: 'resting', enabled: false }], 'none')
    await bob.open('/checks')
    expect(bob.all('[role=status]')[0]?.text).toContain('1 of 2 is not monitored: alone')
    expect(bob.all('[role=status]')[0]?.text).toContain('1 is paused')
    expect([cell(0, 0), cell(1, 0)]).toEqual(['◌ Not monitored', '❚❚ Paused'])
  })

  test('each hour with failures tells them, folded or not', async () => {
    const monitor = await w.monitor(org)
    const guid = await oneCheck()
    const run = (sec: number, success: boolean) => result(guid, { ran_at: ago(sec), success, http_status: 200 })
    await monitor.client.upload([run(10, true), run(20, true), run(7200, false), run(7210, true), run(10_800, false)])
    for (const fold of [false, true]) {
      if (fold) await foldHistory(w.deps)
      await bob.open('/checks')
      expect(
        bob
          .all('.bar i')
          .slice(-4)
          .map((one) => [one.getAttribute('class'), one.getAttribute('title')]),
      ).toEqual([
        ['w', '09:00 2 runs, 1 failed'],
        ['b', '10:00 1 run, 1 failed'],
        ['g', undefined],
        ['n', undefined],
      ])
      expect(bob.all('.bar')[0]?.getAttribute('aria-label')).toBe('Last 24 hours: 5 runs, 2 failed')
    }
  })
})

describe('a new check', () => {
  test('needs a name and a target; the rest is there already', async () => {
    await w.monitor(org)
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { name: ' shop ', url: 'https://shop.example/' })
    expect(bob.text()).toContain('shop is made.')
    expect(await stored(guidHere())).toMatchObject({
      name: 'shop',
      url: 'https://shop.example/',
      interval_sec: 60,
      enabled: true,
      restricted: false,
      all_monitors: true,
      headers: {},
      result_detail_max_chars: 256,
      down_interval_sec: 0,
    })
    expect(await deeds()).toEqual([
      { actor: expect.stringMatching(/^bob-/), action: 'check.create', subject: 'shop', detail: {} },
    ])
  })

  const EVERYTHING = {
    name: 'api',
    url: 'https://api.example/v1?a=b',
    interval_sec: '90',
    timeout_sec: '20',
    post_data: '\n{"a": 1}\n',
    headers: 'Accept: text/plain\nX-Key: a: b\n\n',
    match_string: '^ok$',
    match_mode: 'regex',
    status_code_op: 'eq',
    status_code_value: '201',
    cert_expiry_warn_days: '14',
    max_response_time_ms: '1500',
    result_detail_max_chars: '0',
    down_interval_sec: '3',
    resend_interval_sec: '3600',
    disable_redirects: 'on',
    insecure_skip_verify: 'on',
    invert_result: 'on',
    restricted: 'on',
  }
  const AS_STORED = {
    ...EVERYTHING,
    interval_sec: 90,
    timeout_sec: 20,
    headers: { Accept: 'text/plain', 'X-Key': 'a: b' },
    status_code_value: 201,
    cert_expiry_warn_days: 14,
    max_response_time_ms: 1500,
    result_detail_max_chars: 0,
    down_interval_sec: 3,
    resend_interval_sec: 3600,
    disable_redirects: true,
    insecure_skip_verify: true,
    invert_result: true,
    restricted: true,
    enabled: true,
  }

  test('takes every field, and an edit that changes nothing keeps them all', async () => {
    await bob.open('/checks/new')
    await bob.submit('/checks/new', EVERYTHING)
    const guid = guidHere()
    expect(await stored(guid)).toMatchObject(AS_STORED)
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`)
    expect(await stored(guid)).toMatchObject(AS_STORED)
    expect((await deeds()).at(-1)).toMatchObject({ action: 'check.edit', detail: { changed: [] } })
  })

  test('may be a copy of another, which stays as it is', async () => {
    const [one] = [await w.monitor(org), await w.monitor(org)]
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { ...EVERYTHING, who: 'chosen', monitors: one.id })
    const guid = guidHere()
    await bob.open(`/checks/new?from=${guid}`)
    await bob.submit('/checks/new')
    expect(guidHere()).not.toBe(guid)
    expect(await stored(guidHere())).toMatchObject({ ...AS_STORED, name: 'Copy of api' })
    expect(await runners(guidHere())).toEqual([one.id])
  })

  test('may be a copy of one with a long name, which is cut between letters', async () => {
    const [guid = ''] = await w.checks(org, [{ name: `${'x'.repeat(191)}😀😀` }])
    await bob.open(`/checks/new?from=${guid}`)
    const name = bob.all('input[name=name]')[0]?.getAttribute('value')
    expect(name).toBe(`Copy of ${'x'.repeat(191)}😀`)
  })

  test.each<[string, Record<string, string>, string]>([
    ['no name', { name: ' ' }, '“Name” must not be blank.'],
    ['no target', { url: '' }, '“Target” is required.'],
    ['a strange target', { url: 'ftp://x/' }, '“Target” must begin with http://, https://, tcp:// or tls://.'],
    ['no number', { interval_sec: 'soon' }, '“Run every (seconds)” must be a whole number from 1 to 2678400.'],
    ['a header without a colon', { headers: 'X' }, '“Request headers” must be lines of the form Name: value.'],
    ['a header twice', { headers: 'A: 1\nA: 2' }, '“Request headers” must not name a header twice.'],
    ['a header twice in two cases', { headers: 'A: 1\na: 2' }, '“Request headers” must not name a header twice.'],
    [
      'a bad pattern',
      { match_mode: 'regex', match_string: '(' },
      '“Text to look for” must be a regular expression in RE2 syntax.',
    ],
    ['a target that is private, too', { private: 'on' }, '“Target” must be empty while the definition is private.'],
    [
      'a mode of our dreams',
      { match_mode: 'maybe' },
      '“The answer” must be one of contains, not_contains, regex, not_regex.',
    ],
    ['a U+0000', { match_string: 'a\0' }, '“Text to look for” must not hold U+0000 or lone surrogates.'],
    [
      'a monitor of nobody',
      { who: 'chosen', monitors: 'a\0' },
      'Monitors must name monitors of the organisation or of the shared fleet, not a.',
    ],
  ])('is refused with %s, and keeps what was typed', async (_, wrong, line) => {
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { ...EVERYTHING, ...wrong })
    expect([bob.page.status, fault()]).toEqual([400, [line]])
    expect(await w.rows('select from checks where org_id = $1', org.org_id)).toEqual([])
    expect(await deeds()).toEqual([])
    if (wrong.monitors === undefined) {
      const mended = Object.fromEntries(
        Object.keys(wrong).map((field) => [field, field === 'private' ? [] : EVERYTHING[field as 'name']]),
      )
      await bob.submit('/checks/new', mended)
      expect(await stored(guidHere())).toMatchObject(AS_STORED)
    }
  })

  test('with a private definition has no target, and belongs to own monitors', async () => {
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { name: 'inner', url: '', private: 'on' })
    expect(await stored(guidHere())).toMatchObject({ url: '', restricted: true })
    expect(bob.text()).toContain('The definition is private')
    await bob.open(`/checks/${guidHere()}/edit`)
    await bob.submit(`/checks/${guidHere()}/edit`, { name: 'inner 2' })
    expect(await stored(guidHere())).toMatchObject({ name: 'inner 2', url: '', restricted: true })
  })

  test('meets the limits of the plan, which are told beforehand', async () => {
    const free = await w.org('free')
    const browser = new Browser(w.direct, await openSession(w.deps, free.owner_id, free.org_id))
    await w.checks(
      free,
      Array.from({ length: 9 }, () => ({ interval_sec: 120 })),
    )
    await browser.open('/checks/new')
    expect(browser.text()).toContain('9 of the 10 checks that the free plan allows are made.')
    expect(browser.text()).toContain('The free plan allows 120 and more.')
    const refusals: [Record<string, string>, string][] = [
      [{ interval_sec: '119' }, '“Run every (seconds)” must be at least 120 on the free plan.'],
      [{ timeout_sec: '11' }, '“Give up after (seconds)” must be at most 10 on the free plan.'],
      [{ cert_expiry_warn_days: '1' }, 'must be 0 on the free plan.'],
    ]
    for (const [fields, line] of refusals) {
      await browser.submit('/checks/new', {
        name: 'x',
        url: 'https://example.com/',
        interval_sec: '120',
        timeout_sec: '',
        cert_expiry_warn_days: '',
        ...fields,
      })
      expect([browser.page.status, browser.all('[role=alert]')[0]?.text]).toEqual([400, expect.stringContaining(line)])
    }
    await browser.submit('/checks/new', {
      name: 'x',
      url: 'https://example.com/',
      interval_sec: '120',
      cert_expiry_warn_days: '',
    })
    expect(browser.page.status).toBe(200)
    await browser.open('/checks/new')
    await browser.submit('/checks/new', { name: 'y', url: 'https://example.com/' })
    expect(browser.all('[role=alert]')[0]?.text).toBe('The free plan allows 10 checks, and this would make 11.')
  })
})

const runners = async (guid: string) =>
  (await w.rows('select monitor_id from assignments where guid = $1 and active order by 1', guid)).map(
    ({ monitor_id }) => monitor_id,
  )

describe('changing a check', () => {
  test('an edit names the fields that it changed in the audit log, and none of their values', async () => {
    const guid = await oneCheck()
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { url: 'https://user:hunter2@example.org/', interval_sec: '300' })
    expect(await stored(guid)).toMatchObject({ url: 'https://user:hunter2@example.org/', interval_sec: 300 })
    const [deed] = await deeds()
    expect(deed).toMatchObject({ action: 'check.edit', subject: 'shop', detail: { changed: ['url', 'interval_sec'] } })
    expect(JSON.stringify(deed)).not.toContain('hunter2')
  })

  test('line ends that a form cannot show stay as they are', async () => {
    const guid = await oneCheck({ post_data: 'a\r\nb\nc', match_string: '\n\nx' })
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { post_data: 'a\r\nb\r\nc', name: 'other' })
    expect(await stored(guid)).toMatchObject({ post_data: 'a\r\nb\nc', match_string: '\n\nx', name: 'other' })
  })

  test('an edit cannot make a definition private by the way', async () => {
    const guid = await oneCheck()
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { url: '' })
    expect([bob.page.status, fault()]).toEqual([400, ['“Target” is required.']])
    expect(await stored(guid)).toMatchObject({ url: 'https://example.com/' })
  })

  test('monitors are all, some or none; an edit leaves one that is switched off its checks', async () => {
    const [one, two, shared] = [await w.monitor(org), await w.monitor(org), await w.monitor(null)]
    const guid = await oneCheck({}, 'none')
    const choose = async (who: string, ...monitors: string[]) => {
      await bob.open(`/checks/${guid}/edit`)
      await bob.submit(`/checks/${guid}/edit`, { who, monitors })
      return runners(guid)
    }
    expect(await choose('chosen', one.id, shared.id)).toEqual([one.id, shared.id].toSorted())
    await switchMonitor(w.deps, shared.id, 'platform_enabled', false)
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { name: 'renamed' })
    expect(await runners(guid)).toEqual([one.id, shared.id].toSorted())
    await switchMonitor(w.deps, shared.id, 'platform_enabled', true)
    expect(await choose('all')).toEqual(expect.arrayContaining([one.id, two.id, shared.id]))
    expect(await stored(guid)).toMatchObject({ all_monitors: true })
    expect(await choose('none')).toEqual([])
    expect(await choose('chosen')).toEqual([])
  })

  test('a restricted check is refused to the shared fleet, in words', async () => {
    const shared = await w.monitor(null)
    const guid = await oneCheck({}, 'none')
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { restricted: 'on', who: 'chosen', monitors: shared.id })
    expect(bob.page.status).toBe(400)
    expect(fault()[0]).toContain(`must not name the shared monitor ${shared.id}`)
    expect(await stored(guid)).toMatchObject({ restricted: false })
  })

  test('paused and resumed by a button', async () => {
    const guid = await oneCheck()
    await bob.open(`/checks/${guid}`)
    await bob.submit(`/checks/${guid}/pause`)
    expect(bob.text()).toContain('Paused')
    expect(await stored(guid)).toMatchObject({ enabled: false })
    await bob.submit(`/checks/${guid}/resume`)
    expect(await stored(guid)).toMatchObject({ enabled: true })
    expect(await actions()).toEqual(['check.pause', 'check.resume'])
  })

  test('deleted after a question, and gone', async () => {
    const guid = await oneCheck()
    await bob.open(`/checks/${guid}/delete`)
    expect(bob.text()).toContain('Delete shop?')
    await bob.submit(`/checks/${guid}/delete`)
    expect([bob.page.path, await actions()]).toEqual(['/checks', ['check.delete']])
    expect((await bob.open(`/checks/${guid}`)).status).toBe(404)
    expect((await bob.open(`/checks/${guid}/edit`)).status).toBe(404)
  })

  test('a definition is wiped after it was shown, and nothing here knows it any more', async () => {
    const monitor = await w.monitor(org)
    const guid = await oneCheck({ url: 'https://secret.example/', headers: { 'X-Key': 'k' } })
    await monitor.client.upload([result(guid, { success: false, error: 'connect: secret.example refused' })])
    await bob.open(`/checks/${guid}/wipe`)
    expect(JSON.parse(bob.all('#definition')[0]?.text ?? '')).toEqual({
      [guid]: { url: 'https://secret.example/', headers: { 'X-Key': 'k' } },
    })
    await bob.submit(`/checks/${guid}/wipe`)
    expect(await stored(guid)).toMatchObject({ url: '', headers: {}, restricted: true })
    expect(await actions()).toEqual(['check.wipe'])
    await bob.open(`/checks/${guid}`)
    expect(bob.page.html).not.toContain('secret.example')
    expect(bob.text()).toContain('The definition is private')
  })

  test('what is not of this org is not there, whatever is done to it', async () => {
    const other = await w.org()
    const [theirs = ''] = await w.checks(other, [{ name: 'theirs' }])
    const before = await stored(theirs)
    await bob.open('/checks/new')
    const csrf = bob.all('form[action="/checks/new"] input[name=csrf]')[0]?.getAttribute('value') ?? ''
    for (const path of ['', '/edit', '/delete', '/wipe'])
      expect((await bob.open(`/checks/${theirs}${path}`)).status).toBe(404)
    expect((await bob.open(`/checks/new?from=${theirs}`)).status).toBe(404)
    for (const verb of ['edit', 'pause', 'resume', 'delete', 'wipe']) {
      const fields = { csrf, name: 'x', url: 'https://example.com/', interval_sec: '60' }
      expect((await bob.post(`/checks/${theirs}/${verb}`, fields)).status).toBe(404)
      expect((await bob.post(`/checks/%00/${verb}`, fields)).status).toBe(404)
    }
    expect(await stored(theirs)).toEqual(before)
    await bob.open('/checks')
    expect(bob.text()).not.toContain('theirs')
  })
})

describe('one check', () => {
  test('says which monitor sees what, and which has not run it', async () => {
    const [one, two] = [await w.monitor(org, 'attic'), await w.monitor(org, 'cellar')]
    const guid = await oneCheck({ down_interval_sec: 2 })
    await one.client.upload([result(guid, { ran_at: ago(60), latency_ms: 34 })])
    await bob.open(`/checks/${guid}`)
    const rows = () =>
      new Map(
        bob
          .all('[aria-labelledby=monitors] tbody tr')
          .map((tr) => [tr.querySelector('td')?.text.split(' ')[0] ?? '', tr.text]),
      )
    expect(rows().get('attic')).toMatch(/Up1 min ago34 ms/)
    expect(rows().get('cellar')).toMatch(/No datahas not run it in the last 1 d/)
    await two.client.upload([
      result(guid, { ran_at: ago(30), success: false, error: 'connect: refused', http_status: 0 }),
    ])
    await switchMonitor(w.deps, one.id, 'enabled', false)
    await bob.open(`/checks/${guid}`)
    expect(rows().get('cellar')).toMatch(/Down30 s agoconnect: refused$/)
    expect(rows().get('attic')).toContain('Disabled')
    expect(bob.all('.standing')[0]?.text).toContain('Up')
  })

  test('tells its incidents: when they began and ended, how long they took and why they ended', async () => {
    const monitor = await w.monitor(org)
    const guid = await oneCheck()
    const run = (sec: number, success: boolean) => monitor.client.upload([result(guid, { ran_at: ago(sec), success })])
    await run(7200, false)
    await run(3600, true)
    await run(600, false)
    await bob.open(`/checks/${guid}`)
    const rows = bob
      .all('[aria-labelledby=incidents] tbody tr')
      .map((tr) => tr.querySelectorAll('td').map((td) => td.text))
    expect(rows).toEqual([
      ['10 min ago', '▼ Down', '10 min', 'it has not yet'],
      ['2 h ago', '1 h ago', '1 h', 'it recovered'],
    ])
    expect(bob.all('.standing')[0]?.text).toContain('Down for 10 min')
  })

  test('tells how many runs were due and how many came', async () => {
    const monitor = await w.monitor(org)
    const guid = await oneCheck({ interval_sec: 3600 })
    await w.rows(`update checks set created_at = '2026-11-01' where guid = $1`, guid)
    const midnight = Math.floor(w.clock.now().getTime() / 86_400_000) * 86_400_000
    const yesterday = Array.from({ length: 6 }, (_, hour) =>
      result(guid, { ran_at: new Date(midnight - (hour + 1) * 3_600_000).toISOString() }),
    )
    await monitor.client.upload(yesterday)
    await bob.open(`/checks/${guid}`)
    const rows = bob.all('[aria-labelledby=coverage] tbody tr').map((tr) =>
      tr
        .querySelectorAll('td')
        .slice(1)
        .map((td) => td.text),
    )
    expect(rows).toHaveLength(7)
    expect(rows.slice(1, 3)).toEqual([
      ['24', '6', '25 %'],
      ['24', '0', '0 %'],
    ])
  })

  test('draws its latency for each period without scripts, and breaks the line where nothing is known', async () => {
    const monitor = await w.monitor(org)
    const guid = await oneCheck()
    const hours = [1, 2, 3, 9, 10, 11].map((hour) => result(guid, { ran_at: ago(hour * 3600), latency_ms: hour }))
    const failed = result(guid, { ran_at: ago(5 * 3600), success: false, latency_ms: 9999 })
    await monitor.client.upload([
      ...hours,
      failed,
      ...[40, 100, 300].map((days) => result(guid, { ran_at: ago(days * 86_400) })),
    ])
    const uptimes = new Map<string, string>()
    for (const period of ['24h', '7d', '30d', '1y', 'nonsense']) {
      await bob.open(`/checks/${guid}?period=${period}`)
      expect(bob.all('figure.chart polyline').length).toBeGreaterThan(1)
      expect(bob.all('figure.chart path.failed')[0]?.getAttribute('d')).toMatch(/^M[\d.]+ /)
      uptimes.set(period, /Uptime ([\d.]+ %\s+of \d+)/.exec(bob.text())?.[1]?.replace(/\s+/g, ' ') ?? '')
    }
    expect(Object.fromEntries(uptimes)).toEqual({
      '24h': '85.71 % of 7',
      '7d': '85.71 % of 7',
      '30d': '85.71 % of 7',
      '1y': '90 % of 10',
      nonsense: '85.71 % of 7',
    })
    expect(bob.text()).toContain('11 ms at worst')
    const [script = '', chart = ''] = bob.all('figure.chart script').map((one) => one.getAttribute('src') ?? '')
    for (const path of [script, chart]) {
      const response = await fetch(w.direct + path)
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        expect.stringContaining('immutable'),
      ])
    }
  })

  test('its results are paged back to the first, none twice and none left out', async () => {
    const monitor = await w.monitor(org)
    const guid = await oneCheck()
    await monitor.client.upload(
      Array.from({ length: 120 }, (_, i) => result(guid, { ran_at: ago(60 + i), latency_ms: i })),
    )
    const seen: string[] = []
    await bob.open(`/checks/${guid}`)
    for (let pages = 0; pages < 5; pages++) {
      seen.push(...bob.all('[aria-labelledby=results] tbody tr').map((tr) => tr.querySelectorAll('td')[1]?.text ?? ''))
      const older = bob.all('a').find((link) => link.text === 'Older')
      if (!older) break
      await bob.open(older.getAttribute('href')?.replace(/&amp;/g, '&') ?? '')
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => `${i} ms · 200`))
    expect((await bob.open(`/checks/${guid}?before=yesterday`)).status).toBe(400)
    expect((await bob.open(`/checks/${guid}?before=2026-11-20T00:00:00Z&before_monitor=%00`)).status).toBe(200)
  })
})

test('whatever customers, agents and targets write is text on every page', async () => {
  const EVIL = `"'></title></textarea></pre><script>alert(1)</script><img src=x onerror=alert(1)>`
  const monitor = await w.monitor(org, EVIL)
  const guid = await oneCheck({
    name: EVIL,
    url: `https://example.com/?${encodeURIComponent('a')}="'><script>alert(1)</script>`,
    post_data: EVIL,
    match_string: EVIL,
    headers: { 'X-Evil': EVIL },
    result_detail_max_chars: 1000,
  })
  await monitor.client.upload([result(guid, { success: false, error: EVIL, response_sample: EVIL })])
  const file = JSON.stringify([
    { guid, name: EVIL, url: 'https://example.com/', interval_sec: 60, post_data: `${EVIL}2` },
  ])
  for (const path of [
    '',
    `/${guid}`,
    `/${guid}/edit`,
    `/${guid}/delete`,
    `/${guid}/wipe`,
    `/new?from=${guid}`,
    '/import',
  ]) {
    await bob.open(`/checks${path}`)
    if (path === '/import') await bob.submit('/checks/import', { file })
    expect({ path, status: bob.page.status }).toEqual({ path, status: 200 })
    expect(bob.page.html).not.toMatch(/<script(?! src="\/assets)|<img/i)
    expect(bob.page.html).toContain('&lt;script')
  }
})

describe('import and export', () => {
  const ENTRY = { url: 'https://example.com/', interval_sec: 60 }
  const preview = async (file: unknown, fields: Record<string, string> = {}) => {
    await bob.open('/checks/import')
    await bob.submit('/checks/import', { file: typeof file === 'string' ? file : JSON.stringify(file), ...fields })
  }

  test('an import is shown before it is done, field by field', async () => {
    const [same = '', other = ''] = await w.checks(org, [
      { name: 'same' },
      { name: 'other', headers: { B: '2', A: '1' } },
    ])
    const file = [
      { ...ENTRY, name: 'same', guid: same },
      { ...ENTRY, name: 'renamed', guid: other, headers: { A: '1', B: '2' }, timeout_sec: 20 },
      { ...ENTRY, name: 'fresh' },
    ]
    await preview(file)
    expect(bob.text()).toContain('1 new, 1 changed, 1 as they are')
    expect(bob.all('tbody tr').map((tr) => tr.querySelectorAll('td').map((td) => td.text))).toEqual([
      ['other', 'Name', 'other', 'renamed'],
      ['other', 'Give up after (seconds)', '0', '20'],
    ])
    expect((await stored(other))?.name).toBe('other')
    await bob.submit('/checks/import/confirm')
    expect([bob.page.path, bob.all('tbody tr').length]).toEqual(['/checks', 3])
    expect(await stored(other)).toMatchObject({ name: 'renamed', timeout_sec: 20 })
    expect(await deeds()).toMatchObject([{ action: 'check.import', subject: '3 checks' }])
  })

  test('what changed since the preview is shown again, and not imported', async () => {
    const [guid = ''] = await w.checks(org, [{ name: 'shop' }])
    await preview([{ ...ENTRY, name: 'shop', guid, timeout_sec: 20 }])
    await w.checks(org, [{ ...ENTRY, name: 'shop', guid, interval_sec: 600 }])
    await bob.submit('/checks/import/confirm')
    expect([bob.page.status, fault()[0]]).toEqual([409, expect.stringContaining('were changed since this preview')])
    expect(await stored(guid)).toMatchObject({ timeout_sec: 0, interval_sec: 600 })
    expect(bob.text()).toContain('Run every (seconds)')
    await bob.submit('/checks/import/confirm')
    expect(await stored(guid)).toMatchObject({ timeout_sec: 20, interval_sec: 60 })
  })

  test.each<[string, unknown, string]>([
    ['no JSON', '[', 'The file must hold valid json.'],
    ['no array', {}, 'The file must hold an array of checks.'],
    [
      'a bad field',
      [{ ...ENTRY, name: 'x', interval_sec: 0 }],
      '[0].interval_sec must be a whole number from 1 to 2678400.',
    ],
    [
      'what the plan refuses',
      [{ ...ENTRY, name: 'x', interval_sec: 29 }],
      '[0].interval_sec must be at least 30 on the team plan.',
    ],
    [
      'too many',
      Array.from({ length: 101 }, () => ({ ...ENTRY, name: 'x' })),
      'The team plan allows 100 checks, and this would make 101.',
    ],
  ])('%s is refused, and the text is kept', async (_, file, line) => {
    await preview(file)
    expect([bob.page.status, fault()]).toEqual([400, [line]])
    expect(bob.all('textarea')[0]?.text.trim()).toBe(typeof file === 'string' ? file : JSON.stringify(file))
  })

  test('what is nested deeper than we would write ourselves is carried over as it was sent', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    await preview(`[ {"name": "deep", "url": "https://example.com/", "interval_sec": 60, "unknown": ${deep}} ]`)
    expect([bob.page.status, fault()]).toEqual([200, []])
    await bob.submit('/checks/import/confirm')
    expect([bob.page.path, bob.all('tbody tr').length]).toEqual(['/checks', 1])
  })

  test('new checks may go to all monitors', async () => {
    const monitor = await w.monitor(org)
    await preview([{ ...ENTRY, name: 'x' }], { who: 'all' })
    await bob.submit('/checks/import/confirm')
    const [check] = await w.rows('select guid from checks where org_id = $1', org.org_id)
    expect(await runners(String(check?.guid))).toContain(monitor.id)
  })

  test("an export is what the account API's list is, and goes in again without a change", async () => {
    await w.checks(org, [
      { name: 'a', headers: { X: 'y' }, invert_result: true },
      { name: 'b', url: '' },
    ])
    const exported = await bob.open('/checks/export')
    expect(exported.headers.get('content-disposition')).toBe('attachment; filename="checks.json"')
    const token = await w.pat(org)
    const listed = await fetch(`${w.direct}/account-api/v1/checks`, { headers: { authorization: `Bearer ${token}` } })
    expect(JSON.parse(exported.html)).toEqual(await listed.json())
    await preview(exported.html)
    expect(bob.text()).toContain('0 new, 0 changed, 2 as they are')
  })
})

test.each(['/checks', '/checks/:check'])(
  '%s asks the same number of statements for a hundred checks as for one',
  async (path) => {
    const monitor = await w.monitor(org)
    const [first = ''] = await w.checks(org, [{}], 'all')
    await monitor.client.upload([result(first)])
    const statements = async () => {
      const query = jest.spyOn(pg.Query.prototype, 'submit')
      await bob.open(path.replace(':check', first))
      const count = query.mock.calls.length
      query.mockRestore()
      return count
    }
    const one = await statements()
    const rest = await w.checks(
      org,
      Array.from({ length: 99 }, () => ({})),
      'all',
    )
    await monitor.client.upload(rest.map((guid) => result(guid)))
    expect(await statements()).toBe(one)
    expect(one).toBeGreaterThan(3)
    expect(one).toBeLessThan(20)
  },
)
