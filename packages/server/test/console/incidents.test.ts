// The overview and the pages of incidents: stories with a clock of their own.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { sweepFailing } from '@dogwatch/domain/monitors/failing'
import { createPersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { deletePerson } from '@dogwatch/domain/people/delete'
import { openSession } from '@dogwatch/domain/people/sessions'
import { createRoute } from '@dogwatch/domain/routing/edit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { deedsOf, memberOf, type Somebody } from '../support/console.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

let org: Org
let alice: Browser
let bob: Somebody
beforeEach(async () => {
  org = await w.org()
  alice = new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id))
  bob = await memberOf(w, org)
})

const at = (sec_ago = 0) => new Date(w.clock.now().getTime() - sec_ago * 1000).toISOString()
const failed = (guid: string, sec_ago: number, error = 'timeout: no answer') =>
  result(guid, { ran_at: at(sec_ago), success: false, http_status: 0, error })
const passed = (guid: string, sec_ago: number) => result(guid, { ran_at: at(sec_ago) })

async function incidentsOf(): Promise<string[]> {
  const rows = await w.rows(
    'select incident_id from incidents where org_id = $1 order by began_at, incident_id',
    org.org_id,
  )
  return rows.map(({ incident_id }) => String(incident_id))
}

async function channel(name: string): Promise<number> {
  return (await createChannel(w.deps, org.org_id, { kind: 'webhook', name, webhook_url: 'https://hooks.example/' })).id
}

const deliver = (name: string, set: string) =>
  w.rows(
    `update deliveries d set next_attempt_at = null, attempts = 1, last_attempt_at = d.created_at, ${set}
     from notification_channels c where d.org_id = $1 and c.org_id = d.org_id and c.id = d.channel_id and c.name = $2`,
    org.org_id,
    name,
  )

async function threePlaces(entry: Record<string, unknown> = {}): Promise<{ guid: string; monitors: Monitor[] }> {
  const monitors: Monitor[] = []
  for (const name of ['fra-1', 'sgp-1', 'nyc-2']) monitors.push(await w.monitor(org, name))
  const [guid = ''] = await w.checks(
    org,
    [{ name: 'shop', down_places: 2, url: 'https://shop.example/?q=secret', ...entry }],
    monitors.map(({ id }) => id),
  )
  return { guid, monitors }
}

/** nyc-2 is fine, sgp-1 fails, then fra-1 does. */
async function shopFails(): Promise<{ guid: string; monitors: Monitor[]; incident: string }> {
  const { guid, monitors } = await threePlaces()
  const [fra, sgp, nyc] = monitors as [Monitor, Monitor, Monitor]
  for (const { client } of monitors) await client.upload([passed(guid, 300)])
  await nyc.client.upload([passed(guid, 100)])
  await sgp.client.upload([failed(guid, 90)])
  await fra.client.upload([
    { ...failed(guid, 30, 'status: 503'), http_status: 503, latency_ms: 812, response_sample: '<h1>```oops</h1>' },
  ])
  return { guid, monitors, incident: (await incidentsOf())[0] ?? '' }
}

