// Signing up where mail is set up: who has an account already is nobody's business.

import { createSignUpLink, signUpByLink } from '@dogwatch/domain/people/sign-up'
import { forgetLeftovers } from '@dogwatch/domain/retention/prune'
import { createMailer, type Mailer } from '@dogwatch/runtime/mail'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { liveOn } from '../../../api/test/retention/rows.ts'
import { type Mail, type MailServer, mailServer } from '../../../channels/test/support/mail-server.ts'
import { Browser } from '../support/browser.ts'
import { faultsOf, linkIn } from '../support/console.ts'
import { eventually, type World, world } from '../support/world.ts'

const REST = { password: 'correct horse battery', org_name: 'Wonderland' }

let mail: MailServer
let mailer: Mailer | undefined
let w: World
let count = 0
beforeAll(async () => {
  mail = await mailServer()
  mailer = createMailer({ smtp_url: `smtp://127.0.0.1:${mail.port}`, mail_from: 'dogwatch@example.com' })
  w = await world({ console: { public_url: 'http://dogwatch.example', mailer } })
})
beforeEach(async () => {
  mail.got.length = 0
  await w.rows('delete from rate_limits')
})
afterAll(async () => {
  mailer?.close()
  await w.close()
  await mail.close()
})

const fresh = () => `alice-${count++}@example.com`

async function ask(email: string): Promise<Browser> {
  const browser = new Browser(w.direct)
  await browser.open('/sign-up')
  await browser.submit('/sign-up', { email })
  return browser
}

async function mailTo(email: string): Promise<Mail> {
  const found = () => mail.got.findLast(({ to }) => to.includes(email))
  await eventually(() => found() !== undefined, `a mail to ${email}`)
  return found() as Mail
}

async function signUp(email = fresh()): Promise<Browser> {
  const browser = await ask(email)
  const link = linkIn(await mailTo(email))
  await browser.open(link)
  await browser.submit(link, REST)
  return browser
}

test('whoever opens the link of the mail chooses a password, and is signed in to an org of their own', async () => {
  const browser = await signUp()
  expect([browser.page.path, browser.text()]).toEqual([
    '/',
    expect.stringContaining('Welcome to Dogwatch. Create a check to get started.'),
  ])
  await browser.open('/organisations')
  expect(browser.text()).toContain('Wonderland')
})

test('an address with an account and one without get the same page; the mail tells its owner which', async () => {
  const known = fresh()
  await signUp(known)
  mail.got.length = 0
  const unknown = fresh()
  const pages = [await ask(known.toUpperCase()), await ask(unknown)].map(({ page }) => ({
    status: page.status,
    html: page.html.replaceAll(/value="[^"]*"/g, ''),
  }))
  expect(pages[0]).toEqual(pages[1])
  expect((await mailTo(known)).raw).toContain('You already have a Dogwatch account')
  expect((await mailTo(known)).raw).not.toContain('dogwatch_')
  expect((await mailTo(unknown)).raw).toContain('Finish creating your Dogwatch account')
})

test('nothing is made before the link is opened, and no mail goes to what is no address', async () => {
  const email = fresh()
  await ask(email)
  await mailTo(email)
  expect(await w.rows('select from people where email = $1', email)).toEqual([])
  expect(faultsOf(await ask('nobody'))).toEqual(['“Email” must be an email address.'])
  expect(mail.got).toHaveLength(1)
})

test('a link works once, takes the others to its address with it, and ends after a day', async () => {
  const email = fresh()
  const links = []
  for (let i = 0; i < 2; i++) {
    mail.got.length = 0
    await ask(email)
    links.push(linkIn(await mailTo(email)))
  }
  const [first = '', second = ''] = links
  const browser = new Browser(w.direct)
  await browser.open(first)
  await browser.submit(first, { ...REST, password: 'short' })
  expect([browser.page.status, faultsOf(browser)]).toEqual([400, ['“Password” must be 10 to 1024 characters long.']])
  await browser.submit(first, REST)
  for (const link of [first, second]) expect((await browser.open(link)).status).toBe(404)
  const late = fresh()
  await ask(late)
  const link = linkIn(await mailTo(late))
  w.clock.forward(86_400)
  expect((await browser.open(link)).status).toBe(404)
  await liveOn(w)
  await forgetLeftovers(w.deps)
  expect(await w.rows('select from sign_up_links')).toEqual([])
})

test('of two that use a link at once, one signs up', async () => {
  const email = fresh()
  await ask(email)
  const link = linkIn(await mailTo(email))
  const browsers = [new Browser(w.direct), new Browser(w.direct)]
  for (const one of browsers) await one.open(link)
  const pages = await Promise.all(browsers.map((one) => one.submit(link, REST)))
  expect(pages.map(({ status }) => status).sort()).toEqual([200, 404])
})

test('of two links to one address that are used at once, one signs up, and the other is gone with it', async () => {
  const email = fresh()
  const tokens = [await createSignUpLink(w.deps, email), await createSignUpLink(w.deps, email)]
  const client = new pg.Client({ connectionString: w.databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('select from sign_up_links for update')
  const settling = Promise.allSettled(tokens.map(({ token = '' }) => signUpByLink(w.deps, token, REST, 'free')))
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await eventually(async () => (await w.rows(waiting)).length === 2, 'both wait')
  await client.query('commit')
  await client.end()
  const settled = await settling
  expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { kind: 'missing' } })
})

test('who signed up by other means meanwhile is told so by their own link', async () => {
  const email = fresh()
  await ask(email)
  const link = linkIn(await mailTo(email))
  const browser = new Browser(w.direct)
  await browser.open(link)
  await w.rows('insert into people (email) values ($1)', email)
  await browser.submit(link, REST)
  expect(faultsOf(browser).join()).toContain(
    'An account with this address already exists. Sign in or reset your password',
  )
})

test('one address gets few such mails', async () => {
  const email = fresh()
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push((await ask(email)).page.status)
  expect(statuses).toEqual([200, 200, 200, 429])
})
