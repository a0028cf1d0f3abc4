// What admins of the platform do: plans, people, the shared fleet, and seeing what somebody else sees.

import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { switchPerson } from '@dogwatch/domain/people/edit'
import { openSession } from '@dogwatch/domain/people/sessions'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { laterFlags } from '../../../api/test/support/channel-flags.ts'
import { Browser } from '../support/browser.ts'
import { adminOf, deedsOf, faultsOf, memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { ACCOUNT, type Org, PLACE, type World, world } from '../support/world.ts'

let w: World
let admin: Somebody
let org: Org
let alice: Somebody
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  admin = await adminOf(w)
  org = await w.org('free')
  alice = await ownerOf(w, org)
})
afterAll(() => w.close())

const settings = async () => {
  const token = await w.pat(org)
  const { body } = await w.http.get(`${ACCOUNT}/settings`).set('Authorization', `Bearer ${token}`)
  return body as { entitlements: Record<string, unknown> }
}
const isOut = async ({ browser }: Somebody) => (await browser.open('/account')).path.startsWith('/sign-in')
const csrfOf = (browser: Browser) => browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''

describe('organisations', () => {
  test('are found by name, owner and id, with what they use', async () => {
    await w.checks(org, [{ interval_sec: 600 }, { interval_sec: 600 }])
    const [row] = await w.rows('select name from organisations where org_id = $1', org.org_id)
    for (const text of [String(row?.name).toUpperCase(), alice.email, String(org.org_id)]) {
      await admin.browser.open(`/admin?q=${encodeURIComponent(text)}`)
      const found = admin.browser.all('tbody tr').find((line) => line.text.includes(alice.email))
      expect(found?.querySelectorAll('td').map((cell) => cell.text)).toEqual([
        row?.name,
        alice.email,
        'free',
        '2',
        '0',
        '0',
        '1',
        '0',
      ])
    }
    for (const text of ['%', '_', "' or true --", '\0']) {
      await admin.browser.open(`/admin?q=${encodeURIComponent(text)}`)
      expect([admin.browser.page.status, admin.browser.text()]).toEqual([200, expect.stringContaining('No results.')])
    }
  })

  test('are suspended, resumed and deleted, the last by their name', async () => {
    const page = `/admin/orgs/${org.org_id}`
    const [row] = await w.rows('select name from organisations where org_id = $1', org.org_id)
    await admin.browser.open(page)
    await admin.browser.submit(`${page}/suspend`)
    expect(admin.browser.text()).toContain('Suspended just now')
    expect((await alice.browser.open('/checks')).status).toBe(403)
    await admin.browser.submit(`${page}/delete`, { name: 'another' })
    expect(faultsOf(admin.browser)).toEqual(['The name does not match: type the organisation name exactly.'])
    await admin.browser.submit(`${page}/delete`, { name: String(row?.name) })
    expect(admin.browser.text()).toContain('All data is deleted in 7 d')
    await admin.browser.submit(`${page}/resume`)
    expect((await alice.browser.open('/checks')).status).toBe(200)
    expect(await deedsOf(w, org)).toEqual(
      ['suspend', 'delete', 'resume'].map((verb) => `${admin.email}: organisation.${verb} ${String(row?.name)}`),
    )
  })

  test('get another plan, which their owner can read in the log', async () => {
    await admin.browser.open(`/admin/orgs/${org.org_id}`)
    await admin.browser.submit(`/admin/orgs/${org.org_id}/plan`, { plan: 'double' })
    expect((await settings()).entitlements).toMatchObject({ Plan: 'double', MaxChecks: 40 })
    expect(await deedsOf(w, org)).toEqual([expect.stringContaining(`${admin.email}: organisation.plan`)])
  })

  test('say what part of their history waits to be deleted, and by which word it goes', async () => {
    const { org_id } = org
    await admin.browser.open(`/admin/orgs/${org_id}`)
    expect(admin.browser.text()).not.toContain('dogwatch retention confirm')
    await w.rows(
      `insert into retention (org_id, due_at, held_since, held_share) values ($1, 'infinity', now(), 0.42)
       on conflict (org_id) do update set held_since = now(), held_share = 0.42`,
      org_id,
    )
    await admin.browser.open(`/admin/orgs/${org_id}`)
    expect(admin.browser.text()).toContain('past the plan’s retention period (42% of all results)')
    expect(admin.browser.text()).toContain(`dogwatch retention confirm --org ${org_id}`)
  })

  test.each(['gold', 'custom', ''])('plan "%s" is refused', async (plan) => {
    await admin.browser.open(`/admin/orgs/${org.org_id}`)
    await admin.browser.submit(`/admin/orgs/${org.org_id}/plan`, { plan })
    expect([admin.browser.page.status, faultsOf(admin.browser)]).toEqual([
      400,
      [expect.stringMatching(plan === 'custom' ? /^Set custom limits before/ : /^Plan must be one of /)],
    ])
    expect((await settings()).entitlements).toMatchObject({ Plan: 'free' })
  })

  const LIMITS = {
    max_checks: '3',
    max_heartbeats: '2',
    max_channels: '1',
    max_members: '2',
    min_interval_sec: '20',
    max_timeout_sec: '25',
    retention_days: '400',
    channel_kinds: ['slack'],
    allows_cert_expiry: 'on',
    allows_status_page: 'on',
  }

  test('get limits by hand, which bind, and which the account API tells', async () => {
    const path = `/admin/orgs/${org.org_id}`
    await admin.browser.open(path)
    await admin.browser.submit(`${path}/limits`, LIMITS)
    expect(admin.browser.text()).toContain('Limits saved.')
    const { entitlements } = await settings()
    expect(entitlements).toEqual({
      Plan: 'custom',
      MaxChecks: 3,
      MaxHeartbeats: 2,
      MaxMembers: 2,
      MaxNotificationChannels: 1,
      MaxTimeoutSec: 25,
      MinIntervalSec: 20,
      RetentionRawDays: 400,
      RetentionRollupDays: 400,
      AllowChannelEmail: false,
      AllowChannelNtfy: false,
      AllowChannelSlack: true,
      AllowChannelWebhook: false,
      ...laterFlags(() => false),
      AllowStatusPage: true,
    })
    await w.checks(org, [{ interval_sec: 20 }, { timeout_sec: 25 }, {}])
    await expect(w.checks(org, [{}])).rejects.toMatchObject({
      message: 'the custom plan allows 3 checks, but this change would make 4; delete checks or change the plan',
    })
    await expect(w.checks(org, [{ interval_sec: 19 }])).rejects.toMatchObject({
      message: '[0].interval_sec must be at least 20 on the custom plan',
    })

    // They are kept on another plan, so that the org can come back to them.
    await admin.browser.submit(`${path}/plan`, { plan: 'team' })
    expect((await settings()).entitlements).toMatchObject({ Plan: 'team', MaxChecks: 100 })
    await admin.browser.submit(`${path}/plan`, { plan: 'custom' })
    expect((await settings()).entitlements).toEqual(entitlements)
  })

  test.each([
    ['max_checks', '-1', 'Max_checks must be a whole number from 0 to 1000000.'],
    ['max_timeout_sec', '61', 'Max_timeout_sec must be a whole number from 1 to 60.'],
    ['min_interval_sec', '0', 'Min_interval_sec must be a whole number from 1 to 86400.'],
    ['retention_days', 'ever', 'Retention_days must be a whole number.'],
  ])('limits with %s %s are refused', async (field, value, line) => {
    const path = `/admin/orgs/${org.org_id}`
    await admin.browser.open(path)
    await admin.browser.submit(`${path}/limits`, { ...LIMITS, [field]: value })
    expect([admin.browser.page.status, faultsOf(admin.browser)]).toEqual([400, [line]])
    expect((await settings()).entitlements).toMatchObject({ Plan: 'free' })
  })

  test('get a price by hand, whatever the plan, and lose it', async () => {
    const path = `/admin/orgs/${org.org_id}`
    await admin.browser.open(path)
    await admin.browser.submit(`${path}/price`, { cents: '1900', period: 'month' })
    expect((await settings()).entitlements).toMatchObject({
      Plan: 'free',
      CustomPriceCents: 1900,
      CustomPricePeriod: 'month',
    })
    await admin.browser.submit(`${path}/price`, { cents: '1900', period: '' })
    expect(Object.keys((await settings()).entitlements)).not.toContain('CustomPriceCents')
  })

  test('that are not there are not found', async () => {
    for (const id of ['0', 'x', '999999999', '99999999999999999999']) {
      expect((await admin.browser.open(`/admin/orgs/${id}`)).status).toBe(404)
    }
  })
})

