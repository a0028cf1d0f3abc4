// A check of which all monitors are away, on every surface there is: pages, APIs, status page, mail.

import { createChannels } from '@dogwatch/channels/registry'
import { tellPresence } from '@dogwatch/domain/availability'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { judgeUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { createHeartbeat, switchHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { deliverOnce } from '../../../alerting/src/deliver.ts'
import { run, sweep } from '../../../api/test/alerting/silence.ts'
import { type MailServer, mailServer } from '../../../channels/test/support/mail-server.ts'
import { bob, cell, org, w } from '../support/check-pages.ts'
import { ACCOUNT, type Monitor, result } from '../support/world.ts'

let mail: MailServer
beforeAll(async () => {
  mail = await mailServer()
})
afterAll(() => mail.close())

const told = (text: string) => text.replaceAll(/\s+/g, ' ')

/** The subjects and bodies of the mails that have come since this was last asked. */
async function mailed(): Promise<string[]> {
  const channels = createChannels({
    egress_allow: ['127.0.0.0/8'],
    smtp_url: `smtp://127.0.0.1:${mail.port}`,
    mail_from: 'Dogwatch <alerts@dogwatch.example>',
    ntfy_url: 'http://127.0.0.1:9',
  })
  try {
    while ((await deliverOnce({ ...w.deps, channels, public_url: 'https://dogwatch.example' })).claimed > 0) continue
  } finally {
    channels.email?.close?.()
  }
  return mail.got.splice(0).map(({ raw }) => raw.replaceAll('=\r\n', ''))
}

/** A check of two monitors, shown to the public, that ran once a minute for an hour. */
async function anHour(monitors: readonly [Monitor, Monitor], last: boolean): Promise<{ guid: string; slug: string }> {
  const [guid = ''] = await w.checks(
    org,
    [{ name: 'shop' }],
    monitors.map(({ id }) => id),
  )
  const began = new Date(w.clock.now().getTime() - 3_600_000).toISOString()
  await w.rows('update checks set created_at = $2 where guid = $1', guid, began)
  await sweep(w.deps)
  const runs = Array.from({ length: 60 }, (_, minute) => {
    const ran_at = new Date(w.clock.now().getTime() - minute * 60_000).toISOString()
    return result(guid, { ran_at, success: minute > 0 || last })
  })
  await monitors[0].client.upload(runs)
  await monitors[1].client.ping()
  const slug = `shop-${org.org_id}`
  await setStatusPage(w.deps, org.org_id, true)
  const entries = [{ kind: 'check', guid, public_name: 'Shop' } as const]
  await editStatusPage(w.deps, org.org_id, { slug, title: 'Shop', description: '', entries })
  await createChannel(w.deps, org.org_id, { kind: 'email', name: 'on call', email: 'alice@example.com' })
  return { guid, slug }
}

const read = async (path: string) => {
  const token = await w.pat(org)
  return (await w.http.get(`${ACCOUNT}${path}`).set('Authorization', `Bearer ${token}`)).body
}

async function publicly(slug: string) {
  const json = await (await fetch(`${w.direct}/status/${slug}.json`)).json()
  const html = await (await fetch(`${w.direct}/status/${slug}`)).text()
  return { json: json as { status: string; systems: Record<string, unknown>[] }, html }
}

test('a private monitor and a shared one die: nothing is green any more, one mail says so, and a result brings it back', async () => {
  const monitors = [await w.monitor(org, 'attic'), await w.monitor(null, 'fleet')] as const
  const { guid, slug } = await anHour(monitors, true)
  const [attic, fleet] = monitors
  await sweep(w.deps)
  expect(await read(`/checks/${guid}`)).toMatchObject({ state: 'up' })
  expect((await publicly(slug)).html).toContain('All systems operational')

  const gone = w.clock.now().toISOString().replace('Z', '000Z')
  w.clock.forward(1320)
  await sweep(w.deps)

  await bob.open('/checks')
  expect(bob.all('title')[0]?.text).toContain('1 not monitored')
  expect(bob.all('.summary[role=status]')[0]?.text).toBe('1 of 1 check is not monitored: shop (for 22 min)')
  expect([cell(0, 0), cell(0, 2)]).toEqual(['Not monitored', '22 min'])
  // The runs of an hour speak for an hour, and not for the 22 minutes since.
  expect(cell(0, 4)).toMatch(/^100% up over 1 h/)
  await bob.open(`/checks/${guid}`)
  const standing = told(bob.all('.standing')[0]?.text ?? '')
  expect(standing).toContain('Not monitored for 22 min · last run 22 min ago')
  expect(standing).toContain('Not monitored since 12:00 (22 min ago): no assigned monitor is online.')
  expect(bob.all('[aria-label="Status by monitor"] tbody tr').map((tr) => tr.querySelectorAll('td')[1]?.text)).toEqual([
    'Offline',
    'Offline',
  ])
  expect(told(bob.text())).toMatch(/Uptime 100% over 1 h \d* ?(min )?(\d+ s )?of monitoring; \d+ min not monitored/)
  const shades = bob.all('figure.chart')[0]?.getAttribute('data-shades')?.split(';') ?? []
  expect(shades.at(-1)).toMatch(/^\d+,\d+,w,0,1$/)
  expect(shades.at(-1)?.split(',')[1]).toBe(String(w.clock.now().getTime() / 1000))
  expect(bob.all('figure.chart path.shade.unknown')).toHaveLength(1)
  await bob.open('/monitors')
  const states = bob.all('tbody tr').map((tr) => told(tr.text))
  expect(states.find((text) => text.includes('attic'))).toContain('Offline')
  expect(states.find((text) => text.includes('fleet'))).toContain('Offline')

  const unmonitored = { state: 'unmonitored', state_since: gone }
  expect(await read('/checks')).toMatchObject([unmonitored])
  expect(await read(`/checks/${guid}`)).toMatchObject(unmonitored)
  const seen = (await read('/monitors')) as { id: string; online: boolean; last_seen_at: string }[]
  for (const { id } of monitors) {
    expect(seen.find((one) => one.id === id)).toMatchObject({ online: false, last_seen_at: gone })
  }

  const { json, html } = await publicly(slug)
  expect(json).toMatchObject({ status: 'unmonitored', headline: 'No systems are monitored' })
  expect(json.systems).toMatchObject([{ name: 'Shop', state: 'unmonitored', unmonitored_since: gone }])
  expect(json.systems[0]?.unknown_sec).toBeGreaterThanOrEqual(1200)
  expect(html).toContain('No systems are monitored')
  expect(html).not.toContain('All systems operational')
  expect(html).toMatch(/Last 90 days: 100% uptime over 1 h/)

  const [alert = '', ...more] = await mailed()
  expect(more).toEqual([])
  expect(alert).toContain('Subject: Offline: monitor attic')
  expect(alert).toContain('1 check is no longer monitored, because no other monitor runs it.')

  await fleet.client.ping()
  await run(w, attic, [guid])
  await sweep(w.deps)
  expect(await read(`/checks/${guid}`)).toMatchObject({ state: 'up' })
  // It is of the same five seconds as the alert before, and waits for their end.
  w.clock.forward(6)
  expect((await mailed()).map((raw) => /^Subject: (.*)\r$/m.exec(raw)?.[1])).toEqual(['Online again: monitor attic'])
  w.clock.forward(30)
  expect((await publicly(slug)).html).toContain('All systems operational')
})

test('a check that was down when its monitors went says both: down since, and not looked at since', async () => {
  const monitors = [await w.monitor(null, 'one'), await w.monitor(null, 'two')] as const
  const { guid, slug } = await anHour(monitors, false)
  const gone = w.clock.now().toISOString().replace('Z', '000Z')
  w.clock.forward(1320)
  await sweep(w.deps)
  await bob.open('/checks')
  expect(cell(0, 0)).toBe('Down')
  expect(told(bob.all('tr[data-row] .hint')[0]?.text ?? '').trim()).toBe('Not monitored for 22 min')
  await bob.open(`/checks/${guid}`)
  expect(told(bob.all('.standing')[0]?.text ?? '')).toMatch(
    /Down for 22 min · last run 22 min ago, 12:22: failed Trigger: 1 failure. ?Failing from one. ?Not monitored since 12:22 \(22 min ago\): no assigned monitor is online. Reminders are paused until a monitor runs this check again./,
  )
  expect(await read(`/checks/${guid}`)).toMatchObject({ state: 'down', state_since: gone })
  const { json, html } = await publicly(slug)
  expect(json.systems).toMatchObject([{ state: 'down', down_since: gone, unmonitored_since: gone }])
  expect(told(html)).toMatch(/Not monitored,? since/)
  // It is of the same five seconds as the alert before, and waits for their end.
  w.clock.forward(6)
  expect((await mailed()).map((raw) => /^Subject: (.*)\r$/m.exec(raw)?.[1])).toContain(
    'Not monitored: shop (no recent results)',
  )
})

test('when no worker judges any more, no check stays green', async () => {
  const [alice, carol] = [await w.monitor(org, 'alice'), await w.monitor(org, 'carol')]
  const { guid, slug } = await anHour([alice, carol], true)
  await tellPresence(w.deps)
  await judgeUnmonitored(w.deps)
  const state = async () => {
    const answer = await w.http.get(`${ACCOUNT}/checks/${guid}`).set('Authorization', `Bearer ${await w.pat(org)}`)
    return (answer.body as { state: string; state_since?: string }).state
  }
  const status = async () =>
    ((await (await fetch(`${w.direct}/status/${slug}.json`)).json()) as { status: string }).status
  expect(await state()).toBe('up')
  w.clock.forward(170)
  expect(await state()).toBe('up')
  w.clock.forward(20)
  expect([await state(), await status()]).toEqual(['unmonitored', 'unmonitored'])
  await bob.open(`/checks/${guid}`)
  expect(told(bob.text())).toMatch(/Not monitored for 3 min/)
  // A worker is back, and so is a result.
  await tellPresence(w.deps)
  await alice.client.upload([result(guid, { ran_at: w.clock.now().toISOString() })])
  await judgeUnmonitored(w.deps)
  expect(await state()).toBe('up')
})

test('when no worker judges any more, no overdue heartbeat stays green', async () => {
  const wanted = { interval_sec: 3600, grace_sec: 300, resend_interval_sec: 0, show_on_status_page: true }
  const { guid, token } = await createHeartbeat(w.deps, org.org_id, { ...wanted, name: 'backup' })
  const slug = `backup-${org.org_id}`
  await setStatusPage(w.deps, org.org_id, true)
  const entries = [{ kind: 'heartbeat', guid, public_name: 'Backup' } as const]
  await editStatusPage(w.deps, org.org_id, { slug, title: 'Jobs', description: '', entries })
  const ping = () => fetch(`${w.direct}/ping/${token}`)
  await ping()
  const mark = async () => {
    await bob.open(`/heartbeats/${guid}`)
    return told(bob.all('.page-head .badge')[0]?.text ?? '')
  }
  w.clock.forward(3600 + 300)
  const due = w.clock.now().toISOString().replace('Z', '000Z')
  w.clock.forward(170)
  expect((await publicly(slug)).json).toMatchObject({ status: 'operational', systems: [{ state: 'up' }] })
  // Its ping is late, and the page of its organisation says so; others hear of it when it is down.
  expect(await mark()).toMatch(/Late/)
  w.clock.forward(20)
  const { json, html } = await publicly(slug)
  expect(json).toMatchObject({ status: 'unmonitored', systems: [{ state: 'unmonitored', unmonitored_since: due }] })
  expect(told(html)).toMatch(/Not monitored,? since/)
  expect(await mark()).toMatch(/Not monitored/)
  // It says so of nothing that is paused.
  await switchHeartbeat(w.deps, guid, 'enabled', false)
  w.clock.forward(20)
  expect((await publicly(slug)).json.systems).toMatchObject([{ state: 'paused', unmonitored_since: null }])
  await switchHeartbeat(w.deps, guid, 'enabled', true)
  await ping()
  w.clock.forward(20)
  expect((await publicly(slug)).json).toMatchObject({ status: 'operational' })
})