describe('the overview', () => {
  test('says what is down, why, from where, since when, who was told and who takes care, without a click', async () => {
    await channel('Ops')
    await channel('On call')
    const { guid, incident } = await shopFails()
    await deliver('Ops', "state = 'delivered'")
    await deliver('On call', "state = 'failed', last_error = 'status 404'")
    await alice.open('/')
    expect(alice.page.status).toBe(200)
    const text = alice.text()
    expect(text).toContain('1 check is down. 1 channel is failing.')
    expect(text).toContain('Failing from 2 of 3 monitors: fra-1, sgp-1. Passing: nyc-2.')
    expect(text).toContain('HTTP status 503')
    expect(text).toMatch(/Notified: Ops/)
    expect(text).toMatch(/Delivery failing: On call \(status 404\)/)
    expect(text).toContain('Not acknowledged.')
    expect(alice.all(`.trouble a[href="/incidents/${incident}"]`)).toHaveLength(1)
    const toldAt = () => alice.all('.trouble .lines time').map((one) => one.getAttribute('datetime'))[0]
    const first = toldAt()
    w.clock.forward(120)
    await alice.submit(`/checks/${guid}/acknowledge`, { note: 'Failing over.\r\nBack soon.' })
    expect(alice.page.path).toBe('/')
    const [said] = await w.rows("select data from events where org_id = $1 and type = 'check.acknowledged'", org.org_id)
    expect(said?.data).toMatchObject({ note: 'Failing over.\nBack soon.' })
    await alice.open(`/incidents/${incident}`)
    expect(alice.all('.timeline .written').map((one) => one.textContent)).toEqual(['Failing over.\nBack soon.'])
    await w.rows(
      "update deliveries set created_at = created_at + interval '2 minutes', state = 'delivered', next_attempt_at = null where org_id = $1 and state = 'pending'",
      org.org_id,
    )
    await alice.open('/')
    expect([first !== undefined, toldAt()]).toEqual([true, first])
    expect(alice.text()).toMatch(/Acknowledged by .*@example.com/)
    await alice.submit(`/checks/${guid}/mute`, { for: '8h' })
    expect(alice.page.path).toBe('/')
    expect(alice.text()).toContain('Muted by')
    await alice.submit(`/checks/${guid}/unmute`)
    expect([alice.page.path, alice.text().includes('Muted by')]).toEqual(['/', false])
  })

  test('lists heartbeats, monitors that are offline and checks that nobody looks at, and counts what is up', async () => {
    const monitor = await w.monitor(org, 'rack 9')
    const [up = '', quiet = ''] = await w.checks(org, [{ name: 'blog' }, { name: 'quiet' }], [monitor.id])
    await monitor.client.upload([passed(up, 60), passed(quiet, 60)])
    const job = { name: 'backup', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
    const { token } = await createHeartbeat(w.deps, org.org_id, job)
    await w.http.get(`/ping/${token}/3`)
    await w.rows('update monitors set offline_since = last_seen_at where id = $1', monitor.id)
    await w.rows(
      `insert into check_states (org_id, check_id, unmonitored_since) select org_id, check_id, $2 from checks where guid = $1
       on conflict (org_id, check_id) do update set unmonitored_since = excluded.unmonitored_since`,
      quiet,
      at(30),
    )
    await alice.open('/')
    const text = alice.text()
    expect(text).toContain('1 heartbeat is down. 1 check is not monitored. 1 monitor is offline.')
    expect(text).toContain('Job exited with code 3')
    expect(text).toContain('This monitor has stopped reporting. 2 checks affected.')
    expect(text).toContain('quiet')
    const counts = alice.all('.stat').map((stat) => stat.structuredText.replaceAll('\n', ' '))
    expect(counts).toEqual(expect.arrayContaining(['Not monitored 1 check', 'Up 1 check']))
    expect(alice.all('.stat a').map((link) => link.getAttribute('href'))).toContain('/checks?state=unmonitored')
  })

  test('many checks that fail from one monitor alone are one thing about the monitor, and each says why nobody was told', async () => {
    await channel('Ops')
    const monitor = await w.monitor(org, 'fra-1')
    const guids = await w.checks(
      org,
      Array.from({ length: 12 }, (_, n) => ({ name: `shop ${n}` })),
      [monitor.id],
    )
    await monitor.client.upload(guids.map((guid) => passed(guid, 0)))
    w.clock.forward(5)
    await monitor.client.upload(guids.map((guid) => failed(guid, 0)))
    for (let sec = 0; sec < 120; sec += 10) {
      w.clock.forward(10)
      await sweepFailing(w.deps)
    }
    await alice.open('/')
    expect(alice.text()).toContain('12 checks fail only from this monitor.')
    expect(alice.text()).toMatch(/(shop \d+, ){4}shop \d+ and 7 more/)
    expect(alice.text()).toContain('The alert will be sent when another monitor confirms the failure')
    // Each of them stands in one thing, folded.
    expect(alice.all('.troubles > li > article')).toHaveLength(13)
    expect(alice.all('main section > .troubles > li')).toHaveLength(1)
    expect(alice.all('details.members article')).toHaveLength(12)
  })

  test('what went down together is one thing here and in the list, with its causes, and is acknowledged at once with a note', async () => {
    await channel('Ops')
    const monitors = [await w.monitor(org, 'fra-1'), await w.monitor(org, 'nyc-2')]
    const guids = await w.checks(
      org,
      Array.from({ length: 6 }, (_, n) => ({ name: `shop ${n}` })),
      monitors.map(({ id }) => id),
    )
    const [fra, nyc] = monitors as [Monitor, Monitor]
    for (const [n, guid] of guids.entries()) {
      await (n < 4 ? fra : nyc).client.upload([failed(guid, 60 - n * 10, n === 5 ? 'dns: gone' : 'status: 503')])
    }
    await alice.open('/')
    const groups = () => alice.all('main section > .troubles > li')
    expect(groups()).toHaveLength(1)
    const told = groups()[0]?.structuredText.replaceAll(/\s+/g, ' ') ?? ''
    expect(told).toMatch(/^6 checks went down within a minute Down/)
    expect(told).toContain('HTTP status 503 (5), DNS: gone (1)')
    expect(told).toContain('Not acknowledged.')
    expect(told).toContain('shop 5, shop 4, shop 3, shop 2, shop 1 and 1 more')
    expect(groups()[0]?.querySelectorAll('details.members article')).toHaveLength(6)

    await alice.open('/incidents')
    expect(alice.all('tbody tr')).toHaveLength(1)
    expect(alice.all('tbody summary')[0]?.text).toContain('first seen by fra-1 (4), nyc-2 (2)')
    const [first = ''] = await incidentsOf()
    await alice.open(`/incidents/${first}`)
    await alice.submit(`/checks/${guids[0]}/acknowledge`)
    await alice.open('/')
    const [full] = (await incidentsOf()).slice(1)
    await w.rows(
      `insert into incident_notes (org_id, incident_id, created_at, author_id, author, body)
       select $1, $2, now(), $3, 'alice', 'seen' from generate_series(1, 200)`,
      org.org_id,
      full,
      org.owner_id,
    )
    await alice.submit('/incidents/acknowledge', { note: 'The rack is off.' })
    expect(alice.text()).toContain('5 incidents acknowledged. Everyone who was notified is being informed.')
    expect(alice.text()).toContain('Note not added to 1 incident: note limit reached.')
    expect(alice.text()).toContain('All acknowledged.')
    expect(
      await w.rows(
        "select count(*)::integer as n from incident_notes where org_id = $1 and body = 'The rack is off.'",
        org.org_id,
      ),
    ).toEqual([{ n: 4 }])
    await alice.open('/incidents')
    const stranger = await w.org()
    const mallory = new Browser(w.direct, await openSession(w.deps, stranger.owner_id, stranger.org_id))
    await mallory.open('/checks/new')
    const csrf = mallory.all('input[name="csrf"]')[0]?.getAttribute('value') ?? ''
    await mallory.post('/incidents/acknowledge', { csrf, incident: first, note: 'mine' })
    expect(mallory.text()).toContain(
      '0 incidents acknowledged. Everyone who was notified is being informed. 1 already resolved.',
    )
  })

  test('what went down together and goes on on the next page says so on both, and acknowledges what is shown', async () => {
    await w.checks(
      org,
      Array.from({ length: 56 }, (_, n) => ({ name: `shop ${n}` })),
      [],
    )
    await w.rows(
      `insert into incidents (org_id, incident_id, check_id, began_at, told_at)
       select org_id, gen_random_uuid()::text, check_id, $2, $2 from checks where org_id = $1`,
      org.org_id,
      at(60),
    )
    const shown = async (path: string) => {
      await alice.open(path)
      expect(alice.all('tbody tr')).toHaveLength(1)
      return [
        alice.all('tbody summary strong')[0]?.text,
        alice.all('tbody button').find(({ text }) => /\d$/.test(text))?.text,
      ]
    }
    expect(await shown('/incidents')).toEqual(['50 checks or more went down within a minute', 'Acknowledge these 50'])
    const older = alice.all('a[rel=next]')[0]?.getAttribute('href') ?? ''
    expect(await shown(older)).toEqual(['6 checks or more went down within a minute', 'Acknowledge these 6'])
    expect(await shown(`${older}&state=open`)).toEqual([
      '6 checks or more went down within a minute',
      'Acknowledge these 6',
    ])
  })

  test('an organisation with nothing to watch is led to its first check, and one without data says so', async () => {
    await alice.open('/')
    expect(alice.text()).toContain('Nothing to monitor yet')
    expect(alice.text()).toContain('Get started')
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{}], [monitor.id])
    await alice.open('/')
    expect(alice.text()).toContain('Waiting for first results.')
    await monitor.client.upload([passed(guid, 5)])
    await alice.open('/')
    expect(alice.text()).toContain('No problems. 1 check is up.')
  })

  test('the strip has the quarters in which something was down, or nobody looked', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{}], [monitor.id])
    await monitor.client.upload([failed(guid, 0)])
    w.clock.forward(1200)
    await monitor.client.upload([passed(guid, 0)])
    w.clock.forward(4 * 3600)
    await w.rows('update check_states set unmonitored_since = $2 where org_id = $1', org.org_id, at(1))
    await alice.open('/')
    const quarters = alice.all('.day-strip i')
    expect(quarters).toHaveLength(96)
    const red = quarters.filter((one) => one.getAttribute('class') === 'b')
    expect(red.length).toBeGreaterThanOrEqual(2)
    expect(red.length).toBeLessThanOrEqual(3)
    expect(quarters.at(-1)?.getAttribute('class')).toBe('n')
    expect(alice.text()).toMatch(
      /For a total of (30|45) min, at least one check or heartbeat was down\. .*Each 15-minute period with a problem counts in full\./,
    )
  })

  test('the strip knows of what is over by what was told of it, and of times in which the service was away', async () => {
    const monitor = await w.monitor(org)
    await w.checks(org, [{}], [monitor.id])
    const hour = 3600
    const event = (type: string, sec_ago: number, data: object) =>
      w.rows(
        `insert into events (org_id, event_id, type, created_at, subject, data) values ($1, gen_random_uuid()::text, $2, $3, 'coverage', $4)`,
        org.org_id,
        type,
        at(sec_ago),
        JSON.stringify(data),
      )
    await event('check.monitored', 20 * hour, { checks: [{ since: at(21 * hour) }, { since: at(21 * hour) }] })
    const gone = { monitors: [{ id: 'm', since: at(11 * hour) }] }
    await event('monitor.offline', 11 * hour - 180, { ...gone, unmonitored: { count: 3 } })
    await event('monitor.online', 10 * hour, gone)
    await w.rows('insert into service_outages values ($1, $2)', at(5 * hour), at(5 * hour - 600))
    await alice.open('/')
    const words = alice.all('.day-strip i').flatMap((one) => one.getAttribute('title')?.replace(/^[\d:]+ /, '') ?? [])
    const of = (text: string) => words.filter((one) => one === text).length
    for (const text of ['2 not monitored', '3 not monitored']) {
      expect([4, 5]).toContain(of(text))
    }
    expect([1, 2]).toContain(of('Dogwatch was offline'))
    await w.rows('delete from service_outages')
  })

  test('lately: members see what was done to what they work with, and the owner everything', async () => {
    const { guid } = await shopFails()
    await alice.open(`/checks/${guid}`)
    await alice.submit(`/checks/${guid}/acknowledge`)
    await w.rows(
      `insert into audit_entries (org_id, created_at, actor, action, subject) values ($1, $2, 'alice', 'invitation.create', 'dave@example.com')`,
      org.org_id,
      at(),
    )
    await createPersonalToken(w.deps, org.org_id)
    await alice.open('/')
    expect(alice.text()).toContain('alice invited “dave@example.com”')
    expect(alice.text()).toMatch(/A server admin created the API token “number \d”/)
    await bob.browser.open('/')
    expect(bob.browser.text()).toContain('acknowledged the incident of the check “shop”')
    expect(bob.browser.text()).toMatch(/shop\s+went down/)
    expect(bob.browser.page.html).not.toContain('dave@example.com')
  })
})

