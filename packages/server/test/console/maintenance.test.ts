// Maintenance windows in the console.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openSession } from '../../src/domain/people/sessions.ts'
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
  expect(alice.page.html).toContain('There are no maintenance windows.')
  await alice.open(`${LIST}/new`)
  const wanted = { name: 'New racks', starts_at: at(-5), duration: '2 h', zone: 'UTC', repeat: 'weekly' }
  await alice.submit(`${LIST}/new`, { ...wanted, repeat: 'custom', rule: 'FREQ=SECONDLY' })
  expect(alice.page.status).toBe(400)
  expect(alice.page.html).toContain('Rule must have a FREQ of')
  await alice.submit(`${LIST}/new`, wanted)
  expect(await windows()).toMatchObject([
    { name: 'New racks', rule: 'FREQ=WEEKLY', duration_sec: 7200, is_public: true },
  ])
  await alice.open(LIST)
  expect(alice.page.html).toContain('Running')
  const [{ guid } = {}] = await windows()
  await alice.open(`${LIST}/${String(guid)}/edit`)
  await alice.submit(`${LIST}/${String(guid)}/edit`, { name: 'Newer racks' })
  expect(await windows()).toMatchObject([{ name: 'Newer racks', rule: 'FREQ=WEEKLY', duration_sec: 7200 }])
  await alice.open(LIST)
  await alice.submit(`${LIST}/${String(guid)}/end`, {})
  await alice.open(LIST)
  expect(alice.page.html).toContain('Announced')
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
  expect(alice.text()).toContain('Announced')
  expect(alice.text()).not.toContain('Over')
})
