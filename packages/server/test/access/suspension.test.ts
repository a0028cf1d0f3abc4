// A suspended organisation at every door: the doors come from both documents and from the console's table of routes.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { testChannel } from '@dogwatch/domain/channels/test-channel'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { sweepHeartbeats } from '@dogwatch/domain/heartbeats/sweep'
import { invite } from '@dogwatch/domain/organisations/invitations'
import { addMember } from '@dogwatch/domain/organisations/members'
import { setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { resumeOrganisation, suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { openSession } from '@dogwatch/domain/people/sessions'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { findTurns, START } from '@dogwatch/store/alerting/delivery-turns'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pass, sweep } from '../../../api/test/alerting/silence.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { BODIES, OPERATIONS } from '../support/operations.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
/** Two that have the same: one of them is suspended. */
let stopped: Everything
let honest: Everything
let shared: Monitor

interface Everything {
  org: Org
  guid: string
  monitor: Monitor
  token: string
  pat: string
  heartbeat: { guid: string; token: string }
  slug: string
  invitation: string
  owner: string
  member: string
  channel: number
}

async function everythingOf(org: Org): Promise<Everything> {
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ resend_interval_sec: 60 }], 'all')
  const job = { name: 'job', interval_sec: 60, grace_sec: 0, resend_interval_sec: 60, show_on_status_page: false }
  const heartbeat = await createHeartbeat(w.deps, org.org_id, job)
  const { id: channel } = await createChannel(w.deps, org.org_id, {
    kind: 'webhook',
    name: 'us',
    webhook_url: 'https://example.com/',
  })
  const slug = `page-${org.org_id}`
  await setStatusPage(w.deps, org.org_id, true)
  await editStatusPage(w.deps, org.org_id, { slug, title: 'Us', description: '', entries: [] })
  const { person_id } = await addMember(w.deps, org.org_id, `member-${org.org_id}@example.com`)
  const [owner] = await w.rows('select person_id, email from people where person_id = $1', org.owner_id)
  const by = { person_id: org.owner_id, email: String(owner?.email), impersonator_email: null }
  return {
    org,
    guid,
    monitor,
    token: await w.token(org),
    pat: await w.pat(org),
    heartbeat,
    slug,
    invitation: (await invite(w.deps, org.org_id, `guest-${org.org_id}@example.com`, by)).token,
    owner: await openSession(w.deps, org.owner_id, org.org_id),
    member: await openSession(w.deps, person_id, org.org_id),
    channel,
  }
}

const ping = (its: Everything, suffix = '') => w.http.get(`/ping/${its.heartbeat.token}${suffix}`)
const rowsOf = (table: string, its: Everything, columns = '*') =>
  w.rows(`select ${columns} from ${table} where org_id = $1 order by 1`, its.org.org_id)
/** Both heartbeats were called, both checks are down, and both have a message that waits. */
async function live(its: Everything): Promise<void> {
  await ping(its)
  const ran_at = w.clock.now().toISOString()
  await its.monitor.client.upload([result(its.guid, { ran_at, success: false, error: 'refused' })])
}

beforeAll(async () => {
  w = await world()
  shared = await w.monitor(null)
  stopped = await everythingOf(await w.org())
  honest = await everythingOf(await w.org())
  await pass(w, 30)
  await Promise.all([stopped, honest].map(live))
  await suspendOrganisation(w.deps, stopped.org.org_id)
})
afterAll(() => w.close())

describe.each(OPERATIONS)('$name', (operation) => {
  const CREDENTIAL: Record<string, (its: Everything) => string> = {
    monitorKey: ({ monitor }) => monitor.key,
    enrollmentToken: ({ token }) => token,
    personalAccessToken: ({ pat }) => pat,
  }
  const send = (its: Everything) => {
    const request = w.http[operation.method](operation.path.replace('{guid}', its.guid)).set(
      'Authorization',
      `Bearer ${CREDENTIAL[operation.scheme]?.(its)}`,
    )
    return operation.id in BODIES ? request.send(BODIES[operation.id] as object) : request
  }

  test('is shut to a suspended organisation, and to no other', async () => {
    const { status, text } = await send(stopped)
    const isMonitor = operation.scheme === 'monitorKey'
    expect(status).toBe(isMonitor ? 403 : 401)
    if (isMonitor) expect(text).toBe('the organisation of this monitor is suspended')
    expect((await send(honest)).status).toBe(200)
  })
})

describe.each(['', '/0', '/start', '/fail', '/log', '/7'])('GET /ping/{token}%s', (suffix) => {
  test('is refused with the reason, and nothing is kept of it', async () => {
    const before = await rowsOf('pings', stopped)
    const { status, text } = await ping(stopped, suffix)
    expect({ status, text: text.trim() }).toEqual({
      status: 403,
      text: 'the organisation of this heartbeat is suspended',
    })
    expect(await rowsOf('pings', stopped)).toEqual(before)
    w.clock.forward(2)
    expect((await ping(honest, suffix)).status).toBe(200)
  })
})

