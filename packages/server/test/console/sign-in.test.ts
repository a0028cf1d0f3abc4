import { setPassword, switchPerson } from '@dogwatch/domain/people/edit'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const PASSWORD = 'correct horse battery'
let count = 0

async function alice(): Promise<{ browser: Browser; email: string }> {
  const browser = new Browser(w.direct)
  const email = `alice-${count++}@example.com`
  await browser.open('/sign-up')
  await browser.submit('/sign-up', { email, password: PASSWORD, org_name: 'Wonderland' })
  return { browser, email }
}

test('whoever signs up owns an org and is signed in', async () => {
  const { browser, email } = await alice()
  await browser.open('/organisations')
  expect(browser.page.status).toBe(200)
  expect(browser.text()).toContain('Wonderland')
  const [person] = await w.rows(
    'select m.is_owner, o.plan from people join memberships m using (person_id) join organisations o using (org_id) where email = $1',
    email,
  )
  expect(person).toEqual({ is_owner: true, plan: 'free' })
})

test('a stranger is sent to sign in, and on to where they wanted to go', async () => {
  const { email } = await alice()
  const browser = new Browser(w.direct)
  await browser.open('/organisations')
  expect(browser.page.path).toMatch(/^\/sign-in\?to=/)
  await browser.submit('/sign-in', { email, password: PASSWORD })
  expect(browser.page.path).toBe('/organisations')
})

test.each([
  ['a wrong password', (email: string) => ({ email, password: 'not this one at all' })],
  ['an unknown address', () => ({ email: 'nobody@example.com', password: PASSWORD })],
  ['no password', (email: string) => ({ email, password: '' })],
])('%s gets the same answer', async (_, fields) => {
  const { email } = await alice()
  const browser = new Browser(w.direct)
  await browser.open('/sign-in')
  await browser.submit('/sign-in', fields(email))
  expect(browser.page.status).toBe(400)
  expect(browser.all('[role=alert]').map((one) => one.text.trim())).toEqual(['Incorrect email or password. Try again.'])
})

test('a person who is disabled is signed out at once, and cannot sign in', async () => {
  const { browser, email } = await alice()
  await switchPerson(w.deps, email, false)
  await browser.open('/organisations')
  expect(browser.page.path).toMatch(/^\/sign-in/)
  await browser.submit('/sign-in', { email, password: PASSWORD })
  expect(browser.text()).toContain('Incorrect email or password. Try again.')
})

test('a person without a password, made by an operator, signs in once one is set', async () => {
  const org = await w.org()
  const [{ email } = { email: '' }] = (await w.rows('select email from people where person_id = $1', org.owner_id)) as {
    email: string
  }[]
  const browser = new Browser(w.direct)
  await browser.open('/sign-in')
  await browser.submit('/sign-in', { email, password: PASSWORD })
  expect(browser.page.status).toBe(400)
  await setPassword(w.deps, email, PASSWORD)
  await browser.submit('/sign-in', { email, password: PASSWORD })
  expect(browser.page.path).toBe('/')
  await browser.open('/organisations')
  expect(browser.text()).toContain('Owner · current organisation')
})

test('signing out ends the session on the server', async () => {
  const { browser } = await alice()
  await browser.open('/organisations')
  await browser.submit('/sign-out')
  expect(browser.page.path).toBe('/sign-in')
  expect(browser.text()).toContain('Signed out.')
  await browser.open('/organisations')
  expect(browser.page.path).toMatch(/^\/sign-in/)
})

test('a session ends after thirty days without use', async () => {
  const { browser } = await alice()
  w.clock.forward(20 * 86_400)
  await browser.open('/organisations')
  w.clock.forward(20 * 86_400)
  await browser.open('/organisations')
  expect(browser.page.path).toBe('/organisations')
  w.clock.forward(31 * 86_400)
  await browser.open('/organisations')
  expect(browser.page.path).toMatch(/^\/sign-in/)
})

test('the way back after signing in never leads to another site', async () => {
  const { email } = await alice()
  for (const to of ['//evil.example/', 'https://evil.example/', '/\\evil.example', '/%2f/evil.example']) {
    const browser = new Browser(w.direct)
    await browser.open(`/sign-in?to=${encodeURIComponent(to)}`)
    await browser.submit('/sign-in', { email, password: PASSWORD, to })
    expect(browser.page.path).not.toContain('evil')
  }
})