describe('an incident', () => {
  test('has its cause, its first failing result in full, and the monitors that agreed', async () => {
    const { guid, incident } = await shopFails()
    await alice.open('/incidents')
    expect(alice.all(`a[href="/incidents/${incident}"]`)).toHaveLength(1)
    await alice.open(`/incidents/${incident}`)
    expect(alice.page.status).toBe(200)
    const text = alice.text()
    expect(text).toContain('First failure')
    expect(text).toContain('Timeout: no answer')
    expect(text).toMatch(/sgp-1\s+Failing/)
    expect(text).toMatch(/fra-1\s+Failing/)
    expect(text).toMatch(/nyc-2\s+Passing/)
    expect(text).toMatch(/failing from 2 of 3 monitors/)
    expect(alice.all(`a[href="/checks/${guid}"]`).length).toBeGreaterThan(0)
  })

  test('that lasts says what the newest failure says, what the first one said, and what every monitor saw and sees', async () => {
    const [fra, sgp] = [await w.monitor(org, 'fra-1'), await w.monitor(org, 'sgp-1')]
    await w.monitor(org, 'idle-1')
    const [guid = ''] = await w.checks(org, [{ name: 'shop' }], 'all')
    await sgp.client.upload([passed(guid, 60)])
    await fra.client.upload([failed(guid, 30, 'certificate: has 13.9 days left')])
    const [incident = ''] = await incidentsOf()
    await sgp.client.upload([failed(guid, 10, 'certificate: has 13.8 days left')])
    await alice.open(`/incidents/${incident}`)
    expect(alice.all('.cause')[0]?.text).toBe('certificate: has 13.8 days left')
    const facts = alice.all('dl.facts')[0]?.structuredText.replaceAll(/\s+/g, ' ')
    expect(facts).toContain('Initial cause certificate: has 13.9 days left')
    const rows = alice
      .all('[aria-label="Status by monitor"] tbody tr')
      .map((tr) => tr.querySelectorAll('td').map((td) => td.text.replaceAll(/\s+/g, ' ').trim()))
    expect(rows).toEqual([
      ['fra-1', 'Failing', expect.any(String), '1', expect.stringMatching(/^Failing/)],
      ['idle-1', 'No recent result', '–', '–', 'No recent result'],
      ['sgp-1', 'Passing', '–', '0', expect.stringMatching(/^Failing/)],
    ])
  })

  test('tells in one order: failures, verdict, alerts, reminder, acknowledgement, mute, note and recovery', async () => {
    await channel('Ops')
    const { guid, monitors, incident } = await shopFails()
    await deliver('Ops', "state = 'delivered'")
    w.clock.forward(60)
    await bob.browser.open(`/incidents/${incident}`)
    await bob.browser.submit(`/checks/${guid}/acknowledge`)
    expect(bob.browser.page.path).toBe(`/incidents/${incident}`)
    w.clock.forward(60)
    await bob.browser.submit(`/checks/${guid}/mute`, { for: '1h' })
    w.clock.forward(60)
    await bob.browser.submit(`/incidents/${incident}/notes`, { note: 'Restarted the **database**.\nIt is slow.' })
    expect(bob.browser.page.path).toBe(`/incidents/${incident}`)
    w.clock.forward(60)
    for (const { client } of monitors) await client.upload([passed(guid, 0)])
    await alice.open(`/incidents/${incident}`)
    const titles = alice.all('.timeline strong').map((one) => one.textContent)
    expect(titles).toEqual(
      [
        'First failure from sgp-1',
        'Also failing from fra-1',
        'Down',
        'Down alert delivered to Ops',
        `Acknowledged by ${bob.email}`,
        'Acknowledgement alert for Ops',
        `${bob.email} muted alerts`,
        `Note by ${bob.email}`,
        'Recovered',
        'Recovery alert to Ops scheduled: sent when unmuted',
      ].filter((title) => titles.includes(title)),
    )
    expect(titles.length).toBeGreaterThanOrEqual(8)
    expect(alice.text()).toContain('Restarted the **database**.')
    expect(alice.text()).toContain('Resolved')
  })

  test('of a private definition shows the kind of failure and nothing else', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{ name: 'vault', url: '' }], [monitor.id])
    await monitor.client.upload([
      { ...failed(guid, 30, 'refused: vault.internal said no'), response_sample: 'vault.internal' },
    ])
    const [incident = ''] = await incidentsOf()
    await alice.open(`/incidents/${incident}`)
    expect(alice.text()).toContain('refused')
    expect(alice.page.html).not.toContain('vault.internal')
    await alice.open(`/incidents/${incident}/export`)
    expect(alice.page.html).not.toContain('vault.internal')
  })

  test('names what failed in the same minute by the monitor that saw it, and earlier incidents of its check', async () => {
    const monitor = await w.monitor(org, 'fra-1')
    const guids = await w.checks(
      org,
      ['a', 'b', 'c'].map((name) => ({ name: `check ${name}` })),
      [monitor.id],
    )
    await monitor.client.upload([failed(guids[0] ?? '', 0)])
    w.clock.forward(60)
    await monitor.client.upload([passed(guids[0] ?? '', 0)])
    w.clock.forward(7200)
    await monitor.client.upload(guids.map((guid, i) => failed(guid, 60 - i)))
    const incident = (await incidentsOf()).at(1) ?? ''
    await alice.open(`/incidents/${incident}`)
    expect(alice.text()).toContain('3 checks failed from fra-1 at the same time. Possible monitor issue.')
    expect(alice.text()).toContain('check b')
    expect(alice.text()).toContain('Previous incidents for this check')
    expect(alice.all('td a[href^="/incidents/"]')).toHaveLength(1)
  })

  test('shows an alert that waits, and says why nobody was told yet', async () => {
    const id = await channel('Pager')
    const when = { events: [], severity: null, quiet: null, delay_sec: 600, enabled: true }
    const steps = [{ after_sec: 0, channel_ids: [id] }]
    await createRoute(w.deps, org.org_id, { name: 'later', scope: { all: true }, ...when, steps })
    const { incident } = await shopFails()
    await alice.open(`/incidents/${incident}`)
    expect(alice.text()).toContain('Down alert to Pager scheduled: sent if still open after the route’s delay')
    await alice.open('/')
    expect(alice.text()).toContain(
      'No one has been notified yet. The alert will be sent if still open after the route’s delay (in 10 min,',
    )
  })

  test('of a heartbeat says what the job reported', async () => {
    const job = { name: 'backup', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
    const { token } = await createHeartbeat(w.deps, org.org_id, job)
    await w.http.post(`/ping/${token}/fail`).send('no space left on device')
    const [incident = ''] = await incidentsOf()
    await alice.open(`/incidents/${incident}`)
    expect(alice.text()).toContain('Job reported a failure')
    expect(alice.text()).toContain('no space left on device')
    await alice.open('/incidents')
    expect(alice.text()).toContain('backup')
  })
})