describe('people', () => {
  const act = async (who: Somebody, verb: string) => {
    await admin.browser.open(`/admin/people?q=${encodeURIComponent(who.email)}`)
    return admin.browser.submit(`/admin/people/${who.person_id}/${verb}`)
  }

  test('are disabled with their sessions and tokens, and enabled again without the sessions', async () => {
    const token = await w.pat(org)
    const reads = async () => (await w.http.get(`${ACCOUNT}/settings`).set('Authorization', `Bearer ${token}`)).status
    await act(alice, 'disable')
    expect([await isOut(alice), await reads()]).toEqual([true, 401])
    await act(alice, 'enable')
    expect([await isOut(alice), await reads()]).toEqual([true, 200])
    expect(await deedsOf(w, org)).toEqual([
      `${admin.email}: person.disable ${alice.email}`,
      `${admin.email}: person.enable ${alice.email}`,
    ])
  })

  test('become admins, and cease to be', async () => {
    const opens = async () => (await alice.browser.open('/admin')).status
    expect(await opens()).toBe(404)
    await act(alice, 'make-admin')
    expect(await opens()).toBe(200)
    await act(alice, 'revoke-admin')
    expect(await opens()).toBe(404)
  })

  test.each(['disable', 'revoke-admin', 'log-in-as'])('no admin does this to themselves: %s', async (verb) => {
    await admin.browser.open('/admin/people')
    const csrf = csrfOf(admin.browser)
    await admin.browser.post(`/admin/people/${admin.person_id}/${verb}`, { csrf })
    expect(admin.browser.page.status).toBeGreaterThanOrEqual(400)
    expect((await admin.browser.open('/admin')).status).toBe(200)
  })
})

