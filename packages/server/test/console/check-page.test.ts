// The page of a check: its headline, its chart and uptime, its tabs.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { setPlan, setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { foldHistory } from '@dogwatch/domain/results/history'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { describe, expect, test } from '@jest/globals'
import { ago, bob, oneCheck, org, w } from '../support/check-pages.ts'
import { type Monitor, result } from '../support/world.ts'

const told = (text: string | undefined) => (text ?? '').replaceAll(/\s+/g, ' ').trim()
const standing = () => told(bob.all('.standing')[0]?.text)
const card = (label: string) => bob.all(`[aria-label="${label}"]`)[0]
const rowsOf = (label: string) =>
  (card(label)?.querySelectorAll('tbody tr') ?? []).map((tr) => tr.querySelectorAll('td').map((td) => told(td.text)))

/** Ran once a minute from one time to another, in minutes before now. */
const runs = (guid: string, from: number, until: number, given: Record<string, unknown> = {}) =>
  Array.from({ length: from - until }, (_, index) => result(guid, { ran_at: ago((from - index) * 60), ...given }))

async function since(guid: string, sec: number): Promise<void> {
  await w.rows('update checks set created_at = $2 where guid = $1', guid, ago(sec))
}

/** Maintenance of a check, in minutes before now. */
async function underMaintenance(guid: string, [from, until]: [number, number], is_public = true): Promise<void> {
  await w.rows(
    `insert into maintenance_spans (org_id, window_id, begins_at, ends_at, name, scope, is_public)
     values ($1, $2, $3, $4, 'racks', $5, $6)`,
    org.org_id,
    from,
    ago(from * 60),
    ago(until * 60),
    JSON.stringify({ checks: [guid], heartbeats: [] }),
    is_public,
  )
}

