// The pages on which a member, without scripts, sees how checks stand.

import { switchMonitor } from '@dogwatch/domain/monitors/switches'
import { foldHistory } from '@dogwatch/domain/results/history'
import { describe, expect, test } from '@jest/globals'
import { ago, bob, cell, oneCheck, org, w } from '../support/check-pages.ts'
import { result } from '../support/world.ts'

describe('the first page', () => {
  test('without checks it says the next step', async () => {
    await bob.open('/checks')
    expect(bob.text()).toContain('No checks yet')
    expect(bob.all('table')).toEqual([])
  })

  test('says in one line what is down and since when, and shows it first', async () => {
    const monitor = await w.monitor(org)
    const [a = '', b = '', c = ''] = await w.checks(org, [{ name: 'alpha' }, { name: 'blog' }, { name: 'cart' }], 'all')
    await monitor.client.upload([a, b, c].map((guid) => result(guid, { ran_at: ago(1200) })))
    await bob.open('/checks')
    expect(bob.all('.summary[role=status]')[0]?.text).toBe('All 3 checks are up.')
    await monitor.client.upload([result(b, { ran_at: ago(720), success: false, error: 'refused' })])
    await w.judgeLate()
    await bob.open('/checks')
    expect(bob.all('.summary[role=status]')[0]?.text).toBe('1 of 3 checks is down: blog (for 12 min)')
    expect(bob.all('tbody td.name a').map((one) => one.text)).toEqual(['blog', 'alpha', 'cart'])
    expect(bob.all('tbody td.name .target').map((one) => one.text)).toEqual(
      Array.from({ length: 3 }, () => 'example.com'),
    )
    expect([cell(0, 0), cell(0, 2), cell(0, 4), cell(0, 6)]).toEqual([
      'Down',
      '12 min',
      '50% up over 2 min',
      'Failed 12 min ago',
    ])
    expect([cell(1, 0), cell(1, 2), cell(1, 5), cell(1, 6)]).toEqual([
      'Up',
      'Since first run',
      '100% up over 1 min',
      '12 ms 20 min ago',
    ])
  })

  test('no data is no share and no green cell', async () => {
    await w.monitor(org)
    await oneCheck()
    await bob.open('/checks')
    expect([cell(0, 0), cell(0, 4), cell(0, 5), cell(0, 6)]).toEqual(['No data', '–', '–', '–'])
    const cells = bob.all('.bar i')
    expect(cells).toHaveLength(24)
    expect(new Set(cells.map((one) => one.getAttribute('class')))).toEqual(new Set(['n']))
    expect(bob.text()).toContain('The check has no results yet.')
    expect(bob.text()).not.toContain('100%')
  })

  test('a check that no monitor runs is not monitored, and a paused one is neither up nor down', async () => {
    await w.checks(org, [{ name: 'alone' }, { name: 'resting', enabled: false }], 'none')
    await bob.open('/checks')
    expect(bob.all('.summary[role=status]')[0]?.text).toContain('1 of 2 checks is not monitored: alone')
    expect(bob.all('.summary[role=status]')[0]?.text).toContain('1 check is paused.')
    expect([cell(0, 0), cell(1, 0)]).toEqual(['Not monitored', 'Paused'])
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
        ['w', '09:00 1 of 2 runs failed'],
        ['b', '10:00 1 of 1 run failed'],
        ['g', undefined],
        ['n', undefined],
      ])
      expect(bob.all('.bar')[0]?.getAttribute('aria-label')).toBe('Last 24 hours: 2 of 5 runs failed')
    }
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
          .all('[aria-label="Status by monitor"] tbody tr')
          .map((tr) => [tr.querySelector('td')?.text.split(' ')[0] ?? '', tr.text]),
      )
    expect(rows().get('attic')).toMatch(/Passing1 min ago, 11:5934 ms/)
    expect(rows().get('cellar')).toMatch(/No dataNot yet/)
    await two.client.upload([
      result(guid, { ran_at: ago(30), success: false, error: 'connect: refused', http_status: 0 }),
    ])
    await switchMonitor(w.deps, one.id, 'enabled', false)
    await bob.open(`/checks/${guid}`)
    expect(rows().get('cellar')).toMatch(/Failing30 s ago, 11:59connect: refused$/)
    expect(rows().get('attic')).toContain('Disabled')
    expect(bob.all('.standing')[0]?.text).toContain('Not down yet')
  })

  test('tells its incidents: when they began and ended, how long they took and why they ended', async () => {
    const monitor = await w.monitor(org)
    const guid = await oneCheck()
    const run = async (sec: number, success: boolean) => {
      await monitor.client.upload([result(guid, { ran_at: ago(sec), success })])
      await w.judgeLate()
    }
    await run(7200, false)
    await run(3600, true)
    await run(600, false)
    await bob.open(`/checks/${guid}/incidents`)
    const rows = bob.all('[aria-label=Incidents] tbody tr').map((tr) => tr.querySelectorAll('td').map((td) => td.text))
    expect(rows).toEqual([
      ['10 min ago, 11:50', 'Down', '10 min', '1 failure', '', 'Ongoing'],
      ['2 h ago, 10:00', '1 h ago, 11:00', '1 h', '1 failure', '', 'Recovered'],
    ])
    await bob.submit(`/checks/${guid}/acknowledge`)
    const shown = () => bob.all('[aria-label=Acknowledgement]')[0]?.text
    expect(shown()).toMatch(/^Acknowledged by \S+@\S+, just now, 12:00\. Reminders/)
    await bob.submit(`/checks/${guid}/unacknowledge`)
    expect(shown()).toContain('Not acknowledged.')
    const muted = () => bob.all('[aria-label=Mute]')[0]?.text
    await bob.submit(`/checks/${guid}/mute`, { for: '4h' })
    expect(muted()).toMatch(/^Muted by \S+@\S+ until 16:00\. No notifications/)
    await bob.submit(`/checks/${guid}/unmute`)
    expect(muted()).not.toContain('Muted by')
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
    const rows = bob.all('[aria-label=Coverage] tbody tr').map((tr) =>
      tr
        .querySelectorAll('td')
        .slice(1)
        .map((td) => td.text),
    )
    expect(rows).toHaveLength(7)
    expect(rows.slice(1, 3)).toEqual([
      ['24', '6', '25%'],
      ['24', '0', '0%'],
    ])
  })

  test('draws its response times for each range without scripts, and breaks the line where nothing is known', async () => {
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
    for (const range of ['24h', '7d', '30d', '90d', '1y', 'nonsense']) {
      await bob.open(`/checks/${guid}?period=${range}`)
      expect(bob.all('figure.chart path.line')[0]?.getAttribute('d')).toMatch(range === '24h' ? /^M.+M/ : /^M/)
      expect(bob.all('figure.chart path.failed')[0]?.getAttribute('d')).toMatch(/^M[\d.]+ /)
      uptimes.set(
        range,
        /Uptime ([\d.]+% over .+ of monitoring; \d+ of \d+ runs)/.exec(bob.text())?.[1]?.replace(/\s+/g, ' ') ?? '',
      )
    }
    expect(Object.fromEntries(uptimes)).toEqual({
      '24h': '85.71% over 7 min of monitoring; 1 of 7 runs',
      '7d': '85.71% over 7 min of monitoring; 1 of 7 runs',
      '30d': '85.71% over 7 min of monitoring; 1 of 7 runs',
      '90d': '87.5% over 8 min of monitoring; 1 of 8 runs',
      '1y': '90% over 10 min of monitoring; 1 of 10 runs',
      nonsense: '85.71% over 7 min of monitoring; 1 of 7 runs',
    })
    expect(bob.text()).toContain('Average response time 6 ms;')
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
    await bob.open(`/checks/${guid}/results`)
    for (let pages = 0; pages < 5; pages++) {
      seen.push(...bob.all('[data-live=results] tbody tr').map((tr) => tr.querySelectorAll('td')[1]?.text ?? ''))
      const older = bob.all('a').find((link) => link.text === 'Earlier results')
      if (!older) break
      await bob.open(older.getAttribute('href')?.replace(/&amp;/g, '&') ?? '')
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => `${i} ms · 200`))
    expect((await bob.open(`/checks/${guid}/results?before=yesterday`)).status).toBe(400)
    expect((await bob.open(`/checks/${guid}/results?before=2026-11-20T00:00:00Z&before_monitor=%00`)).status).toBe(200)
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
    `/${guid}/results`,
    `/${guid}/definition`,
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
