// Checks that the server judges, in the console and in the configuration API: the form, the page, the list and the status page.

import { judgeByServer } from '@dogwatch/domain/judged/judge'
import { setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { expect, test } from '@jest/globals'
import { configToken, configurator } from '../../../api/test/support/config-api.ts'
import { ago, bob, guidHere, oneCheck, org, stored, w } from '../support/check-pages.ts'
import { result } from '../support/world.ts'

const told = (text: string | undefined) => (text ?? '').replaceAll(/\s+/g, ' ').trim()

async function failing(): Promise<string> {
  const monitor = await w.monitor(org)
  const guid = await oneCheck({ name: 'db-1', tags: ['db'] })
  await monitor.client.upload([result(guid, { ran_at: ago(30), success: false, http_status: 0, error: 'refused: no' })])
  return guid
}

test('the form creates a composite from its target alone, and its page shows the members', async () => {
  await failing()
  await bob.open('/checks/new')
  await bob.submit('/checks/new', { name: 'databases', url: 'composite:tag:db,key:gone' })
  const guid = guidHere()
  expect(await stored(guid)).toMatchObject({ judged_by_server: true, restricted: false, retry_count: 0 })
  await judgeByServer(w.deps)
  await bob.open(`/checks/${guid}`)
  const page = told(bob.all('main')[0]?.text)
  expect(page).toContain('1 of 1 member is down: db-1')
  expect(page).toMatch(/db-1 ?Down.*tag db ?gone ?Not counted: not found/)
  expect(page).toContain('Down when all members are down.')
  expect(page).not.toContain('Run now')
  const [incident] = await w.rows(
    'select incident_id from incidents i join checks using (org_id, check_id) where guid = $1',
    guid,
  )
  await bob.open(`/incidents/${String(incident?.incident_id)}`)
  expect(bob.text()).toContain('1 of 1 member is down: db-1')
  expect(bob.text()).not.toContain('results are deleted')
  await bob.open('/checks')
  expect(told(bob.all('main')[0]?.text)).toMatch(/databases.*Down/)
})

test('the page of a composite shows when it was down in the chosen range', async () => {
  const member = await failing()
  const guid = await oneCheck({ name: 'databases', url: `composite:${member}` })
  await w.rows('update checks set created_at = $2 where guid = $1', guid, ago(3600))
  await judgeByServer(w.deps)
  w.clock.forward(60)
  await bob.open(`/checks/${guid}?period=7d`)
  expect(bob.all('.ranges [aria-current=page]').map(({ text }) => text)).toEqual(['7 days'])
  expect(bob.all('figure.states .shade.failed')).toHaveLength(1)
  expect(told(bob.all('.legend')[0]?.text)).toMatch(/^Down: 1 min.*Not monitored: /)
})

test('the form has the names of all that can be a member of a composite', async () => {
  await oneCheck({ name: 'db-1', tags: ['web shop'] })
  const guid = await oneCheck({ name: 'db-2', tags: ['web shop'] })
  await oneCheck({ name: 'all', url: 'composite:tag:db' })
  await w.rows(`update checks set key = 'db-1' where org_id = $1 and name = 'db-1'`, org.org_id)
  await bob.open('/checks/new')
  const names = bob.all('#members option').map((one) => [one.getAttribute('data-name'), one.getAttribute('label')])
  expect(names).toEqual([
    ['tag:web%20shop', '2 checks'],
    ['key:db-1', 'db-1'],
    [guid, 'db-2'],
  ])
})

test('a composite is an entry of the status page, with its state and days', async () => {
  const member = await failing()
  const composite = await oneCheck({ name: 'databases', url: `composite:${member}?down_at=1` })
  await w.rows('update checks set created_at = $2 where guid = $1', composite, ago(3600))
  const slug = `page-${org.org_id}`
  await setStatusPage(w.deps, org.org_id, true)
  const entries = [{ kind: 'check', guid: composite, public_name: 'Storage' } as const]
  await editStatusPage(w.deps, org.org_id, { slug, title: 'Us', description: '', entries })
  await judgeByServer(w.deps)
  w.clock.forward(60)
  const { body } = await w.http.get(`/status/${slug}.json`)
  expect(body).toMatchObject({
    systems: [{ name: 'Storage', state: 'down', watched_sec: 60, down_sec: 60, uptime_percent: 0 }],
    incidents: [{ system: 'Storage' }],
  })
  expect(JSON.stringify(body)).not.toContain('db-1')
})

test('the page of a domain check says what the registry says', async () => {
  const guid = await oneCheck({ name: 'names', url: 'domain:www.example.com' })
  await judgeByServer(w.deps)
  await bob.open('/')
  expect(told(bob.all('main')[0]?.text)).toMatch(
    /names: not monitored for .* \(the registry is asked within a minute\)/,
  )
  await w.rows(
    `update registrations set answered_at = $1, expires_at = $2, registrar = 'Names Ltd', name_servers = '{ns1.example.net}'
     where name = 'example.com'`,
    ago(60),
    ago(-10 * 86_400),
  )
  w.clock.forward(31)
  await judgeByServer(w.deps)
  await bob.open(`/checks/${guid}`)
  const page = told(bob.all('main')[0]?.text)
  expect(page).toMatch(/Degraded: the registration of example.com ends in 9 days, on /)
  expect(page).toMatch(/Domain ?example.com.*Registrar ?Names Ltd.*Name servers ?ns1.example.net/)
  await bob.open(`/checks/${guid}/definition`)
  const terms = bob.all('dl.facts dt').map(({ text }) => text)
  expect(terms).toContain('Target')
  expect(terms).not.toContain('Interval')
})

test('the configuration API reads back what it was given, and refuses what does not apply', async () => {
  const ask = configurator(w, await configToken(w, org))
  const entry = { name: 'databases', url: 'composite:key:db-1,key:db-2?down_at=1', interval_sec: 60 }
  const { body } = await ask('post', '/checks', { ...entry, key: 'databases' })
  expect(body).toMatchObject({ ...entry, all_monitors: true })
  const changes = [{ kind: 'check', action: 'put', key: 'databases', body: entry }]
  const again = await ask('post', '/bulk', { changes })
  expect(again.text).toContain('unchanged')
  expect((await ask('post', '/checks', { ...entry, retry_count: 2 })).text).toContain('retry_count must be omitted')
  const monitor = await w.monitor(org)
  const chosen = await ask('post', '/checks', { ...entry, monitors: [monitor.id] })
  expect(chosen.text).toContain('the server judges this check')
})