describe.each(ROUTES.filter(({ access }) => access === 'member' || access === 'owner'))('$method $path', (route) => {
  const request = async (session: string) => {
    const response = await fetch(w.direct + route.path.replace(/:\w+/g, '1'), {
      method: route.method,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: `dogwatch-session=${session}` },
      ...(route.method === 'POST' && { body: new URLSearchParams({ name: 'x' }) }),
    })
    return { status: response.status, html: await response.text() }
  }
  test('shows members of a suspended organisation that it is, and nothing else', async () => {
    for (const session of [stopped.owner, stopped.member]) {
      const { status, html } = await request(session)
      expect(status).toBe(403)
      expect(html).toContain('is suspended. No data has been deleted.')
    }
    expect((await request(honest.owner)).html).not.toContain('is suspended')
  })
})

test('the doors that strangers use say no more than that there is nothing', async () => {
  for (const path of [`/status/${stopped.slug}`, `/status/${stopped.slug}.json`, `/invitations/${stopped.invitation}`])
    expect({ path, status: (await w.http.get(path)).status }).toEqual({ path, status: 404 })
  for (const path of [`/status/${honest.slug}`, `/status/${honest.slug}.json`, `/invitations/${honest.invitation}`])
    expect({ path, status: (await w.http.get(path)).status }).toEqual({ path, status: 200 })
})

test('a shared monitor is told to stop its checks, hears nothing of what they are, and its results of them are dropped', async () => {
  const { checks } = await shared.client.sync()
  const of = (guid: string) => checks.find((check) => check.guid === guid)
  expect(of(stopped.guid)).toMatchObject({ deleted: true, url: '', name: '', enabled: false })
  expect(of(honest.guid)).toMatchObject({ deleted: false, url: 'https://example.com/' })
  const ran_at = w.clock.now().toISOString()
  const uploaded = await shared.client.upload([stopped, honest].map(({ guid }) => result(guid, { ran_at })))
  expect(uploaded).toMatchObject({ submitted: 2, accepted: 1 })
})

test('while it lasts nobody is judged, reminded or told, and what waits to be sent waits', async () => {
  await testChannel(w.deps, stopped.channel)
  await testChannel(w.deps, honest.channel)
  const before = await rowsOf('events', stopped, 'event_id')
  for (let i = 0; i < 20; i++) {
    await pass(w, 60)
    await remind(w.deps)
    await rejudgeChecks(w.deps)
    await sweepHeartbeats(w.deps)
  }
  expect(await rowsOf('events', stopped, 'event_id')).toEqual(before)
  const types = (await rowsOf('events', honest, 'distinct type')).map(({ type }) => type)
  expect(types).toEqual(expect.arrayContaining(['check.down', 'monitor.offline', 'heartbeat.down']))
  const found = await findTurns(w.deps.database.machines, {
    now: w.clock.now().toISOString(),
    after: START,
    perChannel: 8,
    fullOrgs: [],
    fullChannels: [],
    fullKinds: [],
  })
  expect(new Set(found.turns.map(({ org_id }) => org_id))).toEqual(new Set([honest.org.org_id]))
  expect(await rowsOf('deliveries', stopped, 'state')).toEqual([{ state: 'pending' }, { state: 'pending' }])
})

test('resuming brings all of it back, with the keys and tokens that it had', async () => {
  const told = await rowsOf('events', stopped, 'event_id')
  await resumeOrganisation(w.deps, stopped.org.org_id)
  expect((await stopped.monitor.client.sync()).checks).toMatchObject([{ guid: stopped.guid, deleted: false }])
  const { checks } = await shared.client.sync()
  expect(checks.find(({ guid }) => guid === stopped.guid)).toMatchObject({ deleted: false, monitor_count: 2 })
  const account = (path: string) => w.http.get(`/account-api/v1${path}`).set('Authorization', `Bearer ${stopped.pat}`)
  expect((await account('/heartbeats')).body).toMatchObject([{ state: 'new', enabled: true }])
  expect((await ping(stopped)).status).toBe(200)
  expect((await account('/heartbeats')).body).toMatchObject([{ state: 'up' }])
  for (const path of [`/status/${stopped.slug}`, `/invitations/${stopped.invitation}`])
    expect((await w.http.get(path)).status).toBe(200)
  // The check was down and still is: the next success says so.
  expect(await rowsOf('incidents', stopped, 'ended_at')).toEqual([{ ended_at: null }])
  await sweep(w.deps)
  expect(await rowsOf('events', stopped, 'event_id')).toEqual(told)
  await stopped.monitor.client.upload([result(stopped.guid, { ran_at: w.clock.now().toISOString() })])
  expect((await rowsOf('events', stopped, 'type')).map(({ type }) => type)).toContain('check.up')
})