describe('the cause of an incident is its error', () => {
  const causes = (column: number) =>
    alice.all('tbody tr').map((row) => row.querySelectorAll('td')[column]?.structuredText.trim())
  /** Down twice: the first time is over. */
  async function twice(url = 'https://shop.example/'): Promise<{ guid: string; ids: string[] }> {
    const monitor = await w.monitor(org, 'fra-1')
    const [guid = ''] = await w.checks(org, [{ name: 'shop', url, headers: { 'X-Key': 'secret-key' } }], [monitor.id])
    for (const error of ['status: 503 for secret-key', 'tls: expired']) {
      await monitor.client.upload([failed(guid, 0, error)])
      w.clock.forward(60)
      if (error.startsWith('status')) await monitor.client.upload([passed(guid, 0)])
      w.clock.forward(7200)
    }
    return { guid, ids: await incidentsOf() }
  }

  test('on the page of its check, in the list and among earlier ones', async () => {
    const { guid, ids } = await twice()
    const expected = ['TLS: expired', 'HTTP status: 503 for ***']
    await alice.open(`/checks/${guid}/incidents`)
    expect(causes(3)).toEqual(expected)
    await alice.open('/incidents')
    expect(causes(4)).toEqual(expected)
    await alice.open(`/incidents/${ids[1]}`)
    expect(alice.text()).not.toContain('Down because')
    expect(causes(2).at(-1)).toBe(expected[1])
  })

  test('also when no alert is stored, and of a private definition its kind alone', async () => {
    const { guid, ids } = await twice()
    await w.rows('delete from deliveries where org_id = $1', org.org_id)
    await w.rows('delete from events where org_id = $1', org.org_id)
    await w.rows('update incidents set verdict = null where org_id = $1 and ended_at is not null', org.org_id)
    const expected = ['TLS: expired', 'HTTP status: 503 for ***']
    await alice.open(`/checks/${guid}/incidents`)
    expect(causes(3)).toEqual(expected)
    await alice.open('/incidents')
    expect(causes(4)).toEqual(expected)
    await alice.open(`/incidents/${ids[1]}`)
    expect(causes(2).at(-1)).toBe(expected[1])
    await alice.open('/')
    expect(alice.all('.cause').map((one) => one.text)).toEqual(['TLS: expired'])
  })

  test('of a private definition its kind alone', async () => {
    const monitor = await w.monitor(org, 'fra-1')
    const [guid = ''] = await w.checks(org, [{ name: 'inner', url: '', restricted: true }], [monitor.id])
    await monitor.client.upload([failed(guid, 0, 'status: inner.example says 503')])
    await w.rows('delete from events where org_id = $1', org.org_id)
    await alice.open('/incidents')
    expect(causes(4)).toEqual(['Unexpected HTTP status'])
  })
})

