// Incidents by the configuration API: listed, read, acknowledged, muted and written about.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { createConfigurationToken } from '@dogwatch/domain/configuration/tokens'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { sweepHeartbeats } from '@dogwatch/domain/heartbeats/sweep'
import { addMember } from '@dogwatch/domain/organisations/members'
import { deletePerson } from '@dogwatch/domain/people/delete'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { configToken, configurator } from '../support/config-api.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let monitor: Monitor
let ask: ReturnType<typeof configurator>
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  monitor = await w.monitor(org, 'fra-1')
  ask = configurator(w, await configToken(w, org, { name: 'on call' }))
})
afterAll(() => w.close())

interface Incident {
  id: string
  name: string
  guid: string
}

const run = async (guid: string, success: boolean) => {
  const ran_at = w.clock.now().toISOString()
  const failure = success ? {} : { http_status: 502, error: 'status 502', response_sample: 'Bad gateway' }
  await monitor.client.upload([result(guid, { success, ran_at, ...failure })])
  w.clock.forward(30)
}

async function failing(entry: Record<string, unknown> = {}): Promise<Incident> {
  const [guid = ''] = await w.checks(org, [{ result_detail_max_chars: 200, ...entry }], 'all')
  await run(guid, false)
  const { body } = await ask('get', `/incidents?check=${guid}`)
  const [incident] = (body as { incidents: Incident[] }).incidents
  if (!incident) throw new Error('no incident')
  return incident
}

test('an incident tells its cause, what it rests on and what happened', async () => {
  await createChannel(w.deps, org.org_id, { kind: 'email', name: 'Ops', email: 'ops@example.com' })
  const { id, guid } = await failing({ name: 'Shop', tags: ['shop'] })
  await run(guid, true)
  const { body } = await ask('get', `/incidents/${id}`)
  expect(body).toMatchObject({
    id,
    kind: 'check',
    guid,
    name: 'Shop',
    end_reason: 'recovered',
    cause: 'status 502',
    verdict: '1 failure',
    tags: ['shop'],
    failure: { monitor_id: monitor.id, monitor_name: 'fra-1', http_status: 502, response_sample: 'Bad gateway' },
    monitors: [{ id: monitor.id, name: 'fra-1', failures: 1 }],
  })
  const { timeline } = body as { timeline: { kind: string; title: string }[] }
  expect(timeline.map(({ kind, title }) => `${kind}: ${title}`)).toEqual([
    'warn: First failure from fra-1',
    'bad: Down',
    'told: Down alert for Ops',
    'told: Recovery alert for Ops',
    'good: Recovered',
  ])
})

test('a heartbeat has incidents too', async () => {
  const { guid, token } = await createHeartbeat(w.deps, org.org_id, {
    name: 'backup',
    interval_sec: 60,
    grace_sec: 0,
    resend_interval_sec: 0,
    show_on_status_page: false,
  })
  await w.http.get(`/ping/${token}`)
  w.clock.forward(120)
  await sweepHeartbeats(w.deps)
  const { body } = await ask('get', `/incidents?heartbeat=${guid}`)
  expect(body).toMatchObject({ incidents: [{ kind: 'heartbeat', guid, cause: 'No ping received in time' }] })
})