describe('the headline', () => {
  test('of a check that is down says why, from where, since when, and who was told', async () => {
    const monitors: Monitor[] = []
    for (const name of ['fra-1', 'sgp-1', 'nyc-2']) monitors.push(await w.monitor(org, name))
    const guid = await oneCheck({ down_places: 2, url: 'https://shop.example/health' })
    await createChannel(w.deps, org.org_id, { kind: 'ntfy', name: 'phone', ntfy_topic: 'wonderland' })
    const [fra, sgp, nyc] = monitors as [Monitor, Monitor, Monitor]
    for (const { client } of monitors) await client.upload([result(guid, { ran_at: ago(900) })])
    const failed = { success: false, http_status: 0, error: 'timeout: no response within 10 s' }
    await nyc.client.upload([result(guid, { ran_at: ago(100) })])
    await fra.client.upload([result(guid, { ran_at: ago(80), ...failed })])
    await sgp.client.upload([result(guid, { ran_at: ago(60), ...failed })])
    await w.judgeLate()
    await bob.open(`/checks/${guid}`)
    expect(standing()).toMatch(
      /^Down for 1 min · last run 1 min ago, 11:59: failed ?Timeout: no response within 10 s ?Failing from 2 of 3 monitors/,
    )
    expect(standing()).toContain('Failing from 2 of 3 monitors: fra-1, sgp-1. Passing: nyc-2.')
    expect(standing()).toContain('Sending to phone')
    const facts = told(bob.all('dl.facts')[0]?.text)
    expect(facts).toMatch(/Target ?https:\/\/shop.example\/health.*Next run ?in (\d+ s|1 min)/)
    await bob.open(`/checks/${guid}/alerts`)
    expect(rowsOf('Alerts').map(([, event, , channel]) => [event, channel])).toEqual([['Check: down', 'phone']])
  })

  test('of a check that fails and is not confirmed as down yet is not green, here and in the lists, and says what it waits for', async () => {
    const [fra, sgp] = [await w.monitor(org, 'fra-1'), await w.monitor(org, 'sgp-1')]
    const guid = await oneCheck({ down_majority: true, interval_sec: 60 })
    await fra.client.upload([result(guid, { ran_at: ago(30), success: false, error: 'refused: connection refused' })])
    await sgp.client.ping()
    await bob.open(`/checks/${guid}`)
    expect(standing()).toMatch(/^Failing · last run 30 s ago/)
    expect(standing()).toContain(
      'Connection refused Not down yet: failing on 1 monitor. The check goes down when it fails on 2 monitors.',
    )
    await bob.open('/checks')
    expect(bob.all('tbody .state').map((one) => one.text)).toEqual(['Failing'])
    expect(bob.text()).toMatch(/1 of 1 check is failing, but not yet down/)
    expect(bob.text()).not.toContain('Since first run')
    await bob.open('/checks?state=failing')
    expect(bob.all('td.name')).toHaveLength(1)
    await bob.open('/checks?state=up')
    expect(bob.all('td.name')).toHaveLength(0)
    await bob.open('/')
    expect(bob.text()).toContain('1 check is failing, but not yet down.')
    expect(bob.all('.stat').map((stat) => stat.structuredText.replaceAll('\n', ' '))).toEqual(
      expect.arrayContaining(['Failing 1 check', 'Up 0 checks']),
    )
    // An old check, of which the list reads no result.
    await w.rows("update check_schedules set watched_since = now() - interval '2 years' where org_id = $1", org.org_id)
    await bob.open('/checks?state=failing')
    expect(bob.all('td.name')).toHaveLength(1)
    const states = async () => {
      await bob.open('/checks')
      return bob.all('tbody .state').map((one) => one.text)
    }
    const failed = { success: false, error: 'refused: connection refused' }
    await sgp.client.upload([result(guid, { ran_at: ago(20) })])
    expect(await states()).toEqual(['Up'])
    // A monitor that fails again fails until it succeeds itself, whatever others see in between.
    await fra.client.upload([result(guid, { ran_at: ago(15), ...failed })])
    await sgp.client.upload([result(guid, { ran_at: ago(10) })])
    expect(await states()).toEqual(['Failing'])
    await bob.open(`/checks/${guid}`)
    expect(standing()).toMatch(/^Failing .*Failing from 1 of 2 monitors: fra-1. Passing: sgp-1.$/)
    await fra.client.upload([result(guid, { ran_at: ago(5) })])
    expect(await states()).toEqual(['Up'])
    await bob.open(`/checks/${guid}`)
    expect(standing()).toMatch(/^Up/)
    await bob.open('/checks/new')
    expect(told(bob.text())).toContain('If the check fails on every monitor, it goes down within about 1 min.')
  })

  test('warns of retries that are never made, as the form does, until enough monitors take turns', async () => {
    await w.monitor(org, 'fra-1')
    const guid = await oneCheck({ interval_sec: 30, retry_count: 1, retry_interval_sec: 20 })
    const warning =
      /retries has no effect with fewer than 2 monitors: one retry takes up to 32 s, and the check runs every 30 s/
    for (const path of [`/checks/${guid}`, `/checks/${guid}/edit`]) {
      await bob.open(path)
      expect(told(bob.text())).toMatch(warning)
    }
    await w.monitor(org, 'sgp-1')
    await bob.open(`/checks/${guid}`)
    expect(told(bob.text())).not.toMatch(warning)
  })

  test('tells how many days the certificate is valid', async () => {
    const { client } = await w.monitor(org)
    const guid = await oneCheck()
    const cert_expires_at = new Date(w.clock.now().getTime() + 12.5 * 86_400_000).toISOString()
    await client.upload([result(guid, { ran_at: ago(60), cert_expires_at })])
    await bob.open(`/checks/${guid}`)
    expect(told(bob.all('dl.facts')[0]?.text)).toContain('Expires in 12 days (3 Dec 2026)')
  })
})