describe('the list of incidents', () => {
  test('is filtered by state, check, tag and day, and turns pages, all in the URL', async () => {
    const monitor = await w.monitor(org)
    const guids = await w.checks(org, [{ name: 'shop', tags: ['eu'] }, { name: 'blog' }], [monitor.id])
    const [shop = '', blog = ''] = guids
    await monitor.client.upload([failed(shop, 0)])
    w.clock.forward(60)
    await monitor.client.upload([passed(shop, 0), failed(blog, 0)])
    const names = () => alice.all('tbody td:first-child a').map((one) => one.textContent)
    const list = async (query: string) => {
      await alice.open(`/incidents${query}`)
      return names()
    }
    expect(await list('')).toEqual(['blog', 'shop'])
    expect(await list('?state=open')).toEqual(['blog'])
    expect(await list('?state=ended')).toEqual(['shop'])
    expect(await list('?tag=eu')).toEqual(['shop'])
    expect(await list('?tag=%20EU')).toEqual(['shop'])
    expect(await list(`?check=${blog}`)).toEqual(['blog'])
    expect(await list('?heartbeat=none')).toEqual([])
    const day = at().slice(0, 10)
    expect(await list(`?from=${day}&to=${day}`)).toHaveLength(2)
    expect(await list('?to=2020-01-01')).toEqual([])
    expect(await list('?from=2026-02-31&to=x&state=y&before=z&tag=%00')).toEqual([])
    await w.rows(
      `insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
       select c.org_id, 'i' || n, c.check_id, $2::timestamptz - n * interval '1 day', $2, $2, 'recovered'
       from checks c, generate_series(1, 60) n where c.org_id = $1 and c.name = 'shop'`,
      org.org_id,
      at(),
    )
    const first = await list('?state=ended')
    const next = alice.all('a[rel="next"]')[0]?.getAttribute('href') ?? ''
    expect([first.length, next.includes('state=ended')]).toEqual([50, true])
    await alice.open(next.replaceAll('&amp;', '&'))
    expect([names().length, alice.all('a[rel="next"]').length]).toEqual([11, 0])
  })

  test('what is deleted is not listed, and its page is gone', async () => {
    const { guid, incident } = await shopFails()
    await alice.open(`/checks/${guid}/delete`)
    await alice.submit(`/checks/${guid}/delete`)
    await alice.open('/incidents')
    expect(alice.text()).toContain('No incidents yet')
    await alice.open(`/incidents/${incident}`)
    expect(alice.page.status).toBe(404)
    await alice.open('/')
    expect(alice.page.html).not.toContain(incident)
  })
})

