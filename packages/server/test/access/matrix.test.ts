// Every route of both APIs against every kind of credential. The routes come from the documents, so a new one is in it
// by itself; what it needs to succeed is asked for below.

import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { revokeEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { resetMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { addMember, removeMember } from '@dogwatch/domain/organisations/members'
import { setOwner } from '@dogwatch/domain/organisations/organisation'
import { revokePersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { switchPerson } from '@dogwatch/domain/people/edit'
import { newToken } from '@dogwatch/runtime/tokens'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { BODIES, OPERATIONS } from '../support/operations.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let guid: string
let other: { guid: string }
/** Each kind of credential by its name; and for each scheme which of them are let in, or refused otherwise than by 401. */
let credentials: Record<string, string | undefined>
const LET_IN: Record<string, Record<string, number>> = {
  monitorKey: {
    'a monitor API key': 200,
    "a shared monitor's key": 200,
    'the key of a monitor that its org disabled': 403,
    'the key of a monitor that the platform disabled': 403,
  },
  enrollmentToken: { "an org's enrollment token": 200, 'a platform enrollment token': 200 },
  personalAccessToken: { 'a personal access token': 200, "another org's personal access token": 200 },
}
const KINDS = [
  'none',
  'an empty header',
  'a malformed header',
  'basic auth',
  'a token of the wrong form',
  'a monitor API key',
  "a shared monitor's key",
  'an unknown monitor API key',
  'the key of a monitor that was reset',
  'the key of a monitor that its org disabled',
  'the key of a monitor that the platform disabled',
  "an org's enrollment token",
  'a platform enrollment token',
  'an unknown enrollment token',
  'a revoked enrollment token',
  'an expired enrollment token',
  'a personal access token',
  "another org's personal access token",
  'an unknown personal access token',
  'a revoked personal access token',
  'the token of a disabled user',
  'the token of a removed member',
  "a heartbeat's token",
]

beforeAll(async () => {
  w = await world()
  org = await w.org()
  ;[guid = ''] = await w.checks(org, [{}])
  const foreign = await w.org()
  other = { guid: (await w.checks(foreign, [{}]))[0] ?? '' }
  const bearer = (token: string) => `Bearer ${token}`
  const keyAfter = async (change: (id: string) => Promise<void>) => {
    const { id, key } = await w.monitor(org)
    await change(id)
    return bearer(key)
  }
  const revoked = await w.token(org)
  await revokeEnrollmentToken(w.deps, revoked)
  const expired = await w.token(org, 1)
  w.clock.forward(2)
  const revokedPat = await w.pat(org)
  await revokePersonalToken(w.deps, revokedPat)
  const beat = { name: 'b', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  credentials = {
    none: undefined,
    'an empty header': '',
    'a malformed header': 'Bearer',
    'basic auth': 'Basic dXNlcjpwYXNz',
    'a token of the wrong form': bearer('letmein'),
    'a monitor API key': bearer((await w.monitor(org)).key),
    "a shared monitor's key": bearer((await w.monitor(null)).key),
    'an unknown monitor API key': bearer(newToken('key', w.deps.random)),
    'the key of a monitor that was reset': await keyAfter((id) => resetMonitor(w.deps, id)),
    'the key of a monitor that its org disabled': await keyAfter((id) => switchMonitor(w.deps, id, 'enabled', false)),
    'the key of a monitor that the platform disabled': await keyAfter((id) =>
      switchMonitor(w.deps, id, 'platform_enabled', false),
    ),
    "an org's enrollment token": bearer(await w.token(org)),
    'a platform enrollment token': bearer(await w.token(null)),
    'an unknown enrollment token': bearer(newToken('enroll', w.deps.random)),
    'a revoked enrollment token': bearer(revoked),
    'an expired enrollment token': bearer(expired),
    'a personal access token': bearer(await w.pat(org)),
    "another org's personal access token": bearer(await w.pat(foreign)),
    'an unknown personal access token': bearer(newToken('pat', w.deps.random)),
    'a revoked personal access token': bearer(revokedPat),
    'the token of a disabled user': bearer(await patOf('disabled')),
    'the token of a removed member': bearer(await patOf('removed')),
    "a heartbeat's token": bearer((await createHeartbeat(w.deps, org.org_id, beat)).token),
  }
})
afterAll(() => w.close())

/** A token whose minter was then disabled, or removed from the org. */
async function patOf(fate: 'disabled' | 'removed'): Promise<string> {
  const theirs = await w.org()
  const token = await w.pat(theirs)
  const [owner] = await w.rows('select email from people where person_id = $1', theirs.owner_id)
  if (fate === 'disabled') await switchPerson(w.deps, String(owner?.email), false)
  else {
    const heir = `heir-${theirs.org_id}@example.com`
    await addMember(w.deps, theirs.org_id, heir)
    await setOwner(w.deps, theirs.org_id, heir)
    await removeMember(w.deps, theirs.org_id, String(owner?.email))
  }
  return token
}

const send = (operation: (typeof OPERATIONS)[number], authorization: string | undefined, check = guid) => {
  const request = w.http[operation.method](operation.path.replace('{guid}', check))
  if (authorization !== undefined) request.set('Authorization', authorization)
  return operation.id in BODIES ? request.send(BODIES[operation.id] as object) : request
}

test('every route is in it', () => {
  expect(OPERATIONS).toHaveLength(15)
  expect(new Set(OPERATIONS.map(({ scheme }) => scheme))).toEqual(new Set(Object.keys(LET_IN)))
})

describe.each(OPERATIONS)('$name', (operation) => {
  test.each(KINDS)('%s', async (kind) => {
    const isForeign = kind.startsWith('another') && operation.path.includes('{guid}')
    const expected = isForeign ? 404 : (LET_IN[operation.scheme]?.[kind] ?? 401)
    expect(Object.keys(credentials)).toContain(kind)
    const { status, headers, text } = await send(operation, credentials[kind])
    expect({ kind, status }).toEqual({ kind, status: expected })
    if (status === 401) {
      expect(headers['www-authenticate']).toBe('Bearer')
      expect(text).toMatch(/^missing[a-z, ]+$/)
    }
    if (status >= 400) expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  })
})

test("one org's token reads another org's check as one that does not exist", async () => {
  for (const operation of OPERATIONS.filter(({ path }) => path.includes('{guid}'))) {
    const mine = await send(operation, credentials['a personal access token'], other.guid)
    expect({ status: mine.status, text: mine.text }).toEqual({ status: 404, text: 'no check with that guid' })
  }
})

test('a member who is removed, or a user who is disabled, is shut out from that request on, and let in again after', async () => {
  const theirs = await w.org()
  const authorization = `Bearer ${await w.pat(theirs)}`
  const [operation] = OPERATIONS.filter(({ id }) => id === 'listChecks')
  if (!operation) throw new Error('no such operation')
  const [owner] = await w.rows('select email from people where person_id = $1', theirs.owner_id)
  const status = async () => (await send(operation, authorization)).status
  expect(await status()).toBe(200)
  await switchPerson(w.deps, String(owner?.email), false)
  expect(await status()).toBe(401)
  await switchPerson(w.deps, String(owner?.email), true)
  expect(await status()).toBe(200)
})