describe('the chart', () => {
  test('of a check that nobody watched for two days is no line to the edge, and its 100% is not of that time', async () => {
    const { client } = await w.monitor(org)
    const guid = await oneCheck()
    await since(guid, 3 * 86_400)
    await client.upload(runs(guid, 3 * 1440, 3 * 1440 - 480))
    await bob.open(`/checks/${guid}?period=7d`)
    const text = told(card('Response time')?.text)
    expect(text).toMatch(/Uptime 100% over 8 h( \d+ \w+)? of monitoring; 2 d 15 h not monitored/)
    const [shade] = bob.all('figure.chart path.shade.unknown')
    // The last two and a half days of seven, 800 wide.
    const boxes = [...(shade?.getAttribute('d') ?? '').matchAll(/M([\d.]+) 0h([\d.]+)v180/g)].map(([, x, width]) => [
      Number(x),
      Number(x) + Number(width),
    ])
    expect(boxes.at(-1)?.[1]).toBeGreaterThan(790)
    expect(boxes.reduce((sum, [from = 0, until = 0]) => sum + until - from, 0)).toBeGreaterThan(280)
    const line = bob.all('figure.chart path.line')[0]?.getAttribute('d') ?? ''
    const last = Math.max(...[...line.matchAll(/[ML]([\d.]+) /g)].map(([, x]) => Number(x)))
    expect(last).toBeLessThan(560)
    await bob.open(`/checks/${guid}?period=24h`)
    expect(told(card('Response time')?.text)).toContain('Uptime: no data; 23 h not monitored.')
    expect(told(card('Response time')?.text)).not.toContain('100%')
  })

  test('has a line for each monitor, and can be read as a table', async () => {
    const [attic, cellar] = [await w.monitor(org, 'attic'), await w.monitor(org, 'cellar')]
    const guid = await oneCheck()
    await since(guid, 7200)
    await attic.client.upload(runs(guid, 60, 30, { latency_ms: 20 }))
    await cellar.client.upload(runs(guid, 60, 31, { latency_ms: 90 }))
    await cellar.client.upload([result(guid, { ran_at: ago(31 * 60), success: false })])
    await bob.open(`/checks/${guid}`)
    expect(bob.all('.legend li').map((li) => told(li.text))).toEqual([
      'attic',
      'cellar',
      'Failed: 1 of 60 runs',
      'Not monitored: 59 min',
      'Not scheduled yet',
    ])
    const link = bob.all('a').find((one) => one.text === 'Show table')
    await bob.open(link?.getAttribute('href')?.replaceAll('&amp;', '&').split('#')[0] ?? '')
    const rows = rowsOf('Response time data')
    expect(rows).toContainEqual(['11:20', '19', '1', '20 ms', '90 ms'])
    expect(rows.at(-1)?.[1]).toMatch(/^Not monitored for/)
  })

  test('shows how the times of many monitors are spread', async () => {
    const guid = await oneCheck()
    for (let n = 0; n < 9; n++) {
      const { client } = await w.monitor(org, `monitor ${n}`)
      await client.upload([result(guid, { ran_at: ago(300 + n), latency_ms: 10 * (n + 1) })])
    }
    await bob.open(`/checks/${guid}?table=yes`)
    expect(bob.all('.legend li').map((li) => told(li.text))).toEqual(
      expect.arrayContaining(['Median', '95th percentile']),
    )
    expect(rowsOf('Response time data').map((row) => row.slice(1))).toContainEqual(['9', '0', '50 ms', '90 ms'])
  })

  test('shows how the times of long ranges are spread, and says where an earlier build summed them up', async () => {
    const { client } = await w.monitor(org)
    const guid = await oneCheck()
    await since(guid, 86_400)
    await client.upload(runs(guid, 240, 120, { latency_ms: 7 }))
    await client.upload([result(guid, { ran_at: ago(60), latency_ms: 40 })])
    await bob.open(`/checks/${guid}?period=30d&table=yes`)
    expect(told(card('Response time')?.text)).toMatch(/median 7 ms, 95th percentile 7 ms/)
    expect(bob.all('.legend li').map((li) => told(li.text))).toEqual(
      expect.arrayContaining(['Median', '95th percentile']),
    )
    expect(bob.all('path.band')).toHaveLength(1)
    expect(rowsOf('Response time data').map((row) => row.slice(-4))).toContainEqual(['7 ms', '7 ms', '7 ms', '7 ms'])
    await foldHistory(w.deps)
    await w.rows(
      'update rollups set latency_sketch = null where check_id = (select check_id from checks where guid = $1)',
      guid,
    )
    await bob.open(`/checks/${guid}?period=30d&table=yes`)
    expect(told(card('Response time')?.text)).toMatch(
      /Percentiles are not available for \d+ of \d+ points, because an earlier version of Dogwatch recorded their results\./,
    )
    expect(told(card('Uptime')?.text)).toContain(
      'Percentiles are not available for results recorded by an earlier version of Dogwatch.',
    )
  })

  test('shows the range that is asked for, and refuses what is none', async () => {
    const { client } = await w.monitor(org)
    const guid = await oneCheck()
    await since(guid, 86_400)
    await client.upload(runs(guid, 240, 120, { latency_ms: 7 }))
    const [from, to] = ['2026-11-20T09:00', '2026-11-20T10:00']
    await bob.open(`/checks/${guid}?from=${from}&to=${to}`)
    expect(told(card('Response time')?.text)).toMatch(
      /Uptime 100% over 1 h of monitoring\. Average response time 7 ms\./,
    )
    expect(bob.all('figure.chart')[0]?.getAttribute('data-step')).toBe('60')
    expect(bob.all('.ranges a').at(-1)?.text).toBe('Zoom out')
    for (const query of [
      'from=yesterday&to=2026-11-20T10:00',
      `from=${to}&to=${from}`,
      'from=1999-01-01T00:00:00Z&to=1999-01-02T00:00:00Z',
    ])
      expect((await bob.open(`/checks/${guid}?${query}`)).status).toBe(400)
  })
})

