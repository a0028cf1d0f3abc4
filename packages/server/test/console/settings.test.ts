// The organisation's name, plan and status page, and who changed what.

import { recordAuditEntry } from '@dogwatch/domain/audit/record'
import { createChannel, readChannels } from '@dogwatch/domain/channels/edit'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
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
    expect([alice.browser.page.status, faultsOf(alice.browser)]).toEqual([400, ['“Name” must not be blank.']])
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
      Channels: '1 of 10 channels',
      Members: '1 of 2 members',
      'Minimum check interval': '45 s (shortest in use: 1 min)',
      'Maximum timeout': '45 s (longest in use: 30 s)',
      'Channel types': expect.stringMatching(/^ntfy, Email, Webhook\b.* \(in use: Email\)$/),
      'Certificate warnings': 'Included, on for 1 check',
      'Status page': 'Included, off',
      'Data retention': '274 days',
    })
    const [bar] = alice.browser.all('meter')
    expect([bar?.getAttribute('value'), bar?.getAttribute('max')]).toEqual(['3', '40'])
  })

  test('without limits shows no number as one', async () => {
    await w.rows(
      `update organisations set plan = 'custom', custom_limits = '{"max_checks": 0, "max_heartbeats": 1000000}' where org_id = $1`,
      org.org_id,
    )
    await alice.browser.open('/settings')
    expect(usage()).toMatchObject({ Checks: '0 checks, no limit', Heartbeats: '0 heartbeats, no limit' })
    await alice.browser.open('/heartbeats')
    expect(alice.browser.text()).toContain('0 heartbeats, no limit on the')
    expect(alice.browser.text()).not.toMatch(/1,?000,?000/)
  })

  test('counts invitations among the members, and says what has no limit', async () => {
    await alice.browser.open('/settings/members')
    await alice.browser.submit('/settings/members/invite', { email: 'guest@example.com' })
    await alice.browser.open('/settings')
    expect(usage()).toMatchObject({
      Members: '2 members, no limit, including pending invitations',
      Channels: '0 channels, no limit',
      'Channel types': expect.stringMatching(/^ntfy, Email, Webhook, Slack\b.* \(none in use\)$/),
      'Minimum check interval': '30 s',
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
    expect(alice.browser.text()).toContain('Status page turned on.')
    await alice.browser.submit('/settings/status-page')
    expect(alice.browser.text()).toContain('Status page turned off.')
    expect((await deedsOf(w, org)).map((deed) => deed.split(' ')[1])).toEqual(['status_page.show', 'status_page.hide'])
  })

  test('is at its address as soon as it is on, and the page says where', async () => {
    await page('on')
    const href = alice.browser.all('main a').flatMap((one) => one.getAttribute('href') ?? [])
    const address = href.find((one) => one.startsWith('/status/')) ?? ''
    expect(address).toMatch(/^\/status\/[0-9a-z]{10}$/)
    expect(alice.browser.text()).toContain('It shows no checks yet.')
    expect((await new Browser(w.direct).open(address)).status).toBe(200)
    await page('off')
    await page('on')
    expect(alice.browser.all(`main a[href="${address}"]`)).toHaveLength(1)
  })

  test('is not on the free plan', async () => {
    org = await w.org('free')
    alice = await ownerOf(w, org)
    await page('on')
    expect([alice.browser.page.status, faultsOf(alice.browser)]).toEqual([
      400,
      ['Status pages are not included in the free plan.'],
    ])
    await page('off')
    expect(alice.browser.page.status).toBe(200)
  })
})

describe('the audit log', () => {
  const said = () => alice.browser.all('tbody tr p:first-child').map((one) => one.text)
  const older = () => alice.browser.all('a[rel=next]')[0]?.getAttribute('href') ?? ''
  const numbers = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, i) => `${alice.email} created the check “check ${from - i}”`)

  test('is read newest first, page by page, also while it grows', async () => {
    const by = { person_id: alice.person_id, email: alice.email, impersonator_email: null }
    const record = (n: number) =>
      recordAuditEntry(w.deps.database.people, w.deps, by, {
        org_id: org.org_id,
        action: 'check.create',
        subject: `check ${n}`,
      })
    // The operator made the org: the oldest entry.
    for (let n = 1; n <= 100; n++) await record(n)
    await alice.browser.open('/settings/audit')
    expect(said()).toEqual(numbers(100, 51))
    await record(101)
    await alice.browser.open(older())
    expect(said()).toEqual(numbers(50, 1))
    await alice.browser.open(older())
    expect(said()).toEqual([
      expect.stringMatching(/^A server admin created the organisation “org .*” on the “team” plan$/),
    ])
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
      [
        'just now, 12:00',
        expect.stringMatching(
          /^\S+ renamed the organisation “.*” to “Ours”Detailsaction: organisation.rename, .*name: Ours$/,
        ),
      ],
      ['just now, 12:00', expect.stringMatching(/^A server admin created the organisation “.*” on the “team” plan/)],
    ])
  })

  test('links the check that an entry is about while it exists, and reads entries of other builds', async () => {
    const [guid = ''] = await w.checks(org, [{ name: 'shop' }], 'none')
    const [row] = await w.rows('select check_id from checks where guid = $1', guid)
    const by = { person_id: alice.person_id, email: alice.email, impersonator_email: null }
    const deed = { org_id: org.org_id, subject: 'shop', check_id: Number(row?.check_id) }
    await recordAuditEntry(w.deps.database.people, w.deps, by, { ...deed, action: 'check.pause' })
    await w.rows(
      "update audit_entries set action = 'check.undelete', detail = '{\"until\": \"x\"}' where action = 'check.import'",
    )
    await alice.browser.open('/settings/audit')
    expect(alice.browser.text()).toContain('recorded “check undelete” for “1 check”')
    const links = () => alice.browser.all('tbody p a').map((one) => [one.text, one.getAttribute('href')])
    expect(links()).toEqual([['shop', `/checks/${guid}`]])
    await w.rows('update checks set deleted = true where guid = $1', guid)
    await alice.browser.open('/settings/audit')
    expect(links()).toEqual([])
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
  expect(browser.text()).toContain('Sends an email to one address. Email is not set up on this server.')
  expect(browser.all('a[href="/channels/new?kind=email"]')).toEqual([])
  const line = 'This server cannot send email. Ask your server admin to set SMTP_URL and MAIL_FROM.'
  await browser.open('/channels/new?kind=email')
  expect([browser.page.status, faultsOf(browser)]).toEqual([200, [line]])
  await browser.open('/channels/new?kind=ntfy')
  await browser.submit('/channels/new', { kind: 'email', name: 'us', email: 'us@example.com' })
  expect([browser.page.status, faultsOf(browser)]).toEqual([400, [line]])
  expect(await readChannels(w.deps, org.org_id)).toEqual([])
  await browser.open('/settings/members')
  const form = browser.all('form[action="/settings/members/invite"]')[0]
  expect(form?.text).toContain('You will get a link to send to the person')
  expect(form?.querySelector('button')?.text).toBe('Create invitation link')
})
