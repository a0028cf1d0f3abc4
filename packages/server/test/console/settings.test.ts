// The organisation's name, plan and status page, and who changed what.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createHeartbeat } from '../../src/domain/heartbeats/edit.ts'
import { createChannel, readChannels } from '../../src/domain/channels/edit.ts'
import { recordDeed } from '../../src/domain/audit/record.ts'
import { deedsOf, faultsOf, memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let alice: Somebody
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
  alice = await ownerOf(w, org)
})
afterAll(() => w.close())

/** The table of the plan, by limit. */
const usage = (browser = alice.browser) =>
  Object.fromEntries(
    browser
      .all('tbody tr')
      .map((row) => row.querySelectorAll('td').map((td) => td.text.trim().replaceAll(/\s+/g, ' '))),
  )

describe('the name', () => {
  test('is changed by the owner', async () => {
    await alice.browser.open('/settings')
    await alice.browser.submit('/settings/rename', { name: ' New <Wonderland> ' })
    expect(alice.browser.all('main h2')[0]?.text).toBe('New <Wonderland>')
    expect(alice.browser.page.html).not.toContain('<Wonderland>')
    expect(await deedsOf(w, org)).toEqual([expect.stringContaining(`${alice.email}: organisation.rename`)])
  })

  test('is not blank', async () => {
    await alice.browser.open('/settings')
    await alice.browser.submit('/settings/rename', { name: ' ' })
    expect([alice.browser.page.status, faultsOf(alice.browser)]).toEqual([400, ['Name must not be blank.']])
    expect(await deedsOf(w, org)).toEqual([])
  })

  test('is no form for a member', async () => {
    const bob = await memberOf(w, org)
    await bob.browser.open('/settings')
    expect(bob.browser.all('main form')).toEqual([])
    expect(bob.browser.text()).not.toContain('API tokens')
  })
})