describe('uptime', () => {
  test('leaves out maintenance and says so, here and on the status page, where only public maintenance does', async () => {
    const { client } = await w.monitor(org)
    const guid = await oneCheck()
    await since(guid, 6 * 3600)
    await sweepUnmonitored(w.deps)
    await client.upload(runs(guid, 360, 240))
    await client.upload(runs(guid, 240, 120, { success: false, http_status: 500 }))
    await client.upload(runs(guid, 120, 0))
    await underMaintenance(guid, [240, 180])
    await underMaintenance(guid, [190, 150], false)
    await bob.open(`/checks/${guid}`)
    const rows = rowsOf('Uptime').slice(0, 5)
    expect(rows.map(([range, share, , failed]) => [range, share, failed])).toEqual(
      ['24 hours', '7 days', '30 days', '90 days', '1 year'].map((range) => [range, '88.88%', '30 of 270']),
    )
    expect(rows[1]?.[2]).toBe('4 h 30 min; 1 h 30 min scheduled maintenance excluded')
    const slug = `shop-${org.org_id}`
    await setStatusPage(w.deps, org.org_id, true)
    const entries = [{ kind: 'check', guid, public_name: 'Shop' } as const]
    await editStatusPage(w.deps, org.org_id, { slug, title: 'Shop', description: '', entries })
    const html = told(await (await fetch(`${w.direct}/status/${slug}`)).text())
    expect(html).toContain(
      '80% uptime over 5 h of monitoring (240 of 300 runs passed), excluding 1 h of scheduled maintenance',
    )
    const { systems } = (await (await fetch(`${w.direct}/status/${slug}.json`)).json()) as { systems: unknown[] }
    expect(systems).toMatchObject([{ uptime_percent: 80, maintenance_sec: 3600, runs: 300 }])
  })

  test('tells coverage by what was due then, and pauses as time that was not due', async () => {
    const { client } = await w.monitor(org)
    const guid = await oneCheck({ interval_sec: 600 })
    const [row] = await w.rows(
      'update checks set created_at = $2 where guid = $1 returning check_id',
      guid,
      ago(36_000),
    )
    for (const [from, until, interval] of [
      [36_000, 25_200, 60],
      [18_000, null, 600],
    ])
      await w.rows(
        `insert into check_schedules (org_id, check_id, since, until, interval_sec, run_by, watched_since)
         values ($1, $2, $3, $4, $5, 0, $3)`,
        org.org_id,
        row?.check_id,
        ago(from ?? 0),
        until === null ? null : ago(until ?? 0),
        interval,
      )
    await client.upload(runs(guid, 600, 510))
    await bob.open(`/checks/${guid}`)
    const [day] = rowsOf('Uptime')
    // 180 in the first three hours, then a pause of two, then 30.
    expect(card('Uptime')?.querySelector('[title]')?.getAttribute('title')).toBe(
      'Results of 90 of 210 scheduled runs received',
    )
    expect([day?.[4], day?.[2]]).toEqual(['42.85%', expect.stringContaining('2 h paused')])
  })

  test('is not unknown for time of which the plan keeps no results', async () => {
    const { client } = await w.monitor(org)
    const guid = await oneCheck()
    await since(guid, 200 * 86_400)
    await setPlan(w.deps, org.org_id, 'free')
    await client.upload(runs(guid, 60, 0))
    await bob.open(`/checks/${guid}?period=1y`)
    const year = rowsOf('Uptime')[4]
    expect(year?.[2]).toMatch(/; (29|30) d( \d+ h)? not monitored$/)
    expect(told(card('Uptime')?.text)).toContain('Your plan keeps results for 30 days.')
  })
})