test('the list is filtered by state, check, tag and time, and has pages', async () => {
  const first = await failing({ name: 'a', tags: ['shop'] })
  await run(first.guid, true)
  const second = await failing({ name: 'b' })
  const since = w.clock.now().toISOString()
  const third = await failing({ name: 'c' })
  const list = async (query: string) => {
    const { body, status } = await ask('get', `/incidents?${query}`)
    expect(status).toBe(200)
    return (body as { incidents: Incident[] }).incidents.map(({ name }) => name)
  }
  expect(await list('')).toEqual(['c', 'b', 'a'])
  expect(await list('state=open')).toEqual(['c', 'b'])
  expect(await list('state=ended')).toEqual(['a'])
  expect(await list('tag=shop')).toEqual(['a'])
  expect(await list(`check=${second.guid}`)).toEqual(['b'])
  expect(await list(`since=${since}`)).toEqual(['c'])
  expect(await list(`until=${since}`)).toEqual(['b', 'a'])
  expect(await list('check=none')).toEqual([])
  await ask('patch', `/checks/${third.guid}`, { key: 'third' })
  expect(await list('check=key:third')).toEqual(['c'])
  expect((await ask('get', '/incidents?check=key:fourth')).status).toBe(400)
  const page = await ask('get', '/incidents?limit=2')
  const { next, open } = page.body as { next: string; open: number }
  expect(open).toBe(2)
  expect(await list(`limit=2&after=${next}`)).toEqual(['a'])
  expect((await ask('get', `/incidents?limit=1&after=${third.id}`)).status).toBe(400)
  expect((await ask('get', '/incidents?state=closed')).status).toBe(400)
})

test('acknowledging names the token and its maker, once, and can be taken back', async () => {
  const { id } = await failing()
  const [owner] = await w.rows('select email from people where person_id = $1', org.owner_id)
  const by = `${String(owner?.email)} (token on call)`
  for (const key of ['a', 'a', 'b']) {
    const { status, body } = await ask('post', `/incidents/${id}/acknowledge`, undefined, { 'Idempotency-Key': key })
    expect([status, body]).toEqual([200, expect.objectContaining({ id, acknowledged_by: by })])
  }
  const deeds = await w.rows(
    "select detail from audit_entries where org_id = $1 and action = 'check.acknowledge'",
    org.org_id,
  )
  expect(deeds).toEqual([{ detail: { token: 'on call' } }])
  const back = await ask('post', `/incidents/${id}/unacknowledge`)
  expect([back.status, back.body]).toEqual([200, expect.not.objectContaining({ acknowledged_by: expect.anything() })])
})

test('an incident that has ended cannot be acknowledged', async () => {
  const { id, guid } = await failing()
  await run(guid, true)
  const { status, text } = await ask('post', `/incidents/${id}/acknowledge`)
  expect([status, text]).toEqual([409, 'the check is no longer down'])
})

test('it is muted until a time that is to come, and unmuted', async () => {
  const { id } = await failing()
  const until = new Date(w.clock.now().getTime() + 3_600_000).toISOString().replace('Z', '000Z')
  const muted = await ask('post', `/incidents/${id}/mute`, { until })
  expect([muted.status, muted.body]).toEqual([
    200,
    { muted_until: until, muted_by: expect.stringMatching(/ \(token on call\)$/) },
  ])
  expect((await ask('get', `/incidents/${id}`)).body).toMatchObject({ muted_until: until })
  expect((await ask('post', `/incidents/${id}/unmute`)).body).toEqual({})
  expect((await ask('get', `/incidents/${id}`)).body).not.toHaveProperty('muted_until')
  const late = await ask('post', `/incidents/${id}/mute`, { until: '2020-01-01T00:00:00Z' })
  expect([late.status, late.text]).toEqual([400, 'until must be a time in the future'])
})

test('it is muted until resolved, which is a time or that', async () => {
  const { id, guid } = await failing()
  const { status, body } = await ask('post', `/incidents/${id}/mute`, { until_resolved: true })
  expect([status, body]).toEqual([200, expect.objectContaining({ until_resolved: true })])
  expect((await ask('get', `/incidents/${id}`)).body).toMatchObject({ until_resolved: true })
  for (const given of [{}, { until_resolved: false }, { until_resolved: true, until: '2030-01-01T00:00:00Z' }]) {
    const refused = await ask('post', `/incidents/${id}/mute`, given)
    expect([refused.status, refused.text]).toEqual([
      400,
      'until must be sent if until_resolved is false, and must be omitted if until_resolved is true',
    ])
  }
  await run(guid, true)
  expect((await ask('get', `/incidents/${id}`)).body).not.toHaveProperty('muted_until')
  expect((await ask('post', `/incidents/${id}/mute`, { until_resolved: true })).status).toBe(409)
})

