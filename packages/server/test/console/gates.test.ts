// Every route of the console, from its own table: a new one is tried by itself.

import type { Access, Route } from '@dogwatch/console/route'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { createWindow } from '@dogwatch/domain/maintenance/edit'
import { addMember } from '@dogwatch/domain/organisations/members'
import { createPersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { setAdmin } from '@dogwatch/domain/people/edit'
import { openSession } from '@dogwatch/domain/people/sessions'
import { createRoute } from '@dogwatch/domain/routing/edit'
import { systemRandom } from '@dogwatch/runtime/random'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { csrfToken } from '../../../console/src/csrf.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { byEntry, PAGES } from '../access/who-may.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let ours: Org
let theirs: Org
/** What `:name` in a path stands for, in the other org. */
let foreign: Readonly<Record<string, string>>
let reader: string
let member: string
let manager: string
let owner: string
let admin: string
let outsider: string

beforeAll(async () => {
  w = await world()
  ours = await w.org()
  theirs = await w.org()
  foreign = await everythingOf(theirs)
  const { person_id } = await addMember(w.deps, ours.org_id, 'member@example.com')
  const { person_id: admin_id } = await addMember(w.deps, ours.org_id, 'admin@example.com')
  await setAdmin(w.deps, 'admin@example.com', true)
  const sessionOf = async (role: 'read_only' | 'admin') => {
    const { person_id: id } = await addMember(w.deps, ours.org_id, `${role}-here@example.com`, role)
    return openSession(w.deps, id, ours.org_id)
  }
  ;[reader, manager] = [await sessionOf('read_only'), await sessionOf('admin')]
  owner = await openSession(w.deps, ours.owner_id, ours.org_id)
  member = await openSession(w.deps, person_id, ours.org_id)
  admin = await openSession(w.deps, admin_id, ours.org_id)
  outsider = await openSession(w.deps, ours.owner_id, ours.org_id)
})
afterAll(() => w.close())

async function everythingOf(org: Org): Promise<Record<string, string>> {
  const [check = ''] = await w.checks(org, [{}])
  const heartbeat = { name: 'job', interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
  const channel = await createChannel(w.deps, org.org_id, { kind: 'email', name: 'us', email: 'us@example.com' })
  const steps = [{ after_sec: 0, channel_ids: [channel.id] }]
  const when = { events: [], severity: null, quiet: null, delay_sec: 0, enabled: true }
  const route = await createRoute(w.deps, org.org_id, { name: 'ops', scope: { all: true }, ...when, steps })
  const night = { name: 'night', scope: { all: true } as const, is_public: true, zone: 'UTC', duration_sec: 3600 }
  const window = await createWindow(w.deps, org.org_id, { ...night, starts_at: '2027-01-01T02:00', rule: 'FREQ=DAILY' })
  await createPersonalToken(w.deps, org.org_id)
  const [token] = await w.rows('select token_id from personal_access_tokens where org_id = $1', org.org_id)
  const { person_id } = await addMember(w.deps, org.org_id, 'theirs@example.com')
  const [invitation] = await w.rows(
    `insert into invitations (org_id, token_hash, email, invited_by, created_at, expires_at)
     values ($1, '\\x00', 'guest@example.com', $2, now(), now() + interval '1 year') returning invitation_id`,
    org.org_id,
    org.owner_id,
  )
  const [incident] = await w.rows(
    `insert into incidents (org_id, incident_id, check_id, began_at, told_at)
     select org_id, 'b4c1d2e3-0000-4000-8000-000000000001', check_id, now(), now() from checks where guid = $1 returning incident_id`,
    check,
  )
  return {
    check,
    incident: String(incident?.incident_id),
    note: '1',
    heartbeat: (await createHeartbeat(w.deps, org.org_id, heartbeat)).guid,
    monitor: (await w.monitor(org)).id,
    run: 'unknown',
    channel: String(channel.id),
    route: route.guid,
    window: window.guid,
    token: String(token?.token_id),
    member: String(person_id),
    invitation: String(invitation?.invitation_id),
  }
}

const whoMay = byEntry(PAGES)
/** Each route with the access that was written down for it; one that nobody wrote down must be closed to everybody but admins. */
const named = ROUTES.map((route) => {
  const name = `${route.method} ${route.path}`
  return { ...route, access: whoMay.get(name) ?? 'admin', name }
})
const HOLDER: Readonly<Record<Access, () => string>> = {
  anyone: () => owner,
  person: () => member,
  reader: () => reader,
  member: () => member,
  org_admin: () => manager,
  owner: () => owner,
  admin: () => admin,
}

function pathOf({ path }: Pick<Route, 'path'>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    // What is public and what admins name is not an org's own.
    const value = { ...foreign, org: String(theirs.org_id), person: String(theirs.owner_id), secret: 'unknown' }[name]
    if (value === undefined) throw new Error(`this test has no :${name}: teach it one of another org`)
    return value
  })
}

