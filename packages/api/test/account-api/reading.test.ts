// The seven routes that list: every field rule of the account side.

import { createChannel, removeChannel, switchChannel } from '@dogwatch/domain/channels/edit'
import { deleteCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { createHeartbeat, removeHeartbeat, switchHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { switchMonitor } from '@dogwatch/domain/monitors/switches'
import { addMember } from '@dogwatch/domain/organisations/members'
import { setOwner, setPlan, setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { laterFlags } from '../support/channel-flags.ts'
import { ACCOUNT, type Org, PLACE, type World, world } from '../support/world.ts'

let w: World
let org: Org
let token: string
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
  token = await w.pat(org)
})
afterAll(() => w.close())

const get = async (path: string) => {
  const { status, body, text } = await w.http.get(`${ACCOUNT}${path}`).set('Authorization', `Bearer ${token}`)
  return status === 200 ? body : { status, text }
}

const FULL = {
  name: 'shop',
  url: 'https://user:secret@shop.example.com/health',
  enabled: false,
  restricted: true,
  interval_sec: 30,
  timeout_sec: 60,
  disable_redirects: true,
  insecure_skip_verify: true,
  headers: { Host: 'shop.example.com' },
  post_data: '{"a":1}',
  match_string: 'o+k',
  match_mode: 'not_regex',
  status_code_op: 'lte',
  status_code_value: 299,
  cert_expiry_warn_days: 14,
  max_response_time_ms: 900,
  invert_result: true,
  result_detail_max_chars: 100,
  down_interval_sec: 3,
  resend_interval_sec: 600,
}

describe('GET /checks and /checks/{guid}', () => {
  test('a check with every field reads back with every field, and nothing more', async () => {
    const [guid] = await w.checks(org, [FULL])
    expect(await get('/checks')).toEqual([{ ...FULL, guid, state: 'paused' }])
    expect(await get(`/checks/${guid}`)).toEqual({ ...FULL, guid, state: 'paused' })
  })

  test('optional fields that are 0, false or empty are absent; the required ones are there', async () => {
    const [guid] = await w.checks(org, [
      { name: 'bare', headers: {}, timeout_sec: 0, invert_result: false, match_mode: '' },
    ])
    const bare = { enabled: true, restricted: false, interval_sec: 60, match_string: '', result_detail_max_chars: 256 }
    expect(await get('/checks')).toEqual([
      { guid, name: 'bare', url: 'https://example.com/', ...bare, state: 'unmonitored' },
    ])
  })

  test('restricted is derived from a target that is not public', async () => {
    const urls = ['http://10.0.0.1/', 'tcp://localhost:80', 'https://printer.lan/', 'https://example.com/']
    await w.checks(
      org,
      urls.map((url) => ({ url })),
    )
    expect((await get('/checks')).map((check: { restricted: boolean }) => check.restricted)).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  test('a private definition reads as its blank self', async () => {
    const [guid = ''] = await w.checks(org, [FULL])
    await wipeDefinition(w.deps, guid)
    const check = await get(`/checks/${guid}`)
    expect(check).toMatchObject({ guid, name: 'shop', url: '', match_string: '', restricted: true, timeout_sec: 60 })
    for (const field of ['match_mode', 'post_data', 'headers', 'status_code_op', 'status_code_value']) {
      expect(check).not.toHaveProperty(field)
    }
    expect(JSON.stringify(check)).not.toContain('secret')
  })

  test('they come in the order of their creation; a deleted one comes nowhere', async () => {
    const guids = await w.checks(org, [{}, {}, {}])
    await deleteCheck(w.deps, guids[1] ?? '')
    expect((await get('/checks')).map((check: { guid: string }) => check.guid)).toEqual([guids[0], guids[2]])
    expect(await get(`/checks/${guids[1]}`)).toEqual({ status: 404, text: 'no check with that guid' })
  })

  test("another org's guid is the same 404 as one that does not exist, or is none", async () => {
    const [foreign] = await w.checks(await w.org(), [{}])
    for (const guid of [foreign, 'nonsense', '%00', '%E0%A4', '%ff', 'a%2Fb', '..', 'x'.repeat(4000)]) {
      const answer = await w.http.get(`${ACCOUNT}/checks/${guid}`).set('Authorization', `Bearer ${token}`)
      expect({ guid, status: answer.status }).toEqual({ guid, status: 404 })
    }
    expect(await get(`/checks/${foreign}`)).toEqual(await get('/checks/00000000-0000-4000-8000-000000000000'))
  })
})

describe('GET /monitors', () => {
  test("the org's own, enabled or not, then the enabled ones of the shared fleet, each by id", async () => {
    const own = [await w.monitor(org), await w.monitor(org)].sort((a, b) => (a.id < b.id ? -1 : 1))
    await w.monitor(await w.org())
    const [shared, off, killed] = [await w.monitor(null), await w.monitor(null), await w.monitor(null)]
    await switchMonitor(w.deps, own[0]?.id ?? '', 'platform_enabled', false)
    await switchMonitor(w.deps, off.id, 'enabled', false)
    await switchMonitor(w.deps, killed.id, 'platform_enabled', false)
    expect(await get('/monitors')).toEqual([
      { ...PLACE, id: own[0]?.id, class: 'private', enabled: false, online: false },
      { ...PLACE, id: own[1]?.id, class: 'private', enabled: true, online: false },
      { ...PLACE, id: shared.id, class: 'shared', enabled: true, online: false },
    ])
    await switchMonitor(w.deps, shared.id, 'enabled', false)
  })

  test.each(['enabled', 'platform_enabled'] as const)('enabled needs both switches: %s off', async (which) => {
    const { id } = await w.monitor(org)
    await switchMonitor(w.deps, id, which, false)
    expect(await get('/monitors')).toEqual([{ ...PLACE, id, class: 'private', enabled: false, online: false }])
  })
})

describe('GET /heartbeats', () => {
  const NEW = { name: 'backup', interval_sec: 3600, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }

  test('a new one has a state and no dates; its token is nowhere in it', async () => {
    const { guid, token: beat } = await createHeartbeat(w.deps, org.org_id, NEW)
    const { resend_interval_sec: _, ...rest } = NEW
    const answer = await get('/heartbeats')
    expect(answer).toEqual([{ ...rest, guid, enabled: true, state: 'new' }])
    expect(JSON.stringify(answer)).not.toContain(beat)
    expect(beat).toMatch(/^dogwatch_beat_/)
  })

  test('one that is down says since when, to the microsecond, and how often it repeats', async () => {
    const { guid } = await createHeartbeat(w.deps, org.org_id, {
      ...NEW,
      resend_interval_sec: 600,
      show_on_status_page: true,
    })
    await w.rows(
      "update heartbeats set state = 'down', down_since = '2026-11-20T10:00:00.123456Z', last_heartbeat_at = '2026-11-20T09:00:00Z' where guid = $1",
      guid,
    )
    expect(await get('/heartbeats')).toEqual([
      {
        ...NEW,
        guid,
        enabled: true,
        show_on_status_page: true,
        resend_interval_sec: 600,
        state: 'down',
        down_since: '2026-11-20T10:00:00.123456Z',
        last_heartbeat_at: '2026-11-20T09:00:00.000000Z',
      },
    ])
  })

  test.each(['enabled', 'platform_enabled'] as const)(
    'enabled needs both switches: %s off; its state stays as it was',
    async (which) => {
      const { guid } = await createHeartbeat(w.deps, org.org_id, NEW)
      await w.rows("update heartbeats set state = 'up', last_heartbeat_at = now() where guid = $1", guid)
      await switchHeartbeat(w.deps, guid, which, false)
      expect(await get('/heartbeats')).toMatchObject([{ enabled: false, state: 'up' }])
      await switchHeartbeat(w.deps, guid, which, true)
      expect(await get('/heartbeats')).toMatchObject([{ enabled: true, state: 'new' }])
    },
  )

  test('in the order of their creation; a deleted one comes no more', async () => {
    const [a, b] = [await createHeartbeat(w.deps, org.org_id, NEW), await createHeartbeat(w.deps, org.org_id, NEW)]
    expect((await get('/heartbeats')).map((one: { guid: string }) => one.guid)).toEqual([a.guid, b.guid])
    await removeHeartbeat(w.deps, a.guid)
    expect((await get('/heartbeats')).map((one: { guid: string }) => one.guid)).toEqual([b.guid])
  })
})

describe('GET /notification-channels', () => {
  test('destinations and secrets come unredacted, each kind with its own fields alone', async () => {
    const channels = [
      { kind: 'ntfy', name: 'phone', ntfy_topic: 'dogs' },
      { kind: 'email', name: 'mail', email: 'ops@example.com' },
      {
        kind: 'webhook',
        name: 'signed',
        webhook_url: 'https://example.com/hook?key=1',
        webhook_secret: 'whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0',
      },
      { kind: 'webhook', name: 'unsigned', webhook_url: 'https://example.com/hook' },
      { kind: 'slack', name: 'chat', webhook_url: 'https://hooks.slack.com/services/x' },
    ]
    const ids: number[] = []
    for (const channel of channels) ids.push((await createChannel(w.deps, org.org_id, channel)).id)
    await switchChannel(w.deps, ids[0] ?? 0, false)
    expect(await get('/notification-channels')).toEqual(
      channels.map((channel, i) => ({ ...channel, id: ids[i], enabled: i !== 0 })),
    )
    await removeChannel(w.deps, ids[1] ?? 0)
    expect(await get('/notification-channels')).toHaveLength(4)
  })

  test('an address that its owner has not confirmed says so', async () => {
    await createChannel(w.deps, org.org_id, { kind: 'email', name: 'mail', email: 'who@example.com' }, undefined, {
      asksOwner: true,
    })
    expect(await get('/notification-channels')).toMatchObject([{ email: 'who@example.com', unconfirmed: true }])
  })
})

describe('GET /members', () => {
  test('the owner comes first, then the others by address in any case', async () => {
    for (const email of ['zoe', 'Bob', 'alice', 'Carol'])
      await addMember(w.deps, org.org_id, `${email}-${org.org_id}@example.com`)
    const members = (await get('/members')) as { id: number; email: string; is_owner: boolean; joined_at: string }[]
    expect(members.map(({ email }) => email.split('-')[0]).slice(1)).toEqual(['alice', 'Bob', 'Carol', 'zoe'])
    expect(members.map(({ is_owner }) => is_owner)).toEqual([true, false, false, false, false])
    expect(members[0]).toEqual({
      id: org.owner_id,
      email: expect.stringContaining('@example.com'),
      is_owner: true,
      joined_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    })
    await setOwner(w.deps, org.org_id, `zoe-${org.org_id}@example.com`)
    expect((await get('/members'))[0]).toMatchObject({ email: `zoe-${org.org_id}@example.com`, is_owner: true })
  })
})

describe('GET /settings', () => {
  const LIMITS = {
    free: [10, 1, 1, 2, 10, 120, 30, true, true, false, false, false],
    solo: [20, 5, 1, 5, 30, 60, 183, true, true, false, false, true],
    double: [40, 10, 2, 10, 45, 45, 274, true, true, false, true, true],
    team: [100, 25, 0, 0, 60, 30, 365, true, true, true, true, true],
  }
  const plans = Object.keys(LIMITS)
  test.each(Object.entries(LIMITS))('%s: every key of the entitlements', async (plan, values) => {
    org = await w.org(plan)
    token = await w.pat(org)
    const [checks, heartbeats, members, channels, timeout, interval, days, email, ntfy, slack, webhook, page] = values
    expect((await get('/settings')).entitlements).toEqual({
      Plan: plan,
      MaxChecks: checks,
      MaxHeartbeats: heartbeats,
      MaxMembers: members,
      MaxNotificationChannels: channels,
      MaxTimeoutSec: timeout,
      MinIntervalSec: interval,
      RetentionRawDays: days,
      RetentionRollupDays: days,
      AllowChannelEmail: email,
      AllowChannelNtfy: ntfy,
      AllowChannelSlack: slack,
      AllowChannelWebhook: webhook,
      ...laterFlags((kind) => plans.indexOf(kind.plan) <= plans.indexOf(plan)),
      AllowStatusPage: page,
    })
  })

  test('usage carries every key when there is nothing yet', async () => {
    expect((await get('/settings')).plan_usage).toEqual({
      Checks: 0,
      ChecksWithCertExpiry: 0,
      Heartbeats: 0,
      MaxTimeoutSec: 0,
      MinIntervalSec: 0,
      Members: 1,
      NotificationChannels: 0,
      StatusPageEnabled: false,
      UsedChannelKindsLabel: '',
    })
  })

  test('usage is counted live; a timeout of 0 counts as 10, a deleted check not at all', async () => {
    const entries = [
      { timeout_sec: 0, interval_sec: 45 },
      { timeout_sec: 5, cert_expiry_warn_days: 7 },
      { timeout_sec: 60, interval_sec: 30 },
    ]
    const guids = await w.checks(org, entries)
    await createHeartbeat(w.deps, org.org_id, {
      name: 'b',
      interval_sec: 60,
      grace_sec: 0,
      resend_interval_sec: 0,
      show_on_status_page: false,
    })
    for (const name of ['a', 'b']) await createChannel(w.deps, org.org_id, { kind: 'ntfy', name, ntfy_topic: name })
    await createChannel(w.deps, org.org_id, { kind: 'email', name: 'c', email: 'a@example.com' })
    await addMember(w.deps, org.org_id, `bob-${org.org_id}@example.com`)
    await setStatusPage(w.deps, org.org_id, true)
    const counted = {
      ChecksWithCertExpiry: 1,
      Heartbeats: 1,
      Members: 2,
      NotificationChannels: 3,
      StatusPageEnabled: true,
      UsedChannelKindsLabel: 'email, ntfy',
    }
    expect((await get('/settings')).plan_usage).toEqual({
      Checks: 3,
      MaxTimeoutSec: 60,
      MinIntervalSec: 30,
      ...counted,
    })
    await deleteCheck(w.deps, guids[2] ?? '')
    expect((await get('/settings')).plan_usage).toEqual({
      Checks: 2,
      MaxTimeoutSec: 10,
      MinIntervalSec: 45,
      ...counted,
    })
    // The switch is the org's own, whatever the plan allows.
    await setPlan(w.deps, org.org_id, 'free')
    expect(await get('/settings')).toMatchObject({
      entitlements: { AllowStatusPage: false },
      plan_usage: { StatusPageEnabled: true },
    })
  })
})
