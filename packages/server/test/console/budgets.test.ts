// What a person may set off: organisations without end, and mail to others.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { addMember } from '@dogwatch/domain/organisations/members'
import { setPlan } from '@dogwatch/domain/organisations/organisation'
import { mailboxOf } from '@dogwatch/domain/people/mailbox'
import { findViewer, openSession } from '@dogwatch/domain/people/sessions'
import { foundOrganisation } from '@dogwatch/domain/people/sign-in'
import { createMailer, type Mailer } from '@dogwatch/runtime/mail'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type MailServer, mailServer } from '../../../channels/test/support/mail-server.ts'
import { Browser } from '../support/browser.ts'
import { faultsOf, memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { type Org, type World, world } from '../support/world.ts'

let mail: MailServer
let mailer: Mailer | undefined
let w: World
beforeAll(async () => {
  mail = await mailServer()
  mailer = createMailer({ smtp_url: `smtp://127.0.0.1:${mail.port}`, mail_from: 'dogwatch@example.com' })
  w = await world({ console: { public_url: 'http://dogwatch.example', mailer } })
})
afterAll(async () => {
  mailer?.close()
  await w.close()
  await mail.close()
})

const viewerOf = async ({ person_id }: Pick<Somebody, 'person_id'>) => {
  const viewer = await findViewer(w.deps, await openSession(w.deps, person_id))
  if (!viewer) throw new Error('no session')
  return viewer
}

test('a person owns five organisations on the free plan at most, and a sixth is refused in one line', async () => {
  const alice = await ownerOf(w, await w.org('free'))
  const found = async (org_name: string) => {
    await alice.browser.open('/organisations')
    await alice.browser.submit('/organisations', { org_name })
    return [alice.browser.page.status, faultsOf(alice.browser)]
  }
  for (let i = 2; i <= 5; i++) expect(await found(`org ${i}`)).toEqual([200, []])
  expect(await found('org 6')).toEqual([
    400,
    ['You already own 5 organisations on the free plan, which is the maximum.'],
  ])
  const [org] = await w.rows("select org_id from organisations where name = 'org 5'")
  await setPlan(w.deps, Number(org?.org_id), 'solo')
  expect(await found('org 6')).toEqual([200, []])
})

test('those that a person only belongs to do not count', async () => {
  const bob = await memberOf(w, await w.org())
  for (let i = 0; i < 6; i++) await addMember(w.deps, (await w.org()).org_id, bob.email)
  await foundOrganisation(w.deps, await viewerOf(bob), 'his own', 'free')
})

test('of many founded at once, no more than five are made', async () => {
  const bob = await memberOf(w, await w.org())
  const viewer = await viewerOf(bob)
  const settled = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) => foundOrganisation(w.deps, viewer, `at once ${i}`, 'free')),
  )
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
})

test('organisations are not founded without end by whoever moves them to other plans', async () => {
  const alice = await ownerOf(w, await w.org())
  const statuses = []
  for (let i = 0; i < 15; i++) {
    await alice.browser.open('/organisations')
    await alice.browser.submit('/organisations', { org_name: `moved ${i}` })
    statuses.push(alice.browser.page.status)
    await w.rows("update organisations set plan = 'team' where name = $1", `moved ${i}`)
  }
  expect(statuses).toEqual([...Array<number>(10).fill(200), ...Array<number>(5).fill(429)])
})

let victims = 0
const victim = () => `victim-${victims++}@example.com`

async function testsOf({ browser }: Somebody, { org_id }: Org, email: string, times: number): Promise<number[]> {
  const { id } = await createChannel(w.deps, org_id, { kind: 'email', name: 'them', email })
  const statuses = []
  for (let i = 0; i < times; i++) {
    await browser.open(`/channels/${id}`)
    await browser.submit(`/channels/${id}/test`)
    statuses.push(browser.page.status)
  }
  return statuses
}

test('one address gets few test messages, whichever orgs they come from and however it is written', async () => {
  const to = victim()
  const orgs = [await w.org(), await w.org(), await w.org()]
  const seen: number[] = []
  for (const [i, org] of orgs.entries()) {
    const written = [to, to.toUpperCase(), to.replace('@', '+tag@')][i] ?? to
    seen.push(...(await testsOf(await ownerOf(w, org), org, written, 3)))
  }
  expect(seen).toEqual([...Array<number>(5).fill(200), ...Array<number>(4).fill(429)])
})