async function request(route: Route, session: string | undefined, body?: Record<string, string>): Promise<Response> {
  return fetch(w.direct + pathOf(route), {
    method: route.method,
    redirect: 'manual',
    headers: { accept: 'text/html', ...(session !== undefined && { cookie: `dogwatch-session=${session}` }) },
    ...(route.method === 'POST' && { body: new URLSearchParams(body) }),
  })
}

/** A kind of route of which there is none yet has nothing to try. */
function tryEach(rows: typeof named, fact: (route: Route) => Promise<void>): void {
  if (rows.length === 0) test('there is none yet', () => expect(rows).toEqual([]))
  else test.each(rows)('$name', fact)
}

describe('a stranger gets no further than the sign-in page', () => {
  tryEach(
    named.filter(({ access }) => access !== 'anyone'),
    async (route) => {
      const response = await request(route, undefined)
      if (route.method === 'POST') expect(response.status).toBe(401)
      else expect([response.status, response.headers.get('location')?.split('?')[0]]).toEqual([303, '/sign-in'])
    },
  )
})

describe('a form without its token, or with that of another org, is refused', () => {
  tryEach(
    named.filter(({ method, isOneClick }) => method === 'POST' && !isOneClick),
    async (route) => {
      const session = HOLDER[route.access]()
      for (const csrf of [
        undefined,
        '',
        'x',
        csrfToken(session, theirs.org_id, systemRandom),
        csrfToken(outsider, ours.org_id, systemRandom),
      ]) {
        const response = await request(route, session, csrf === undefined ? {} : { csrf })
        expect({ csrf, status: response.status }).toEqual({ csrf, status: 403 })
      }
    },
  )
})

const OF_ORG: readonly Access[] = ['reader', 'member', 'org_admin', 'owner']
const ROLES: readonly (readonly [role: string, session: () => string, most: Access])[] = [
  ['a member who may only read', () => reader, 'reader'],
  ['a member', () => member, 'member'],
  ['an admin of the organisation', () => manager, 'org_admin'],
  ['the owner', () => owner, 'owner'],
]

describe.each(ROLES)('%s may do what their role allows, and nothing else', (_, session, most) => {
  tryEach(
    named.filter(({ access }) => OF_ORG.includes(access)),
    async (route) => {
      // Without a token no form does anything, and the role is asked about first.
      const response = await request(route, session())
      const text = await response.text()
      const isRefused =
        response.status === 403 && /only (the (organisation )?owner|owners)|read-only|can only read/i.test(text)
      expect({ path: route.path, isRefused }).toEqual({
        path: route.path,
        isRefused: OF_ORG.indexOf(route.access) > OF_ORG.indexOf(most),
      })
    },
  )
})

test('who may only read sends no form of the organisation but the one to leave it', () => {
  expect(PAGES.reader.filter((name) => name.startsWith('POST'))).toEqual(['POST /settings/leave'])
})

describe('who is no admin does not learn that there are pages for them', () => {
  tryEach(
    named.filter(({ access }) => access === 'admin'),
    async (route) => {
      const response = await request(route, owner, { csrf: csrfToken(owner, ours.org_id, systemRandom) })
      expect(response.status).toBe(404)
    },
  )
})

describe('what belongs to another org is not there', () => {
  const ofAnOrg = named.filter(({ access, path }) => OF_ORG.includes(access) && path.includes(':'))
  tryEach(ofAnOrg, async (route) => {
    const session = HOLDER[route.access]()
    const response = await request(route, session, { csrf: csrfToken(session, ours.org_id, systemRandom) })
    expect(response.status).toBe(404)
  })
})

test('no page may be framed, sniffed, cached or run foreign code', async () => {
  const response = await fetch(`${w.direct}/sign-in`)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  expect(response.headers.get('content-security-policy')).not.toMatch(/unsafe/)
})

