// A form that begins to arrive while its sender may still send it, and ends when they may not any more.
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { invite } from '@dogwatch/domain/organisations/invitations'
import { removeMember } from '@dogwatch/domain/organisations/members'
import { setOwner } from '@dogwatch/domain/organisations/organisation'
import { setAdmin, switchPerson } from '@dogwatch/domain/people/edit'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { adminOf, memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { eventually, type Org, PLACE, type World, world } from '../support/world.ts'

let w: World
let org: Org
let alice: Somebody
let bob: Somebody
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
  alice = await ownerOf(w, org)
  bob = await memberOf(w, org)
})
afterAll(() => w.close())

interface Held {
  /** Sends the rest and returns the answer. */
  end(): Promise<{ status: number; html: string }>
}

/** Opens a page as somebody and sends a form from it, all but its end. */
async function hold(
  { person_id }: Pick<Somebody, 'person_id'>,
  [from, to]: [from: string, to: string],
  fields: Readonly<Record<string, string>>,
): Promise<Held> {
  const session = await openSession(w.deps, person_id)
  const browser = new Browser(w.direct, session)
  await browser.open(from)
  const csrf = browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
  const body = new URLSearchParams({ csrf, ...fields }).toString()
  const headers = { cookie: `dogwatch-session=${session}`, 'content-length': String(body.length) }
  const come = once(w.server, 'request')
  const sent: ClientRequest = request(w.direct + to, { method: 'POST', headers })
  sent.write(body.slice(0, 10))
  await beingRead((await come) as [IncomingMessage])
  return {
    end: async () => {
      sent.end(body.slice(10))
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: answer.statusCode ?? 0, html: await text(answer) }
    },
  }
}

/** Until the server has let the sender pass and waits for the rest: the session is found by then. */
async function beingRead([form]: [IncomingMessage]): Promise<void> {
  await eventually(() => form.listenerCount('data') > 0, 'the form is read')
}

const count = async (table: string) =>
  Number((await w.rows(`select count(*) from ${table} where org_id = $1`, org.org_id))[0]?.count)

test('of a removed member makes no enrollment token', async () => {
  const held = await hold(bob, ['/monitors/new', '/monitors/new'], { ...PLACE, system: 'own' })
  await removeMember(w.deps, org.org_id, bob.email)
  const { html } = await held.end()
  expect(html).not.toContain('dogwatch_enroll_')
  expect(await count('enrollment_tokens')).toBe(0)
})

test('of somebody whose session has ended makes no API token', async () => {
  const held = await hold(alice, ['/settings/api-tokens', '/settings/api-tokens'], { name: 'mine' })
  await w.rows('delete from sessions where person_id = $1', alice.person_id)
  expect((await held.end()).status).toBe(401)
  expect(await count('personal_access_tokens')).toBe(0)
})

test('of somebody who is no admin any more makes no admin', async () => {
  const admin = await adminOf(w)
  const page = `/admin/people/${bob.person_id}`
  const held = await hold(admin, [page, `${page}/make-admin`], {})
  await setAdmin(w.deps, admin.email, false)
  expect((await held.end()).status).toBe(404)
  const [row] = await w.rows('select is_admin from people where person_id = $1', bob.person_id)
  expect(row).toEqual({ is_admin: false })
})

test('that waited is taken while its sender still may', async () => {
  const held = await hold(bob, ['/monitors/new', '/monitors/new'], { ...PLACE, system: 'own' })
  expect((await held.end()).html).toContain('dogwatch_enroll_')
})

test('a request that is already past the sign-in lets nobody in after its sender was removed', async () => {
  const by = { person_id: bob.person_id, email: bob.email, impersonator_email: null }
  await setOwner(w.deps, org.org_id, bob.email)
  await setOwner(w.deps, org.org_id, alice.email)
  await expect(invite(w.deps, org.org_id, 'friend@example.com', by)).rejects.toThrow('only owners')
  await removeMember(w.deps, org.org_id, bob.email)
  await expect(createEnrollmentToken(w.deps, org.org_id, undefined, by)).rejects.toThrow('no longer a member')
  expect([await count('invitations'), await count('enrollment_tokens')]).toEqual([0, 0])
})

test('an invitation by somebody who was disabled lets nobody in', async () => {
  const by = { person_id: alice.person_id, email: alice.email, impersonator_email: null }
  const { token } = await invite(w.deps, org.org_id, 'friend@example.com', by)
  const guest = new Browser(w.direct)
  await switchPerson(w.deps, alice.email, false)
  expect((await guest.open(`/invitations/${token}`)).status).toBe(404)
  await switchPerson(w.deps, alice.email, true)
  expect((await guest.open(`/invitations/${token}`)).status).toBe(200)
})
