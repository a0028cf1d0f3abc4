// Somebody who is a member no more, however that came about, and everything that they ever made.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { createHeartbeat, rotateHeartbeatToken } from '@dogwatch/domain/heartbeats/edit'
import { createEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { invite } from '@dogwatch/domain/organisations/invitations'
import { removeMember } from '@dogwatch/domain/organisations/members'
import { setOwner } from '@dogwatch/domain/organisations/organisation'
import { deletePerson } from '@dogwatch/domain/people/delete'
import { switchPerson } from '@dogwatch/domain/people/edit'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { ACCOUNT, type Org, PLACE, PREFIX, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

interface Left {
  org: Org
  /** The owner now. */
  owner: Somebody
  bob: Somebody
  token: string
  monitor: { id: string; key: string }
  beat: { guid: string; token: string }
  channel: number
  invitation: string
  pat: string
}

/** Bob owned the org, made all that a member can make, and handed it over. */
async function everythingOf(): Promise<Left> {
  const org = await w.org()
  const [bob, owner] = [await ownerOf(w, org), await memberOf(w, org)]
  const by = { person_id: bob.person_id, email: bob.email, impersonator_email: null }
  const enroller = new MonitorClient({
    baseUrl: w.url,
    token: (await createEnrollmentToken(w.deps, org.org_id, undefined, by)).token,
  })
  const { monitor_id, api_key } = await enroller.enroll({ ...PLACE, name: 'rack of bob' })
  const job = { name: 'job of bob', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  const left = {
    org,
    owner,
    bob,
    token: (await createEnrollmentToken(w.deps, org.org_id, undefined, by)).token,
    monitor: { id: monitor_id, key: api_key },
    beat: await createHeartbeat(w.deps, org.org_id, job, by),
    channel: (await createChannel(w.deps, org.org_id, { kind: 'email', name: 'bob', email: bob.email }, by)).id,
    invitation: (await invite(w.deps, org.org_id, `friend-${org.org_id}@example.com`, by)).token,
    pat: await w.pat(org),
  }
  await setOwner(w.deps, org.org_id, owner.email)
  return left
}

const WAYS: Record<string, (left: Left) => Promise<unknown>> = {
  'removed by the owner': async ({ owner, bob }) => {
    await owner.browser.open('/settings/members')
    await owner.browser.submit(`/settings/members/${bob.person_id}/remove`)
    expect(owner.browser.text()).toContain(`${bob.email} is no longer a member`)
  },
  'removed by an operator': ({ org, bob }) => removeMember(w.deps, org.org_id, bob.email),
  'who left': async ({ bob }) => {
    await bob.browser.open('/settings/leave')
    await bob.browser.submit('/settings/leave')
  },
  'who was deleted': ({ bob }) => deletePerson(w.deps, bob.email),
}

const bearer = (path: string, token: string) => w.http.get(path).set('Authorization', `Bearer ${token}`)
const enrolls = (token: string, id?: string) =>
  w.http
    .post(`${PREFIX}/enroll`)
    .set('Authorization', `Bearer ${token}`)
    .send({ ...PLACE, ...(id !== undefined && { id }) })

/** What lets them in, or somebody in their place: each with the status before and after. */
const DOORS: Record<string, [open: number, shut: number, knock: (left: Left) => Promise<number>]> = {
  'enrollment token': [404, 401, async ({ token }) => (await enrolls(token, 'unknown')).status],
  invitation: [200, 404, async ({ invitation }) => (await w.http.get(`/invitations/${invitation}`)).status],
  'personal access token': [200, 401, async ({ pat }) => (await bearer(`${ACCOUNT}/checks`, pat)).status],
  session: [1, 0, async ({ bob }) => ((await bob.browser.open('/checks')).path === '/checks' ? 1 : 0)],
}

describe.each(Object.entries(WAYS))('a member %s', (_, leave) => {
  let left: Left
  beforeAll(async () => {
    left = await everythingOf()
    for (const [name, [open, , knock]] of Object.entries(DOORS)) {
      expect({ name, status: await knock(left) }).toEqual({ name, status: open })
    }
    await leave(left)
  })

  test.each(Object.entries(DOORS))('finds their %s shut', async (_name, [, shut, knock]) => {
    expect(await knock(left)).toBe(shut)
  })

  test('leaves what works on listed for the owner, with a button that ends each of it', async () => {
    const { owner, bob, monitor, beat, channel } = left
    const page = `/settings/members/${bob.person_id}/made`
    await owner.browser.open('/settings/members')
    expect(owner.browser.all('a').map((link) => link.getAttribute('href'))).toContain(page)
    await owner.browser.open(page)
    expect(owner.browser.text()).toMatch(/rack of bob[^]*job of bob|job of bob[^]*rack of bob/)
    for (const [action, was, is, knock] of [
      [`/monitors/${monitor.id}/reset`, 200, 401, async () => (await bearer(`${PREFIX}/ping`, monitor.key)).status],
      [`/heartbeats/${beat.guid}/rotate`, 200, 404, async () => (await w.http.get(`/ping/${beat.token}`)).status],
      [
        `/channels/${channel}/delete`,
        1,
        0,
        async () => (await w.rows('select from notification_channels where id = $1', channel)).length,
      ],
    ] as const) {
      expect({ action, status: await knock() }).toEqual({ action, status: was })
      await owner.browser.open(page)
      await owner.browser.submit(action)
      expect({ action, status: await knock() }).toEqual({ action, status: is })
    }
    // Nothing is left, and nobody to show.
    expect((await owner.browser.open(page)).status).toBe(404)
    await owner.browser.open('/settings/members')
    expect(owner.browser.text()).not.toContain('Former members')
  })
})

/** `asked_runs` is forgotten within minutes, and what it asks for happens once. The second line is of the person alone. */
const LEFT_OUT = `'people', 'password_resets', 'check_schedules', 'asked_runs',
  'passkeys', 'totp_secrets', 'recovery_codes', 'provider_accounts', 'pending_sign_ins'`

test('each column that names a person is either shut by a removal or shown after it', async () => {
  const columns = await w.rows(
    `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attname ~ '(person_id|_by|impersonator_id)$' and a.atttypid = 'bigint'::regtype
       and c.relname not in (${LEFT_OUT}) order by 1`,
  )
  expect(columns.map(({ name }) => name)).toEqual([
    'configuration_tokens.person_id',
    'enrollment_tokens.created_by',
    'heartbeat_keys.created_by',
    'invitations.invited_by',
    'memberships.person_id',
    'monitors.enrolled_by',
    'notification_channels.created_by',
    'personal_access_tokens.person_id',
    'sessions.impersonator_id',
    'sessions.person_id',
    'weekly_reports.person_id',
  ])
})

test('nobody is guessed: what has no known maker is counted apart, and a new ping URL is of whoever made it', async () => {
  const { org, owner, bob, beat } = await everythingOf()
  await w.monitor(org)
  await owner.browser.open(`/settings/members/${bob.person_id}/made`)
  expect(owner.browser.text()).toMatch(/Creator unknown[^]*1 enrollment token[^]*1 monitor/)
  const by = { person_id: owner.person_id, email: owner.email, impersonator_email: null }
  await rotateHeartbeatToken(w.deps, { org_id: org.org_id, guid: beat.guid }, by)
  await owner.browser.open(`/settings/members/${bob.person_id}/made`)
  expect(owner.browser.text()).not.toContain('job of bob')
})

test('the enrollment token of somebody whose account is disabled enrolls nobody', async () => {
  const { bob, token } = await everythingOf()
  await switchPerson(w.deps, bob.email, false)
  expect((await enrolls(token)).status).toBe(401)
  await switchPerson(w.deps, bob.email, true)
  expect((await enrolls(token)).status).toBe(200)
})