test('one person has so many test messages, in however many orgs', async () => {
  const orgs = await Promise.all(Array.from({ length: 4 }, () => w.org()))
  const bob = await memberOf(w, orgs[0] as Org)
  const seen: number[] = []
  for (const org of orgs) {
    await addMember(w.deps, org.org_id, bob.email)
    await bob.browser.open('/organisations')
    await bob.browser.submit('/organisations/switch', { org_id: String(org.org_id) })
    const { id } = await createChannel(w.deps, org.org_id, { kind: 'ntfy', name: 'phone', ntfy_topic: 'ops' })
    for (let i = 0; i < 8; i++) {
      await bob.browser.open(`/channels/${id}`)
      await bob.browser.submit(`/channels/${id}/test`)
      seen.push(bob.browser.page.status)
    }
  }
  expect(seen).toEqual([...Array<number>(20).fill(200), ...Array<number>(12).fill(429)])
})

test('through ntfy, whose quota all organisations share, one organisation sends few test messages', async () => {
  const org = await w.org()
  const alice = await ownerOf(w, org)
  const topic = { kind: 'ntfy', name: 'phone', ntfy_topic: 'alice-alerts' }
  const { id } = await createChannel(w.deps, org.org_id, topic)
  const statuses = []
  // An older request of the limit that all kinds have would refuse it as well.
  for (let i = 0; i < 11; i++) {
    await w.rows("delete from rate_limits where key like 'channel-tests:%' or key like 'channel-tests-person:%'")
    await alice.browser.open(`/channels/${id}`)
    await alice.browser.submit(`/channels/${id}/test`)
    statuses.push(alice.browser.page.status)
  }
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429])
})

test('invitations to one address are few, and share what it gets of test messages', async () => {
  const to = victim()
  const org = await w.org()
  const alice = await ownerOf(w, org)
  expect(await testsOf(alice, org, to, 3)).toEqual([200, 200, 200])
  const seen = []
  for (let i = 0; i < 4; i++) {
    await alice.browser.open('/settings/members')
    await alice.browser.submit('/settings/members/invite', { email: to })
    seen.push(alice.browser.page.status)
  }
  expect(seen).toEqual([200, 200, 429, 429])
  expect(mail.got.filter((one) => one.to.includes(to))).toHaveLength(2)
})

/** Asks for a link from another address each time, as a guest, and tells the statuses. */
async function askFor(path: '/reset-password' | '/sign-up', emails: string[]): Promise<number[]> {
  const statuses = []
  for (const email of emails) {
    await w.rows("delete from rate_limits where key like 'sign-up:%' or key like 'reset-address:%'")
    const guest = new Browser(w.direct)
    await guest.open(path)
    await guest.submit(path, { email })
    statuses.push(guest.page.status)
  }
  return statuses
}

test('what others send to an address leaves it the links for a new password', async () => {
  const org = await w.org()
  const { email } = await ownerOf(w, await w.org())
  await testsOf(await ownerOf(w, org), org, email, 6)
  expect(await askFor('/reset-password', [email, email.toUpperCase(), email, email])).toEqual([200, 200, 200, 429])
})

test('so do those who sign up with it, and who ask for links with what reaches the same mailbox', async () => {
  const { email } = await ownerOf(w, await w.org())
  const others = Array.from({ length: 4 }, (_, i) => email.replace('@', `+${i}@`))
  expect(await askFor('/sign-up', [email, ...others])).toEqual([200, 200, 200, 429, 429])
  expect(await askFor('/reset-password', [...others, email])).toEqual([200, 200, 200, 200, 200])
})

test.each([
  ['Alice+News@Example.com', 'alice@example.com'],
  ['alice+a+b@example.com', 'alice@example.com'],
  ['a.l.ice@example.com', 'alice@example.com'],
  ['alice@exa+mple.com', 'alice@exa+mple.com'],
  // Must not take time that grows faster than its length.
  ['+'.repeat(200_000), '+'.repeat(200_000)],
])('a mailbox is found: %#', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox)
})

test.each([
  'alice@exam\u00adple.com',
  'alice@example\u3002com',
  'alice@\uff45xample.com',
  'alice@ex%61mple.com',
  'ali\u200bce@example.com',
  'alice@example.com.',
  'alice@example.com:25',
  'alice@example.com;',
  '"alice"@example.com',
  '"al\\ice"@example.com',
  '(a)alice@example.com',
  '<alice@example.com>',
])('what reaches the same mailbox is the same mailbox: %s', (email) => {
  expect(mailboxOf(email)).toBe('alice@example.com')
})
