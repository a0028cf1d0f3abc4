// Roles of members: who gives them, what they end, and what a member who may only read sees.

import { findRoute } from '@dogwatch/console/find-route'
import type { Access } from '@dogwatch/console/route'
import { invite } from '@dogwatch/domain/organisations/invitations'
import { addMember, setRole } from '@dogwatch/domain/organisations/members'
import { setOwner } from '@dogwatch/domain/organisations/organisation'
import type { GivenRole } from '@dogwatch/domain/organisations/roles'
import { findViewer, openSession, type Viewer } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { mayUse } from '../../../console/src/access.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { fullOrg } from '../browser/full-org.ts'
import { Browser } from '../support/browser.ts'
import { deedsOf, ownerOf } from '../support/console.ts'
import { ACCOUNT, type Org, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

let count = 0

async function somebody(org: Org, role: GivenRole) {
  const email = `${role}-${count++}@example.com`
  const { person_id } = await addMember(w.deps, org.org_id, email, role)
  const session = await openSession(w.deps, person_id, org.org_id)
  const viewer = (await findViewer(w.deps, session)) as Viewer
  return { person_id, email, session, viewer, browser: new Browser(w.direct, session) }
}

const roleIn = async ({ org_id }: Org, person_id: number) =>
  (await w.rows('select role from memberships where org_id = $1 and person_id = $2', org_id, person_id))[0]?.role

test('no page shows a member who may only read a link or a form that would be refused', async () => {
  const org = await fullOrg(w)
  const { browser, viewer } = await somebody(org, 'read_only')
  const isOpen = (access: Access) => access === 'reader' || access === 'person'
  // The parts on /design stand for themselves.
  const pages = ROUTES.filter(({ method, path, access }) => method === 'GET' && isOpen(access) && path !== '/design')
  expect(pages.length).toBeGreaterThan(15)
  const refused: string[] = []
  const visit = async (path: string) => {
    await browser.open(path)
    expect({ path, status: browser.page.status }).toEqual({ path, status: 200 })
    for (const [method, selector, attribute] of [
      ['GET', 'a[href^="/"]', 'href'],
      ['POST', 'form[method=post]', 'action'],
      ['POST', 'button[formaction]', 'formaction'],
      ['GET', 'form:not([method=post])[action^="/"]', 'action'],
      ['GET', '[data-poll]', 'data-poll'],
    ] as const) {
      for (const one of browser.all(selector)) {
        const to = one.getAttribute(attribute) ?? ''
        const route = findRoute(method, to)
        if (route && !mayUse(route.access, viewer)) refused.push(`${path}: ${method} ${to}`)
      }
    }
    const dead = browser
      .all('main details')
      .filter((one) => one.querySelector('form, a, table, pre, p, dl, ul') === null)
    const outside = browser.all('main :is(button[type=submit], input, select, textarea)').filter((one) => {
      const id = one.getAttribute('form')
      return one.closest('form') === null && (id === undefined || browser.all(`form[id="${id}"]`).length === 0)
    })
    refused.push(...[...dead, ...outside].map((one) => `${path}: leads nowhere: ${one.toString().slice(0, 120)}`))
  }
  for (const { path } of pages) {
    const [, name] = /:(\w+)/.exec(path) ?? []
    const [first] = name === undefined ? [''] : (org.params[name] ?? [])
    const filled = path.replace(/:(\w+)/g, (_, one: string) => org.params[one]?.[0] ?? `no ${one}`)
    if (first !== undefined && !/no /.test(filled)) await visit(filled)
  }
  expect(refused).toEqual([])
  // The pages are whole nevertheless.
  await browser.open('/checks')
  expect(browser.text()).toContain('certificate')
})

describe('who gives which role', () => {
  test('the owner gives every role, and each change is written down', async () => {
    const org = await w.org()
    const { browser } = await ownerOf(w, org)
    const bob = await somebody(org, 'member')
    await browser.open('/settings/members')
    for (const role of ['admin', 'read_only', 'member']) {
      await browser.submit(`/settings/members/${bob.person_id}/role`, { role })
      expect([browser.page.status, await roleIn(org, bob.person_id)]).toEqual([200, role])
    }
    expect((await deedsOf(w, org)).map((line) => line.replace(/^.*: /, ''))).toEqual(
      Array.from({ length: 3 }, () => `member.role ${bob.email}`),
    )
    await browser.submit(`/settings/members/${bob.person_id}/role`, { role: 'emperor' })
    expect([browser.page.status, await roleIn(org, bob.person_id)]).toEqual([400, 'member'])
  })

  test('an admin manages members, and neither admins nor the owner', async () => {
    const org = await w.org()
    const [admin, other, bob] = [
      await somebody(org, 'admin'),
      await somebody(org, 'admin'),
      await somebody(org, 'member'),
    ]
    await setRole(w.deps, org.org_id, bob, 'read_only', admin.viewer)
    expect(await roleIn(org, bob.person_id)).toBe('read_only')
    const onlyOwner = 'only the organisation owner can add or remove admins'
    await expect(setRole(w.deps, org.org_id, bob, 'admin', admin.viewer)).rejects.toThrow(onlyOwner)
    await expect(setRole(w.deps, org.org_id, other, 'member', admin.viewer)).rejects.toThrow(onlyOwner)
    await expect(setRole(w.deps, org.org_id, { person_id: org.owner_id }, 'member', admin.viewer)).rejects.toThrow(
      'transfer ownership first',
    )
    await expect(invite(w.deps, org.org_id, 'new@example.com', admin.viewer, 'admin')).rejects.toThrow(
      'only the organisation owner can invite admins',
    )
    await admin.browser.open('/settings/members')
    const targets = admin.browser.all('form[action$="/role"]').map((form) => form.getAttribute('action'))
    expect(targets).toEqual([`/settings/members/${bob.person_id}/role`])
    await admin.browser.post(`/settings/members/${other.person_id}/remove`, {
      csrf: admin.browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? '',
    })
    expect([admin.browser.page.status, await roleIn(org, other.person_id)]).toEqual([403, 'admin'])
  })

  test('a role that was lost while a form was on its way counts no more', async () => {
    const org = await w.org()
    const [admin, bob] = [await somebody(org, 'admin'), await somebody(org, 'member')]
    await setRole(w.deps, org.org_id, admin, 'member')
    await expect(setRole(w.deps, org.org_id, bob, 'read_only', admin.viewer)).rejects.toThrow('only owners and admins')
    await expect(invite(w.deps, org.org_id, 'new@example.com', admin.viewer)).rejects.toThrow('only owners and admins')
  })
})

test('whoever may only read from now on loses invitations and enrollment tokens, and keeps reading by tokens', async () => {
  const org = await w.org()
  const first = await ownerOf(w, org)
  const heir = await somebody(org, 'admin')
  const token = await w.pat(org)
  await invite(w.deps, org.org_id, 'guest@example.com', heir.viewer)
  await w.rows('update enrollment_tokens set created_by = $1', heir.person_id)
  await w.token(org)
  await w.rows('update enrollment_tokens set created_by = $1 where org_id = $2', first.person_id, org.org_id)
  await setOwner(w.deps, org.org_id, heir.email)
  await setRole(w.deps, org.org_id, first, 'read_only')
  expect(await w.rows('select from enrollment_tokens where org_id = $1 and revoked_at is null', org.org_id)).toEqual([])
  const read = await w.http.get(`${ACCOUNT}/members`).set('Authorization', `Bearer ${token}`)
  expect([read.status, read.body.length]).toEqual([200, 2])
})

test('an invitation gives the role that it was sent with', async () => {
  const org = await w.org()
  const { browser } = await ownerOf(w, org)
  await browser.open('/settings/members')
  await browser.submit('/settings/members/invite', { email: 'boss@example.com', role: 'read_only' })
  const [, link = ''] = /(\/invitations\/\w+)/.exec(browser.page.html) ?? []
  const guest = new Browser(w.direct)
  await guest.open(link)
  await guest.submit(link, { password: 'correct horse battery' })
  expect(guest.page.path).toBe('/')
  const rows = await w.rows(
    "select m.role from memberships m join people p using (person_id) where m.org_id = $1 and p.email = 'boss@example.com'",
    org.org_id,
  )
  expect(rows).toEqual([{ role: 'read_only' }])
})