test('notes and postmortems of an organisation take 64 MiB together', async () => {
  const { id } = await failing()
  const note = await ask('post', `/incidents/${id}/notes`, { note: 'The disk was full.' })
  const path = `/incidents/${id}/notes/${(note.body as { id: number }).id}`
  const other = await failing({ name: 'other' })
  await w.rows(`insert into postmortems values ($1, $2, repeat('x', 67108864), now(), 'ana')`, org.org_id, other.id)
  const refused = await Promise.all([
    ask('post', `/incidents/${id}/notes`, { note: 'One more.' }),
    ask('put', path, { note: 'Another one.' }),
    ask('put', `/incidents/${id}/postmortem`, { text: 'We have learnt.' }),
  ])
  expect(refused.map(({ status, text }) => [status, text])).toEqual(
    refused.map(() => [
      400,
      'the notes and postmortems of an organisation are limited to 64 MiB in total; delete notes or postmortems first',
    ]),
  )
  expect((await ask('delete', path)).status).toBeLessThan(300)
})

test('notes are written once and read by everybody', async () => {
  const { id } = await failing()
  for (const _ of [1, 2]) {
    const note = { note: ' The disk was full. ' }
    const { status, body } = await ask('post', `/incidents/${id}/notes`, note, { 'Idempotency-Key': 'n' })
    expect([status, body]).toEqual([201, expect.objectContaining({ note: 'The disk was full.' })])
  }
  const { body } = await ask('get', `/incidents/${id}/notes`)
  expect(body).toEqual({ notes: [expect.objectContaining({ note: 'The disk was full.' })] })
  const blank = await ask('post', `/incidents/${id}/notes`, { note: ' ' })
  expect([blank.status, blank.text]).toEqual([400, 'the note must not be blank'])
})

test('a note is changed and deleted by its author alone, and by nobody who was too slow', async () => {
  const { id } = await failing()
  const notes = `/incidents/${id}/notes`
  const written = await ask('post', notes, { note: 'The disk is full.' })
  const path = `${notes}/${(written.body as { id: number }).id}`
  const read = await ask('get', path)
  expect(read.body).toEqual(written.body)
  const ifMatch = { 'If-Match': String(read.headers.etag) }
  const changed = await ask('put', path, { note: 'The disk was full.' }, ifMatch)
  expect([changed.status, changed.body]).toEqual([
    200,
    expect.objectContaining({ note: 'The disk was full.', edited_at: expect.any(String) }),
  ])
  expect(changed.headers.etag).not.toBe(read.headers.etag)
  const late = await ask('put', path, { note: 'No.' }, ifMatch)
  expect([late.status, (await ask('delete', path, undefined, ifMatch)).status]).toEqual([412, 412])
  const { timeline } = (await ask('get', `/incidents/${id}`)).body as {
    timeline: { title: string; lines?: string[] }[]
  }
  expect(timeline.find(({ lines = [] }) => lines.includes('The disk was full.'))?.title).toMatch(/ \(edited\)$/)

  const bob = { person_id: (await addMember(w.deps, org.org_id, `bob-${id}@example.com`)).person_id }
  await w.rows("update memberships set role = 'admin' where org_id = $1 and person_id = $2", org.org_id, bob.person_id)
  const by = { ...bob, email: 'bob@example.com', impersonator_email: null }
  const { token } = await createConfigurationToken(w.deps, org.org_id, { name: 'b', scopes: ['write'] }, by)
  for (const answer of [
    await configurator(w, token)('put', path, { note: 'Not mine.' }),
    await configurator(w, token)('delete', path),
  ]) {
    expect([answer.status, answer.text]).toEqual([403, 'only the author of a note can change it'])
  }
  expect((await ask('delete', path)).body).toEqual({ id: (written.body as { id: number }).id })
  const gone = await ask('get', path)
  expect([gone.status, gone.text]).toEqual([404, 'no note with that id'])
  expect((await ask('get', `${notes}/nonsense`)).status).toBe(404)
})