describe('what people write', () => {
  test('notes are bounded, stay in a form that was refused, and only their author deletes them', async () => {
    const { incident } = await shopFails()
    const path = `/incidents/${incident}`
    await bob.browser.open(path)
    await bob.browser.submit(`${path}/notes`, { note: 'x'.repeat(2001) })
    expect(bob.browser.page.status).toBe(400)
    expect(bob.browser.text()).toContain('The note must be 2000 characters or fewer.')
    expect(bob.browser.all('#field-note')[0]?.getAttribute('aria-invalid')).toBe('true')
    expect(bob.browser.page.html).toContain('x'.repeat(2001))
    await bob.browser.submit(`${path}/notes`, { note: '<b>Mine</b>' })
    expect(bob.browser.text()).toContain('<b>Mine</b>')
    await alice.open(path)
    expect([alice.text().includes('Mine'), alice.all('form[action$="/delete"]').length]).toEqual([true, 0])
    const remove = bob.browser.all('form[action$="/delete"]')[0]?.getAttribute('action') ?? ''
    const csrf = alice.all('input[name="csrf"]')[0]?.getAttribute('value') ?? ''
    await alice.post(remove, { csrf })
    expect(alice.page.status).toBe(403)
    await bob.browser.submit(remove)
    expect(bob.browser.text()).not.toContain('Mine')
    expect((await deedsOf(w, org)).filter((deed) => deed.includes('incident.'))).toEqual([
      `${bob.email}: incident.note shop`,
      `${bob.email}: incident.delete_note shop`,
    ])
    await w.rows(
      `insert into incident_notes (org_id, incident_id, created_at, author_id, author, body)
       select $1, $2, now(), 1, 'x@example.com', 'many' from generate_series(1, 200)`,
      org.org_id,
      incident,
    )
    await bob.browser.submit(`${path}/notes`, { note: 'one more' })
    expect(bob.browser.text()).toContain('An incident can have at most 200 notes.')
  })

  test('a postmortem is saved, and whoever changed an older version is told before it is overwritten', async () => {
    const { incident } = await shopFails()
    const path = `/incidents/${incident}`
    await alice.open(path)
    await bob.browser.open(path)
    await bob.browser.submit(`${path}/postmortem`, { postmortem: 'The disk was full.' })
    expect(bob.browser.text()).toContain('The disk was full.')
    await alice.submit(`${path}/postmortem`, { postmortem: 'The network was down.' })
    expect(alice.page.status).toBe(400)
    expect(alice.text()).toContain(`The postmortem was changed by ${bob.email} while you were editing.`)
    expect(alice.page.html).toContain('The network was down.')
    expect(alice.text()).toContain('The disk was full.')
    w.clock.forward(1)
    await alice.submit(`${path}/postmortem`, { postmortem: 'Both.' })
    expect(alice.text()).toContain('Both.')
  })

  test('what a member wrote stays when they are deleted, without their address, and goes with its incident', async () => {
    const { incident } = await shopFails()
    const path = `/incidents/${incident}`
    await bob.browser.open(path)
    await bob.browser.submit(`${path}/notes`, { note: 'It was the disk.' })
    await bob.browser.submit(`${path}/postmortem`, { postmortem: 'A larger disk.' })
    await deletePerson(w.deps, bob.email)
    await alice.open(path)
    expect(alice.text()).toContain(`Note by deleted user ${bob.person_id}`)
    expect(alice.text()).toContain(`Last edited by deleted user ${bob.person_id}`)
    expect(alice.page.html).not.toContain(bob.email)
    await w.rows('delete from incidents where org_id = $1', org.org_id)
    for (const table of ['incident_notes', 'postmortems'])
      expect(await w.rows(`select from ${table} where org_id = $1`, org.org_id)).toEqual([])
  })

  test('the export is Markdown in which the words of others are words', async () => {
    const { guid, monitors, incident } = await shopFails()
    await w.rows(`update checks set name = '# [x](javascript:1) <img>' where guid = $1`, guid)
    await bob.browser.open(`/incidents/${incident}`)
    await bob.browser.submit(`/incidents/${incident}/notes`, { note: '# Not a heading\n<script>alert(1)</script>' })
    await bob.browser.submit(`/incidents/${incident}/postmortem`, { postmortem: '## Why\n\n<script>x</script> & more' })
    for (const { client } of monitors) await client.upload([passed(guid, 0)])
    const { html, headers } = await alice.open(`/incidents/${incident}/export`)
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="incident-.*\.md"$/)
    expect(html).toContain('# Incident: \\# \\[x\\]\\(javascript:1\\) \\<img\\>')
    expect(html).toContain('- **Page:** <http://dogwatch.example/incidents/')
    expect(html).toContain('  - \\# Not a heading')
    expect(html).toContain('## Why\n\n&lt;script>x&lt;/script> &amp; more')
    expect(html).not.toMatch(/(^|[^\\])<(script|img)/m)
    expect(html).not.toContain('secret')
  })
})

