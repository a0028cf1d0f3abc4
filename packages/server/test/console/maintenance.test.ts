// Maintenance windows in the console.

import { openSession } from '@dogwatch/domain/people/sessions'
import { wallTime } from '@dogwatch/domain/people/wall-clock'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let alice: Browser
beforeAll(async () => {
  w = await world()
  org = await w.org()
  alice = new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id))
})
afterAll(() => w.close())

const LIST = '/channels/maintenance'
const windows = () => w.rows('select * from maintenance_windows where org_id = $1', org.org_id)
const at = (min: number) =>
  new Date(w.clock.now().getTime() + min * 60_000).toISOString().slice(0, 16).replace('T', ' ')

test('a window is created, edited, ended and deleted by forms, and the audit log says so', async () => {
  await alice.open(LIST)
  expect(alice.page.html).toContain('Schedule maintenance to hold alerts during planned work.')
  await alice.open(`${LIST}/new`)
  const wanted = { name: 'New racks', starts_at: at(-5), duration: '2 h', zone: 'UTC', repeat: 'weekly' }
  await alice.submit(`${LIST}/new`, { ...wanted, repeat: 'custom', rule: 'FREQ=SECONDLY' })
  expect(alice.page.status).toBe(400)
  expect(alice.page.html).toContain('“Custom rule” must set FREQ to one of')
  await alice.submit(`${LIST}/new`, { ...wanted, tags: 'database' })
  expect(alice.all('#field-tags-fault')[0]?.text).toContain('Only apply to the scope')
  await alice.submit(`${LIST}/new`, { ...wanted, tags: '' })
  expect(await windows()).toMatchObject([
    { name: 'New racks', rule: 'FREQ=WEEKLY', duration_sec: 7200, is_public: true },
  ])
  await alice.open(LIST)
  expect(alice.page.html).toContain('In progress')
  expect(alice.text()).toMatch(/Current window\s*\d+ \w+, \d\d:\d\d to \d+ \w+, \d\d:\d\d/)
  await alice.open('/channels/who?about=monitors&event=monitor.offline')
  expect(alice.text()).toMatch(/Alert on hold: maintenance "New racks"\s+until \d\d:\d\d\./)
  expect(alice.all('main')[0]?.text).not.toContain(' UTC.')
  await alice.open(LIST)
  const [{ guid } = {}] = await windows()
  await alice.open(`${LIST}/${String(guid)}/edit`)
  await alice.submit(`${LIST}/${String(guid)}/edit`, { name: 'Newer racks' })
  expect(await windows()).toMatchObject([{ name: 'Newer racks', rule: 'FREQ=WEEKLY', duration_sec: 7200 }])
  await alice.open(LIST)
  await alice.submit(`${LIST}/${String(guid)}/end`, {})
  await alice.open(LIST)
  expect(alice.page.html).toContain('Scheduled')
  await alice.open(`${LIST}/${String(guid)}/delete`)
  await alice.submit(`${LIST}/${String(guid)}/delete`, {})
  expect(await windows()).toEqual([])
  const deeds = await w.rows(
    `select action from audit_entries where org_id = $1 and action like 'maintenance%'`,
    org.org_id,
  )
  expect(deeds.map(({ action }) => String(action)).toSorted()).toEqual(
    ['create', 'delete', 'edit', 'end'].map((verb) => `maintenance.${verb}`),
  )
})

test('times are by the clock of whoever looks: a window that begins, one that is on, and until when something is muted', async () => {
  await w.rows("update people set time_zone = 'Asia/Kathmandu', hour_clock = 12 where person_id = $1", org.owner_id)
  await alice.open(`${LIST}/new`)
  const given = (name: string) => alice.all(`[name=${name}]`)[0]
  // The browser shows it as its owner writes times. What is typed is understood all the same.
  expect(given('starts_at')?.getAttribute('type')).toBe('datetime-local')
  expect(given('starts_at')?.getAttribute('value')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:45$/)
  expect(alice.all('[name=zone] [selected]').map((one) => one.text)).toEqual(['Asia/Kathmandu'])
  const day = wallTime(new Date(w.clock.now().getTime() + 3 * 86_400_000), 'Asia/Kathmandu').slice(0, 10)
  const wanted = { name: 'Kathmandu', starts_at: `${day} 10:00 am`, duration: '2 h', repeat: 'once' }
  await alice.submit(`${LIST}/new`, wanted)
  await alice.open(LIST)
  expect(alice.text()).toMatch(/, 10:00 am to \d+ \w+, 12:00 pm/)
  expect(alice.text()).toContain('Once, 10:00 am (Asia/Kathmandu)')
  const [guid = ''] = await w.checks(org, [{ name: 'shop' }], 'none')
  await alice.open(`/checks/${guid}`)
  const local = (min: number) => wallTime(new Date(w.clock.now().getTime() + min * 60_000), 'Asia/Kathmandu')
  await alice.submit(`/checks/${guid}/mute`, { for: 'date', until: local(90) })
  const [row] = await w.rows('select muted_until - muted_at as lasts from mutes where org_id = $1', org.org_id)
  expect(JSON.stringify(row)).toMatch(/"hours":1,"minutes":(29|30)/)
  await alice.submit(`/checks/${guid}/unmute`)
  await alice.submit(`/checks/${guid}/mute`, { for: 'morning' })
  expect(alice.text()).toContain('9:00 am. No notifications are sent while muted')
  await w.rows('update people set time_zone = null, hour_clock = null where person_id = $1', org.owner_id)
})

test('a window that comes once a year is announced, not over', async () => {
  const begins = at(100 * 24 * 60)
  await alice.open(`${LIST}/new`)
  const wanted = {
    name: 'Yearly',
    starts_at: begins,
    duration: '2 h',
    zone: 'UTC',
    repeat: 'custom',
    rule: 'FREQ=YEARLY',
  }
  await alice.submit(`${LIST}/new`, wanted)
  await alice.open(LIST)
  expect(alice.text()).toContain('Scheduled')
  expect(alice.text()).not.toContain('Completed')
})
