// The essential forms in a real browser that runs no scripts.

import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals'
import { openChromium } from '../support/chromium.ts'
import { type Org, type World, world } from '../support/world.ts'
import { type Visitor, visitor } from './visitor.ts'

const { browser, test, close } = await openChromium()

let w: World
let org: Org
let bob: Visitor
beforeAll(async () => {
  // A page waits for a run for as long as a busy machine takes.
  w = await world({ console: { run_wait_ms: 60_000 } })
})
beforeEach(async () => {
  org = await w.org()
  const session = await openSession(w.deps, org.owner_id, org.org_id)
  bob = await visitor(browser, w.direct, { session, javaScriptEnabled: false })
})
afterAll(async () => {
  await close()
  await w.close()
})

const fill = (label: string, value: string) => bob.page.getByLabel(label, { exact: true }).fill(value)
const text = () => bob.page.locator('main').innerText()
const path = () => new URL(bob.page.url()).pathname

test('nothing here runs scripts', async () => {
  await bob.page.setContent('<p id=it>still</p><script>document.getElementById("it").textContent = "ran"</script>')
  expect(await bob.page.locator('#it').innerText()).toBe('still')
})

test('one signs up, out and in again', async () => {
  await bob.forgetSession()
  await bob.open('/sign-up')
  await fill('Email', 'bob@example.com')
  await fill('Password', 'correct horse battery')
  await fill('Organisation', 'Wonderland')
  await bob.press('Sign up')
  expect(path()).toBe('/')
  await bob.press('Sign out')
  expect(await text()).toContain('Signed out.')
  await bob.open('/settings')
  expect(path()).toBe('/sign-in')
  await fill('Email', 'bob@example.com')
  await fill('Password', 'correct horse battery')
  await bob.press('Sign in')
  expect(path()).toBe('/settings')
})

test('a check is made, refused, mended, paused, resumed and deleted', async () => {
  await bob.open('/checks/new')
  await fill('Name', 'the shop')
  await fill('Target', 'gopher://shop.example/')
  await bob.press('Create check')
  expect(await bob.page.getByRole('alert').innerText()).toMatch(/Target.* must start with http/)
  await fill('Target', 'shop.example')
  await fill('Interval', '120')
  await bob.press('Create check')
  expect(await text()).toContain('the shop created.')
  await bob.press('Pause check')
  expect(await text()).toMatch(/Paused/)
  await bob.press('Resume check')
  expect(await text()).toContain('Check resumed.')
  await bob.follow('Definition')
  await bob.follow('Delete check')
  await bob.press('Delete check')
  expect(path()).toBe('/checks')
  expect(await text()).toContain('the shop deleted.')
})

test('a definition is tested before it is saved', async () => {
  const { client } = await w.monitor(org, 'attic')
  await client.ping()
  await bob.open('/checks/new')
  await fill('Target', 'https://shop.example/')
  const answered = client.ping({ wait_sec: 50 }).then(async () => {
    const { runs = [] } = await client.sync()
    await client.reportRuns(runs.map(({ id }) => ({ id, success: true, http_status: 204 })))
  })
  await bob.press('Test check')
  await answered
  expect(await text()).toMatch(/Passed from attic[^]*204/)
  expect(await bob.page.getByLabel('Target', { exact: true }).inputValue()).toBe('https://shop.example/')
})

test('a token is minted, and works', async () => {
  await bob.open('/settings/api-tokens')
  await fill('Name', 'nightly report')
  await bob.press('Create API token')
  const token = await bob.page.locator('#token').innerText()
  const answer = await fetch(`${w.direct}/account-api/v1/checks`, { headers: { Authorization: `Bearer ${token}` } })
  expect([answer.status, await answer.json()]).toEqual([200, []])
})

test('the chart of a check is there without scripts', async () => {
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{}], 'all')
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