describe('logging in as somebody', () => {
  const logIn = async (who: Somebody = alice) => {
    await admin.browser.open(`/admin/orgs/${org.org_id}`)
    return admin.browser.submit(`/admin/people/${who.person_id}/log-in-as`)
  }
  const banner = () => admin.browser.all('.banner p')[0]?.text

  test('shows what they see, under a banner on every page, and is in the log of their org', async () => {
    await logIn()
    for (const path of ['/checks', '/settings', '/settings/members', '/settings/audit', '/account', '/organisations']) {
      await admin.browser.open(path)
      expect([path, admin.browser.page.status, banner()]).toEqual([
        path,
        200,
        expect.stringContaining(`${admin.email}, you are logged in as ${alice.email}.`),
      ])
    }
    expect(await deedsOf(w, org)).toEqual([`${admin.email}: impersonation.start ${alice.email}`])
  })

  test('writes down what is done with both names', async () => {
    await logIn()
    await admin.browser.open('/settings')
    await admin.browser.submit('/settings/rename', { name: 'Renamed' })
    await alice.browser.open('/settings/audit')
    expect(alice.browser.text()).toContain(`${admin.email} (as ${alice.email}) renamed the organisation`)
  })

  test('ends back at the admin’s own session, and the other is dead', async () => {
    await logIn()
    await admin.browser.open('/checks')
    await admin.browser.submit('/sign-out')
    expect([admin.browser.page.path, banner()]).toEqual(['/admin', undefined])
    expect(admin.browser.text()).toContain('Impersonation ended. You are signed in as yourself.')
    expect(await w.rows('select from sessions where impersonator_id = $1', admin.person_id)).toEqual([])
    // And signing out once more ends that, too: nothing is kept in the browser.
    await admin.browser.submit('/sign-out')
    expect((await admin.browser.open('/admin')).path).toMatch(/^\/sign-in/)
  })

  test('ends by itself after an hour', async () => {
    await logIn()
    w.clock.forward(3599)
    await admin.browser.open('/checks')
    expect(banner()).toBeDefined()
    w.clock.forward(1)
    expect((await admin.browser.open('/admin')).status).toBe(200)
    expect(banner()).toBeUndefined()
  })

  test('a form drawn as somebody else is not sent as the admin', async () => {
    await logIn()
    await admin.browser.open('/settings')
    w.clock.forward(3600)
    await admin.browser.submit('/settings/rename', { name: 'Renamed' })
    expect(admin.browser.page.status).toBe(403)
  })

  test('leads nowhere when the admin’s own session has ended meanwhile', async () => {
    await logIn()
    await w.rows('delete from sessions where person_id = $1', admin.person_id)
    await admin.browser.open('/checks')
    await admin.browser.submit('/sign-out')
    expect(admin.browser.page.path).toMatch(/^\/sign-in/)
  })

  test('ends with the admin’s being one', async () => {
    await logIn()
    await w.rows('update people set is_admin = false where person_id = $1', admin.person_id)
    await admin.browser.open('/admin')
    expect([admin.browser.page.status, banner()]).toEqual([404, undefined])
  })

  test('is not possible with an admin or one who is disabled', async () => {
    const other = await adminOf(w)
    const disabled = await memberOf(w, await w.org())
    await switchPerson(w.deps, disabled.email, false)
    for (const [who, status, line] of [
      [other, 403, 'You cannot log in as a user who is also an admin.'],
      [disabled, 400, 'This account is disabled'],
    ] as const) {
      await admin.browser.open('/admin')
      await admin.browser.post(`/admin/people/${who.person_id}/log-in-as`, { csrf: csrfOf(admin.browser) })
      expect([admin.browser.page.status, admin.browser.text()]).toEqual([status, expect.stringContaining(line)])
    }
    expect(await w.rows('select from sessions where impersonator_id = $1', admin.person_id)).toEqual([])
  })

  test('gives none of what is a person’s own', async () => {
    await logIn()
    expect((await admin.browser.open('/admin')).status).toBe(404)
    await admin.browser.open('/account')
    expect(admin.browser.all('main form')).toEqual([])
    const csrf = csrfOf(admin.browser)
    for (const [path, fields] of [
      ['/account/sign-out-everywhere', {}],
      ['/account/password', { present: 'x', wanted: 'long enough it is' }],
      ['/settings/api-tokens', { name: 'mine' }],
    ] as const) {
      await admin.browser.post(path, { ...fields, csrf })
      expect([path, admin.browser.page.status]).toEqual([path, 403])
    }
    expect(await isOut(alice)).toBe(false)
  })
})

