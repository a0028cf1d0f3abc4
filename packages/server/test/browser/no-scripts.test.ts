// The essential forms in a real browser that runs no scripts.
import { afterAll, beforeAll, expect } from '@jest/globals'
import { openChromium } from '../support/chromium.ts'
import { type World, world } from '../support/world.ts'
import { type Visitor, visitor } from './visitor.ts'

const { browser, test, close } = await openChromium()

let w: World
let bob: Visitor
beforeAll(async () => {
  w = await world()
  bob = await visitor(browser, w.direct, { javaScriptEnabled: false })
})
afterAll(async () => {
  await close()
  await w.close()
})

const press = (name: string | RegExp) => arrive(() => bob.page.getByRole('button', { name }).click())
const follow = (name: string) => arrive(() => bob.page.getByRole('link', { name, exact: true }).first().click())
const fill = (label: string, value: string) => bob.page.getByLabel(label, { exact: true }).fill(value)
const text = () => bob.page.locator('main').innerText()
const path = () => new URL(bob.page.url()).pathname

async function arrive(leave: () => Promise<void>): Promise<void> {
  const loaded = bob.page.waitForEvent('load')
  await leave()
  await loaded
}

test('nothing here runs scripts', async () => {
  await bob.page.setContent('<p id=it>still</p><script>document.getElementById("it").textContent = "ran"</script>')
  expect(await bob.page.locator('#it').innerText()).toBe('still')
})

test('one signs up, out and in again', async () => {
  await bob.open('/sign-up')
  await fill('Email', 'bob@example.com')
  await fill('Password', 'correct horse battery')
  await fill('Organisation', 'Wonderland')
  await press('Sign up')
  expect(path()).toBe('/')
  await press('Sign out')
  expect(await text()).toContain('Signed out.')
  await bob.open('/settings')
  expect(path()).toBe('/sign-in')
  await fill('Email', 'bob@example.com')
  await fill('Password', 'correct horse battery')
  await press('Sign in')
  expect(path()).toBe('/settings')
})

test('a check is made, refused, mended, paused, resumed and deleted', async () => {
  await bob.open('/checks/new')
  await fill('Name', 'the shop')
  await fill('Target', 'ftp://shop.example/')
  await press('Create check')
  expect(await bob.page.getByRole('alert').innerText()).toMatch(/Target.* must begin with http/)
  await fill('Target', 'shop.example')
  await fill('Interval', '120')
  await press('Create check')
  expect(await text()).toContain('the shop is created.')
  await press('Pause')
  expect(await text()).toMatch(/Paused/)
  await press('Resume')
  expect(await text()).toContain('Check resumed.')
  await follow('Definition')
  await follow('Delete check')
  await press('Delete check')
  expect(path()).toBe('/checks')
  expect(await text()).toContain('the shop was deleted.')
})

test('a definition is tested before it is saved', async () => {
  const [member] = await w.rows('select org_id, person_id from members order by person_id desc limit 1')
  const org = { org_id: Number(member?.org_id), owner_id: Number(member?.person_id) }
  const { client } = await w.monitor(org, 'attic')
  await client.ping()
  await bob.open('/checks/new')
  await fill('Target', 'https://shop.example/')
  const answered = client.ping({ wait_sec: 20 }).then(async () => {
    const { runs = [] } = await client.sync()
    await client.reportRuns(runs.map(({ id }) => ({ id, success: true, http_status: 204 })))
  })
  await press('Test check')
  await answered
  expect(await text()).toMatch(/Up seen by attic[^]*204/)
  expect(await bob.page.getByLabel('Target', { exact: true }).inputValue()).toBe('https://shop.example/')
})

test('a token is minted, and works', async () => {
  await bob.open('/settings/api-tokens')
  await fill('Name', 'nightly report')
  await press('Create token')
  const token = await bob.page.locator('#token').innerText()
  const answer = await fetch(`${w.direct}/account-api/v1/checks`, { headers: { Authorization: `Bearer ${token}` } })
  expect([answer.status, await answer.json()]).toEqual([200, []])
})

test('the chart of a check is there without scripts', async () => {
  const org_id = Number((await w.rows('select org_id from organisations'))[0]?.org_id)
  await w.rows("update organisations set plan = 'team'")
  const monitor = await w.monitor({ org_id, owner_id: 0 })
  const [guid = ''] = await w.checks({ org_id, owner_id: 0 }, [{}], 'all')
  const at = (sec: number) => new Date(w.clock.now().getTime() - sec * 1000).toISOString()
  const results = [60, 120, 180].map((sec) => ({
    check_guid: guid,
    monitor_id: '',
    ran_at: at(sec),
    success: true,
    http_status: 200,
    latency_ms: sec,
  }))
  await monitor.client.upload(results)
  await bob.open(`/checks/${guid}`)
  expect(await bob.page.locator('figure.chart svg path.line').count()).toBe(1)
})