test('the postmortem is written, read, changed and deleted', async () => {
  const { id } = await failing()
  const path = `/incidents/${id}/postmortem`
  const none = await ask('get', path)
  expect([none.status, none.text]).toEqual([404, 'the incident has no postmortem'])
  const written = await ask('put', path, { text: '# Why\r\nThe disk was full.' })
  expect([written.status, written.body]).toEqual([
    200,
    {
      text: '# Why\nThe disk was full.',
      edited_at: expect.any(String),
      edited_by: expect.stringMatching(/\(token on call\)$/),
    },
  ])
  expect((await ask('get', path)).headers.etag).toBe(written.headers.etag)
  expect((await ask('get', `/incidents/${id}`)).body).toMatchObject({ postmortem: written.body })
  w.clock.forward(1)
  const ifMatch = { 'If-Match': String(written.headers.etag) }
  expect((await ask('put', path, { text: 'The log filled it.' }, ifMatch)).status).toBe(200)
  expect((await ask('put', path, { text: 'Late.' }, ifMatch)).status).toBe(412)
  const blank = await ask('put', path, { text: ' ' })
  expect([blank.status, blank.text]).toEqual([
    400,
    'text must not be blank; to remove the postmortem, send a DELETE request',
  ])
  expect((await ask('delete', path, undefined, ifMatch)).status).toBe(412)
  expect((await ask('delete', path)).body).toEqual({})
  expect((await ask('delete', path)).status).toBe(404)
})

test('checks and heartbeats are muted by key, whether they are down or not', async () => {
  const check = { key: 'shop', name: 'Shop', url: 'https://shop.example.com/', interval_sec: 60 }
  await ask('post', '/checks', check)
  await ask('post', '/heartbeats', { key: 'backup', name: 'Backup', interval_sec: 60 })
  const until = new Date(w.clock.now().getTime() + 3_600_000).toISOString().replace('Z', '000Z')
  const muted = () => w.rows('select subject from mutes where org_id = $1', org.org_id)
  for (const path of ['/checks/key:shop', '/heartbeats/key:backup']) {
    expect((await ask('post', `${path}/mute`, { until })).body).toEqual({
      muted_until: until,
      muted_by: expect.stringMatching(/ \(token on call\)$/),
    })
    expect(await muted()).toHaveLength(1)
    expect((await ask('post', `${path}/unmute`)).body).toEqual({})
    expect(await muted()).toEqual([])
  }
  const never = await ask('post', '/checks/key:nowhere/mute', { until })
  expect([never.status, never.text]).toEqual([404, 'no check with that key'])
})

test('what a token did is blanked with the person that it is of', async () => {
  const email = 'gone@example.com'
  const { person_id } = await addMember(w.deps, org.org_id, email)
  await w.rows("update memberships set role = 'admin' where org_id = $1 and person_id = $2", org.org_id, person_id)
  const by = { person_id, email, impersonator_email: null }
  const { token } = await createConfigurationToken(w.deps, org.org_id, { name: 't', scopes: ['write'] }, by)
  const theirs = configurator(w, token)
  await createChannel(w.deps, org.org_id, { kind: 'email', name: 'Ops', email: 'ops@example.com' })
  const { id } = await failing()
  await theirs('post', `/incidents/${id}/acknowledge`)
  const until = new Date(w.clock.now().getTime() + 3_600_000).toISOString()
  await theirs('post', `/incidents/${id}/mute`, { until })
  await theirs('put', `/incidents/${id}/postmortem`, { text: 'The disk was full.' })
  await deletePerson(w.deps, email)
  const kept = await w.rows(
    `select acknowledged_by from incidents where org_id = $1
     union all select muted_by from mutes where org_id = $1
     union all select edited_by from postmortems where org_id = $1
     union all select data ->> 'acknowledged_by' from events where org_id = $1 and type = 'check.acknowledged'`,
    org.org_id,
  )
  expect(kept.map((row) => Object.values(row)[0])).toEqual(Array.from({ length: 4 }, () => `deleted user ${person_id}`))
})