describe('results', () => {
  test('are found by outcome and monitor, page by page, with where their time went', async () => {
    const [attic, cellar] = [await w.monitor(org, 'attic'), await w.monitor(org, 'cellar')]
    const guid = await oneCheck()
    const timings = { dns_ms: 1, connect_ms: 2, tls_ms: 30, first_byte_ms: 4, transfer_ms: 5 }
    await attic.client.upload(runs(guid, 100, 0, { latency_ms: 42, timings, retries: 1 }))
    await cellar.client.upload(runs(guid, 60, 0, { success: false, http_status: 500, error: 'status: 500' }))
    await bob.open(`/checks/${guid}/results`)
    await bob.open(`/checks/${guid}/results?outcome=failed&monitor=&before=`)
    expect(rowsOf('Latest results')).toHaveLength(50)
    expect(new Set(rowsOf('Latest results').map(([, , monitor]) => monitor))).toEqual(new Set(['cellar']))
    const older = bob.all('a').find((one) => one.text === 'Earlier results')
    await bob.open(older?.getAttribute('href')?.replaceAll('&amp;', '&') ?? '')
    expect(rowsOf('Earlier results')).toHaveLength(10)
    expect(bob.all('a').map((one) => one.text)).not.toContain('Earlier results')
    await bob.open(`/checks/${guid}/results?outcome=failed&monitor=${attic.id}`)
    expect(told(card('Latest results')?.text)).toContain('No matching results yet.')
    await bob.open(`/checks/${guid}/results?monitor=${attic.id}&before=2026-11-20T11:30`)
    expect(rowsOf('Earlier results')[0]?.slice(1, 4)).toEqual(['42 ms · 200', 'attic', 'After 1 retry'])
    expect(bob.all('svg.waterfall')[0]?.getAttribute('aria-label')).toBe(
      'DNS lookup 1 ms, Connect 2 ms, TLS handshake 30 ms, Time to first byte 4 ms, Download 5 ms',
    )
  })
})