describe('what is found is read a hundred at a time', () => {
  /** The rows of each page, from the first to the last. */
  async function walk(path: string): Promise<string[][]> {
    const seen = []
    for (let next: string | undefined = path; next !== undefined && seen.length < 10; ) {
      await admin.browser.open(next)
      seen.push(admin.browser.all('tbody tr').map((line) => line.querySelectorAll('td')[0]?.text ?? ''))
      next = admin.browser.all('a[rel=next]')[0]?.getAttribute('href')?.replaceAll('&amp;', '&')
    }
    return seen
  }

  test('people, newest first, each once', async () => {
    await w.rows("insert into people (email) select 'crowd-' || n || '@example.com' from generate_series(1, 250) n")
    const all = Array.from({ length: 250 }, (_, i) => `crowd-${250 - i}@example.com`)
    const pages = await walk('/admin/people?q=CROWD-')
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 50])
    expect(pages.flat()).toEqual(all)
    await admin.browser.open('/admin/people?q=CROWD-&before=nonsense')
    expect(admin.browser.all('tbody tr')).toHaveLength(100)
  })

  test('organisations, newest first, each once', async () => {
    await w.rows(`
      with made as (
        insert into organisations (name, plan) select 'Crowd ' || n, 'free' from generate_series(1, 200) n returning org_id)
      insert into memberships (org_id, person_id, is_owner) select org_id, ${alice.person_id}, true from made`)
    const pages = await walk('/admin?q=crowd%20')
    expect(pages.map(({ length }) => length)).toEqual([100, 100])
    expect(pages.flat()).toEqual(Array.from({ length: 200 }, (_, i) => `Crowd ${200 - i}`))
  })
})

