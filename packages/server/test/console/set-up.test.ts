// A fresh server belongs to whoever opens the link that it prints, once; and who may sign up afterwards.

import { findLocalMonitor } from '@dogwatch/domain/monitors/local-monitor'
import { invite } from '@dogwatch/domain/organisations/invitations'
import { createOrganisation } from '@dogwatch/domain/organisations/organisation'
import { suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { setAdmin } from '@dogwatch/domain/people/edit'
import { createSetUpLink } from '@dogwatch/domain/people/first-person'
import type { SignUpMode } from '@dogwatch/domain/people/sign-up-mode'
import { forgetLeftovers } from '@dogwatch/domain/retention/prune'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { liveOn } from '../../../api/test/retention/rows.ts'
import { Browser } from '../support/browser.ts'
import { faultsOf } from '../support/console.ts'
import { type World, world } from '../support/world.ts'

const ALICE = { email: 'alice@example.com', password: 'correct horse battery', org_name: 'Wonderland' }

const pagesOf = (sign_up: SignUpMode) => world({ console: { sign_up, default_plan: 'unlimited' } })

let w: World
beforeAll(async () => {
  w = await pagesOf('invited')
})
afterAll(() => w.close())

let processes = 0
/** Of a process of its own, unless one is named. */
async function link(of = w, printed_by = `web:${++processes}`): Promise<string> {
  return `/set-up/${await createSetUpLink(of.deps, printed_by)}`
}

async function setUp(path: string, fields = ALICE): Promise<Browser> {
  const browser = new Browser(w.direct)
  await browser.open(path)
  if (browser.page.status === 200) await browser.submit(path, fields)
  return browser
}

/** As nobody had ever been here. */
async function empty(): Promise<void> {
  await w.rows('delete from memberships')
  await w.rows('delete from sessions')
  await w.rows('delete from invitations')
  await w.rows('delete from people')
  await w.rows('delete from set_up_links')
  await w.rows('delete from rate_limits')
  await w.rows('update server_set_up set done_at = null, first_org_id = null')
}

describe('setting up', () => {
  beforeEach(empty)

  test('makes an admin of the server who owns the first organisation, without limits, and signs them in', async () => {
    const browser = await setUp(await link())
    expect([browser.page.path, browser.text()]).toEqual(['/', expect.stringContaining('Server set up.')])
    expect(await w.rows('select email, is_admin from people')).toEqual([{ email: ALICE.email, is_admin: true }])
    const [org] = await w.rows('select org_id, plan from organisations where name = $1 order by 1 desc', 'Wonderland')
    expect(org).toMatchObject({ plan: 'custom' })
    expect(await w.rows('select first_org_id from server_set_up')).toEqual([{ first_org_id: org?.org_id }])
    expect((await browser.open('/admin')).status).toBe(200)
    await browser.open('/settings')
    expect(browser.text()).toMatch(/Minimum check interval\s+10 s/)
  })

  test('is closed for good afterwards: for the link that was used, for others, and for whoever deletes everybody', async () => {
    const [first, second] = [await link(), await link()]
    await setUp(first)
    for (const path of [first, second]) expect((await setUp(path)).page.status).toBe(404)
    await w.rows('delete from memberships')
    await w.rows('delete from sessions')
    await w.rows('delete from people')
    expect(await createSetUpLink(w.deps, 'web:1')).toBeUndefined()
    expect(await w.rows('select from set_up_links')).toEqual([])
  })

  test('is won by one of two people who race for it, by one link or by two', async () => {
    for (const count of [1, 2]) {
      const links = [await link(), await link()].slice(0, count)
      const browsers = await Promise.all(
        [0, 1].map(async (i) => {
          const [browser, path] = [new Browser(w.direct), links[i % links.length] ?? '']
          await browser.open(path)
          return { browser, path, email: `racer-${i}@example.com` }
        }),
      )
      const pages = await Promise.all(
        browsers.map(({ browser, path, email }) => browser.submit(path, { ...ALICE, email })),
      )
      expect(pages.map(({ status }) => status).sort()).toEqual([200, 404])
      expect(await w.rows('select is_admin from people')).toEqual([{ is_admin: true }])
      await empty()
    }
  })

  test('a form that cannot be right is told so, and the link stays open', async () => {
    const path = await link()
    const browser = await setUp(path, { ...ALICE, password: 'short' })
    expect([browser.page.status, faultsOf(browser)]).toEqual([400, ['“Password” must be 10 to 1024 characters long.']])
    expect((await setUp(path)).page.path).toBe('/')
  })

  test('each process prints a link of its own; all of them work for a day, the newest twenty', async () => {
    const old = await link()
    w.clock.forward(1)
    const links = []
    for (let i = 0; i < 20; i++) links.push(await link())
    expect((await setUp(old)).page.status).toBe(404)
    expect((await new Browser(w.direct).open(links[0] ?? '')).status).toBe(200)
    w.clock.forward(86_400)
    expect((await setUp(links[0] ?? '')).page.status).toBe(404)
    await liveOn(w)
    await forgetLeftovers(w.deps)
    expect(await w.rows('select from set_up_links')).toEqual([])
    expect((await setUp(await link())).page.path).toBe('/')
  })

  test('a process that is restarted prints another link, which ends its own before and no other', async () => {
    const [before, neighbour] = [await link(w, 'web:8081'), await link(w, 'web:8082')]
    const after = await link(w, 'web:8081')
    const statuses = []
    for (const path of [before, neighbour, after]) statuses.push((await new Browser(w.direct).open(path)).status)
    expect(statuses).toEqual([404, 200, 200])
  })

  test('only the hash of a link is stored', async () => {
    const token = (await createSetUpLink(w.deps, 'web:1')) ?? ''
    expect(token).toMatch(/^dogwatch_setup_/)
    const [row] = await w.rows('select encode(token_hash, $1) as hash, l::text as text from set_up_links l', 'escape')
    expect(JSON.stringify(row)).not.toContain(token.slice(15, 40))
  })

  test('is not needed once an operator has made an organisation', async () => {
    const path = await link()
    const { org_id } = await createOrganisation(w.deps, { name: 'Acme', plan: 'team', owner_email: 'o@example.com' })
    expect((await setUp(path)).page.status).toBe(404)
    expect(await w.rows('select first_org_id from server_set_up')).toEqual([{ first_org_id: org_id }])
  })

  test('the page to sign in says so while nobody has', async () => {
    const browser = new Browser(w.direct)
    await browser.open('/')
    expect([browser.page.path, browser.text()]).toEqual(['/sign-in?to=%2F', expect.stringContaining('not set up yet')])
    await setUp(await link())
    await browser.open('/sign-in')
    expect(browser.text()).not.toContain('not set up yet')
  })
})

describe('signing up', () => {
  const INVITED = { password: 'correct horse battery' }

  async function invited(of: World, email: string): Promise<string> {
    const org = await of.org()
    const by = { person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null }
    return `/invitations/${(await invite(of.deps, org.org_id, email, by)).token}`
  }

  async function statusesIn(of: World, email: string): Promise<{ page: number; invitation: number; people: number }> {
    const [stranger, guest] = [new Browser(of.direct), new Browser(of.direct)]
    const { status } = await stranger.open('/sign-up')
    if (status === 200) await stranger.submit('/sign-up', { ...ALICE, email: `open-${email}` })
    const path = await invited(of, email)
    await guest.open(path)
    const csrf = guest.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    const joined = csrf === '' ? 403 : (await guest.post(path, { csrf, ...INVITED })).status
    const people = await of.rows('select from people where email like $1', `%${email}`)
    return { page: status, invitation: joined, people: people.length }
  }

  test('open: everybody may, and whoever is invited', async () => {
    const open = await pagesOf('open')
    try {
      expect(await statusesIn(open, 'bob@example.com')).toEqual({ page: 200, invitation: 200, people: 2 })
    } finally {
      await open.close()
    }
  })

  test('invited: only whoever has the link of an invitation; the page to sign in offers nothing else', async () => {
    await empty()
    expect(await statusesIn(w, 'bob@example.com')).toEqual({ page: 403, invitation: 200, people: 1 })
    const browser = new Browser(w.direct)
    await browser.open('/sign-in')
    const csrf = browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    expect(browser.text()).not.toContain('Sign up')
    expect((await browser.post('/sign-up', { csrf, ...ALICE })).status).toBe(403)
  })

  test('closed: nobody; but who has an account still accepts an invitation', async () => {
    const closed = await pagesOf('closed')
    try {
      expect(await statusesIn(closed, 'bob@example.com')).toEqual({ page: 403, invitation: 403, people: 0 })
      const { email } = await closed.org().then(async ({ owner_id }) => {
        const [row] = await closed.rows('select email from people where person_id = $1', owner_id)
        return row as { email: string }
      })
      const path = await invited(closed, email)
      const guest = new Browser(closed.direct)
      await guest.open(path)
      expect(guest.text()).toContain(`Sign in as ${email}`)
      expect(guest.text()).not.toContain('Sign up')
    } finally {
      await closed.close()
    }
  })

  test('an address that somebody signed up with and never verified is given no organisation by an operator', async () => {
    const open = await pagesOf('open')
    try {
      const browser = new Browser(open.direct)
      await browser.open('/sign-up')
      await browser.submit('/sign-up', ALICE)
      const acme = { name: 'Acme', plan: 'team', owner_email: ALICE.email }
      await expect(createOrganisation(open.deps, acme)).rejects.toThrow(/never verified/)
      await open.rows('update people set email_proved_at = now()')
      await createOrganisation(open.deps, acme)
    } finally {
      await open.close()
    }
  })
})

describe('the built-in monitor', () => {
  beforeEach(empty)
  const found = (id?: string) => findLocalMonitor(w.deps, id)

  test('waits for somebody to set the server up, and joins their organisation and no other', async () => {
    expect(await found()).toEqual({ kind: 'none', isSoon: true })
    await setUp(await link())
    const [state] = await w.rows('select first_org_id from server_set_up')
    await w.org()
    expect(await found()).toEqual({ kind: 'new', org_id: state?.first_org_id })
  })

  test('joins no organisation of strangers: if none was set up first, that of an admin', async () => {
    const [stranger, own] = [await w.org(), await w.org()]
    await w.rows('update server_set_up set first_org_id = null')
    expect(await found()).toEqual({ kind: 'none', isSoon: false })
    const [row] = await w.rows('select email from people where person_id = $1', own.owner_id)
    await setAdmin(w.deps, String(row?.email), true)
    expect(await found()).toEqual({ kind: 'new', org_id: own.org_id })
    expect(stranger.org_id).toBeLessThan(own.org_id)
  })

  test('is over when its organisation is deleted or it was removed, and waits while the organisation is suspended', async () => {
    const org = await w.org()
    const monitor = await w.monitor(org)
    expect(await found(monitor.id)).toEqual({ kind: 'enrolled' })
    await w.rows('update monitors set key_hash = null where id = $1', monitor.id)
    expect(await found(monitor.id)).toEqual({ kind: 'reset', org_id: org.org_id, monitor_id: monitor.id })
    await w.rows('update monitors set retired_at = now() where id = $1', monitor.id)
    expect(await found(monitor.id)).toEqual({ kind: 'over', why: `monitor ${monitor.id} was removed` })
    expect(await found('000000000000')).toEqual({ kind: 'unknown' })
    await suspendOrganisation(w.deps, org.org_id)
    expect(await found()).toEqual({ kind: 'none', isSoon: false })
    await w.rows('update server_set_up set first_org_id = 999999')
    expect(await found(monitor.id)).toEqual({ kind: 'over', why: 'organisation 999999 was deleted' })
  })
})