test('a path that is no text is unknown', async () => {
  const headers = { accept: 'text/html', cookie: `dogwatch-session=${owner}` }
  expect((await fetch(`${w.direct}/channels/%ED%A0%80`, { headers })).status).toBe(404)
})

describe('the size of a form', () => {
  const KIBIBYTE = 1024
  const statusOf = async (path: string, bytes: number, session?: string) => {
    const headers = { accept: 'text/html', ...(session !== undefined && { cookie: `dogwatch-session=${session}` }) }
    const body = 'csrf='.padEnd(bytes, 'x')
    return (await fetch(w.direct + path, { method: 'POST', headers, body })).status
  }

  test.each([
    ['/channels/new', 128],
    ['/sign-in', 16],
    ['/sign-up', 16],
    ['/checks/import', 1024],
    ['/checks/import/confirm', 1024],
    ['/checks/new', 1024],
  ])('%s takes %i KiB to the byte, and one more is refused as such', async (path, most) => {
    expect(await statusOf(path, most * KIBIBYTE, owner)).toBe(403)
    expect(await statusOf(path, most * KIBIBYTE + 1, owner)).toBe(413)
  })

  test('matters only for whoever may send it: others are told that they may not', async () => {
    expect(await statusOf('/channels/new', 5 * KIBIBYTE * KIBIBYTE)).toBe(401)
    expect(await statusOf('/settings/members/invite', 5 * KIBIBYTE * KIBIBYTE, member)).toBe(403)
  })

  test.each([
    ['/sign-in', 50],
    ['/channels/new', 500],
    ['/checks/import', 5_000],
    ['/settings/status-page/entries', 500],
  ])('%s takes %i fields, and one more is refused before any is read', async (path, most) => {
    const send = async (pairs: number) => {
      const headers = { accept: 'text/html', cookie: `dogwatch-session=${owner}` }
      return (await fetch(w.direct + path, { method: 'POST', headers, body: 'a&'.repeat(pairs - 1) })).status
    }
    expect([await send(most), await send(most + 1), await send(60_000)]).toEqual([403, 413, 413])
  })

  test('what a browser calls foreign is refused unread', async () => {
    const headers = {
      accept: 'text/html',
      cookie: `dogwatch-session=${owner}`,
      'sec-fetch-site': 'cross-site',
      'content-encoding': 'unknown',
    }
    const { status } = await fetch(`${w.direct}/channels/new`, { method: 'POST', headers, body: 'a=b' })
    expect(status).toBe(403)
  })

  test('a form of an encoding that nobody knows cannot be read', async () => {
    const headers = {
      accept: 'text/html',
      'content-type': 'text/plain; charset=klingon',
      cookie: `dogwatch-session=${owner}`,
    }
    const response = await fetch(`${w.direct}/channels/new`, { method: 'POST', headers, body: 'csrf=x' })
    expect([response.status, await response.text()]).toEqual([
      415,
      expect.stringContaining('his form could not be read'),
    ])
  })
})

describe('the limit by client address', () => {
  test('is one for all pages, and what a page loads does not count', async () => {
    const other = await world({ address_limit: { per_sec: 0.001, burst: 3 } })
    try {
      const page = await fetch(`${other.direct}/sign-in`)
      const assets = [...(await page.text()).matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
        ([, path]) => path ?? '',
      )
      expect(assets.length).toBeGreaterThan(1)
      const statuses = async (paths: readonly string[]) =>
        Promise.all(paths.map(async (path) => (await fetch(other.direct + path)).status))
      for (let i = 0; i < 5; i++) expect(new Set(await statuses(assets))).toEqual(new Set([200]))
      expect(await statuses(['/sign-up', '/no-such-page'])).toEqual([200, 404])
      const refused = await fetch(`${other.direct}/sign-in`)
      expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
      expect(refused.headers.get('content-type')).toMatch(/^text\/html/)
      expect(refused.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(await refused.text()).toMatch(/Too many requests from .*Try again in 1\d min/s)
      expect(new Set(await statuses(assets))).toEqual(new Set([200]))
    } finally {
      await other.close()
    }
  })

  test('is gone when it is switched off', async () => {
    const seen = await Promise.all(Array.from({ length: 60 }, async () => (await fetch(`${w.direct}/sign-in`)).status))
    expect(new Set(seen)).toEqual(new Set([200]))
  })
})