describe('the shared fleet', () => {
  test('takes in whoever has a token, for an hour', async () => {
    await admin.browser.open('/admin/fleet')
    await admin.browser.submit('/admin/fleet/tokens')
    const token = admin.browser.all('#token')[0]?.text.trim() ?? ''
    const enroll = () =>
      new MonitorClient({ baseUrl: w.url, token, retries: 0 }).enroll({ ...PLACE, name: 'shared one' })
    const { monitor_id } = await enroll()
    await admin.browser.open('/admin/fleet')
    expect(admin.browser.page.html).not.toContain('dogwatch_enroll_')
    expect(admin.browser.text()).toContain(monitor_id)
    w.clock.forward(3600)
    await expect(enroll()).rejects.toMatchObject({ status: 401 })
    await admin.browser.open('/admin/fleet')
    expect(admin.browser.all('form[action$="/revoke"]')).toEqual([])
  })

  test('a token is revoked', async () => {
    await admin.browser.open('/admin/fleet')
    await admin.browser.submit('/admin/fleet/tokens')
    const token = admin.browser.all('#token')[0]?.text.trim() ?? ''
    await admin.browser.submit('/admin/fleet/tokens/revoke')
    const client = new MonitorClient({ baseUrl: w.url, token, retries: 0 })
    await expect(client.enroll({ ...PLACE, name: 'late' })).rejects.toMatchObject({ status: 401 })
  })
})

describe('the kill switch', () => {
  test('stops a shared monitor, and lets it go on', async () => {
    const { id, client } = await w.monitor(null)
    await admin.browser.open('/admin/fleet')
    await admin.browser.submit(`/admin/fleet/${id}/kill-switch`)
    await expect(client.ping()).rejects.toMatchObject({ status: 403 })
    await admin.browser.submit(`/admin/fleet/${id}/kill-switch`)
    await client.ping()
  })

  test('stops a monitor of an org, which finds it in its log', async () => {
    const { id, client } = await w.monitor(org)
    await admin.browser.open(`/admin/orgs/${org.org_id}`)
    await admin.browser.submit(`/admin/orgs/${org.org_id}/monitors/${id}/kill-switch`)
    await expect(client.ping()).rejects.toMatchObject({ status: 403 })
    expect(await deedsOf(w, org)).toEqual([expect.stringContaining(`${admin.email}: monitor.disable`)])
  })

  test('stops a heartbeat of an org', async () => {
    const job = { name: 'job', interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
    const { guid } = await createHeartbeat(w.deps, org.org_id, job)
    await admin.browser.open(`/admin/orgs/${org.org_id}`)
    await admin.browser.submit(`/admin/orgs/${org.org_id}/heartbeats/${guid}/kill-switch`)
    expect(await w.rows('select enabled, platform_enabled from heartbeats where guid = $1', guid)).toEqual([
      { enabled: true, platform_enabled: false },
    ])
  })

  test('of what the org does not have is not found', async () => {
    const { id } = await w.monitor(await w.org())
    await admin.browser.open(`/admin/orgs/${org.org_id}`)
    const csrf = csrfOf(admin.browser)
    for (const name of [id, 'x', 'a%00b']) {
      await admin.browser.post(`/admin/orgs/${org.org_id}/monitors/${name}/kill-switch`, { csrf, on: 'no' })
      expect(admin.browser.page.status).toBe(404)
    }
  })
})

test('a person without any org sees where to go on', async () => {
  const bob = await memberOf(w, await w.org())
  await w.rows('delete from memberships where person_id = $1', bob.person_id)
  const browser = new Browser(w.direct, await openSession(w.deps, bob.person_id))
  await browser.open('/')
  expect(browser.page.path).toBe('/organisations')
})