describe('who may', () => {
  test('nobody reads or writes about an incident of another organisation, and a link to one of mine switches to it', async () => {
    const { incident } = await shopFails()
    const stranger = await memberOf(w, await w.org())
    for (const path of ['', '/export']) {
      await stranger.browser.open(`/incidents/${incident}${path}`)
      expect(stranger.browser.page.status).toBe(404)
    }
    await stranger.browser.open('/')
    const csrf = stranger.browser.all('input[name="csrf"]')[0]?.getAttribute('value') ?? ''
    for (const path of ['notes', 'postmortem', 'notes/1/delete']) {
      await stranger.browser.post(`/incidents/${incident}/${path}`, { csrf, note: 'x', postmortem: 'x', seen: '' })
      expect(stranger.browser.page.status).toBe(404)
    }
    expect(await w.rows('select from incident_notes where org_id = $1', org.org_id)).toEqual([])
    await w.rows('insert into memberships (org_id, person_id) values ($1, $2)', org.org_id, stranger.person_id)
    await stranger.browser.open(`/incidents/${incident}`)
    expect([stranger.browser.page.status, stranger.browser.text()]).toEqual([
      200,
      expect.stringMatching(/Switched to .* to open this link\./),
    ])
  })

  test('members who may only read see all of it, and write nothing', async () => {
    const { guid, incident } = await shopFails()
    await w.rows(
      `update memberships set role = 'read_only' where org_id = $1 and person_id = $2`,
      org.org_id,
      bob.person_id,
    )
    await bob.browser.open(`/incidents/${incident}`)
    expect(bob.browser.text()).toContain('First failure')
    expect(bob.browser.all('main form')).toHaveLength(0)
    const csrf = bob.browser.all('input[name="csrf"]')[0]?.getAttribute('value') ?? ''
    for (const path of [
      `/incidents/${incident}/notes`,
      `/incidents/${incident}/postmortem`,
      `/checks/${guid}/acknowledge`,
    ]) {
      await bob.browser.post(path, { csrf, note: 'x', postmortem: 'x', seen: '' })
      expect(bob.browser.page.status).toBe(403)
    }
    await bob.browser.open('/')
    expect([bob.browser.page.status, bob.browser.all('main form').length]).toEqual([200, 0])
  })
})