describe('the plan', () => {
  test('is told with what is used of it', async () => {
    org = await w.org('double')
    alice = await ownerOf(w, org)
    await w.checks(org, [{ interval_sec: 90, timeout_sec: 30, cert_expiry_warn_days: 14 }, {}, {}])
    await createChannel(w.deps, org.org_id, { kind: 'email', name: 'us', email: 'us@example.com' })
    const job = { name: 'job', interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
    await createHeartbeat(w.deps, org.org_id, job)
    await alice.browser.open('/settings')
    expect(usage()).toEqual({
      Checks: '3 of 40 checks',
      Heartbeats: '1 of 10 heartbeats',
      'Notification channels': '1 of 10 channels',
      Members: '1 of 2 members',
      'Shortest interval': '45 s (in use: 1 min)',
      'Longest timeout': '45 s (in use: 30 s)',
      'Kinds of channels': expect.stringMatching(/^ntfy, email, webhook\b.* \(used: email\)$/),
      'Certificate warnings': 'on 1 check',
      'Status page': 'hidden',
      History: '274 days',
    })
    const [bar] = alice.browser.all('meter')
    expect([bar?.getAttribute('value'), bar?.getAttribute('max')]).toEqual(['3', '40'])
  })

  test('counts invitations among the members, and says what has no limit', async () => {
    await alice.browser.open('/settings/members')
    await alice.browser.submit('/settings/members/invite', { email: 'guest@example.com' })
    await alice.browser.open('/settings')
    expect(usage()).toMatchObject({
      Members: '2 members (unlimited), invited ones counted',
      'Notification channels': '0 channels (unlimited)',
      'Kinds of channels': expect.stringMatching(/^ntfy, email, webhook, slack\b.* \(none used\)$/),
      'Shortest interval': '30 s',
    })
  })
})

describe('the status page', () => {
  const page = async (enabled: string) => {
    await alice.browser.open('/settings/status-page')
    await alice.browser.submit('/settings/status-page', { enabled })
  }

  test('is switched on and off by the owner', async () => {
    await page('on')
    expect(alice.browser.text()).toContain('The status page is on.')
    await alice.browser.submit('/settings/status-page')
    expect(alice.browser.text()).toContain('The status page is off.')
    expect((await deedsOf(w, org)).map((deed) => deed.split(' ')[1])).toEqual(['status_page.show', 'status_page.hide'])
  })

  test('is not on the free plan', async () => {
    org = await w.org('free')
    alice = await ownerOf(w, org)
    await page('on')
    expect([alice.browser.page.status, faultsOf(alice.browser)]).toEqual([400, ['The free plan has no status page.']])
    await page('off')
    expect(alice.browser.page.status).toBe(200)
  })
})

describe('the audit log', () => {
  const subjects = () => alice.browser.all('tbody tr').map((row) => row.querySelectorAll('td')[3]?.text)
  const older = () => alice.browser.all('a[rel=next]')[0]?.getAttribute('href') ?? ''
  const numbers = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => `check ${from - i}`)

  test('is read newest first, page by page, also while it grows', async () => {
    const by = { person_id: alice.person_id, email: alice.email, impersonator_email: null }
    const record = (n: number) =>
      recordDeed(w.deps.database.people, w.deps, by, {
        org_id: org.org_id,
        action: 'check.create',
        subject: `check ${n}`,
      })
    // The operator made the org: the oldest entry.
    for (let n = 1; n <= 100; n++) await record(n)
    await alice.browser.open('/settings/audit')
    expect(subjects()).toEqual(numbers(100, 51))
    await record(101)
    await alice.browser.open(older())
    expect(subjects()).toEqual(numbers(50, 1))
    await alice.browser.open(older())
    expect(subjects()).toEqual([expect.stringMatching(/^org .*plan: team$/)])
    expect(older()).toBe('')
  })

  test('tells who did what, and holds nothing of other orgs', async () => {
    const mallory = await ownerOf(w, await w.org())
    await mallory.browser.open('/settings')
    await mallory.browser.submit('/settings/rename', { name: 'Theirs' })
    await alice.browser.open('/settings')
    await alice.browser.submit('/settings/rename', { name: 'Ours' })
    await alice.browser.open('/settings/audit')
    expect(alice.browser.all('tbody tr').map((row) => row.querySelectorAll('td').map((cell) => cell.text))).toEqual([
      ['just now, 12:00', alice.email, 'organisation: rename', expect.stringMatching(/name: Ours$/)],
      ['just now, 12:00', 'operator', 'organisation: create', expect.stringMatching(/plan: team$/)],
    ])
  })

  test.each(['x', '-1', '99999999999999999999', '%00', "1' or 1=1"])(
    'a position of %s is the beginning',
    async (before) => {
      await alice.browser.open(`/settings/audit?before=${before}`)
      expect(alice.browser.page.status).toBe(200)
    },
  )
})

test('without a mail server, pages say so beforehand: no email channel is made, and an invitation is a link', async () => {
  const { browser } = alice
  await browser.open('/channels/new')
  expect(browser.text()).toContain('A mail to one address. This server sends no mail.')
  expect(browser.all('a[href="/channels/new?kind=email"]')).toEqual([])
  const line =
    'This server sends no mail, because SMTP_URL and MAIL_FROM are not set. Whoever runs the server can set them.'
  await browser.open('/channels/new?kind=email')
  expect([browser.page.status, faultsOf(browser)]).toEqual([200, [line]])
  await browser.open('/channels/new?kind=ntfy')
  await browser.submit('/channels/new', { kind: 'email', name: 'us', email: 'us@example.com' })
  expect([browser.page.status, faultsOf(browser)]).toEqual([400, [line]])
  expect(await readChannels(w.deps, org.org_id)).toEqual([])
  await browser.open('/settings/members')
  const form = browser.all('form[action="/settings/members/invite"]')[0]
  expect(form?.text).toContain('you get a link to hand over yourself')
  expect(form?.querySelector('button')?.text).toBe('Create link')
})
