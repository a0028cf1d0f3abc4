// GET /checks: every field of the sync shape, the delta, tombstones, rank and count.

import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { resetMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { syncCursor } from '@dogwatch/monitor-sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Monitor, type Org, PREFIX, type World, world } from '../support/world.ts'

let w: World
let org: Org
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
})
afterAll(() => w.close())

const get = (monitor: Monitor, query: string) =>
  w.http.get(`${PREFIX}/checks${query}`).set('Authorization', `Bearer ${monitor.key}`)
/** What a monitor sees of a check in a full sync. */
const seen = async (monitor: Monitor, guid: string) =>
  (await monitor.client.sync()).checks.find((check) => check.guid === guid)
const turns = async (monitor: Monitor, guid: string) => {
  const check = await seen(monitor, guid)
  return [check?.monitor_rank, check?.monitor_count]
}

const FULL = {
  name: 'shop',
  url: 'https://user:secret@shop.example.com/health?x=1#y',
  enabled: true,
  interval_sec: 30,
  timeout_sec: 60,
  disable_redirects: true,
  insecure_skip_verify: true,
  headers: { Host: 'shop.example.com', 'X-Token': 'abc' },
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

describe('the sync shape', () => {
  test('a check with every field arrives with every field', async () => {
    const monitor = await w.monitor(org)
    const [guid] = await w.checks(org, [FULL], 'all')
    const { checks } = await monitor.client.sync()
    expect(checks).toEqual([
      {
        ...FULL,
        guid,
        deleted: false,
        monitor_count: 1,
        monitor_rank: 0,
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      },
    ])
  })

  test('optional fields that are 0, false or empty are absent, the required ones are there', async () => {
    const monitor = await w.monitor(org)
    const bare = {
      headers: {},
      post_data: '',
      match_mode: '',
      timeout_sec: 0,
      invert_result: false,
      cert_expiry_warn_days: 0,
    }
    const [guid] = await w.checks(org, [{ name: 'bare', ...bare }], 'all')
    const { checks } = await monitor.client.sync()
    expect(checks).toEqual([
      {
        guid,
        name: 'bare',
        url: 'https://example.com/',
        enabled: true,
        deleted: false,
        interval_sec: 60,
        match_string: '',
        result_detail_max_chars: 256,
        monitor_count: 1,
        monitor_rank: 0,
        updated_at: expect.any(String),
      },
    ])
  })

  test('result_detail_max_chars is always there; 0 means send nothing', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{ result_detail_max_chars: 0 }], 'all')
    expect(await seen(monitor, guid)).toHaveProperty('result_detail_max_chars', 0)
  })

  test('a private definition is a live row with its definition blank', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{ ...FULL }], 'all')
    await wipeDefinition(w.deps, guid)
    const check = await seen(monitor, guid)
    expect(check).toMatchObject({
      name: 'shop',
      url: '',
      match_string: '',
      deleted: false,
      timeout_sec: 60,
      invert_result: true,
    })
    for (const field of ['match_mode', 'post_data', 'headers', 'status_code_op', 'status_code_value']) {
      expect(check).not.toHaveProperty(field)
    }
  })

  test('a paused check comes with enabled false', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{}], 'all')
    await switchCheck(w.deps, guid, false)
    expect(await seen(monitor, guid)).toMatchObject({ enabled: false, deleted: false })
  })

  test('only what is assigned comes', async () => {
    const [mine, other] = [await w.monitor(org), await w.monitor(await w.org())]
    const [guid] = await w.checks(org, [{}, {}], [])
    await assignMonitors(w.deps, guid ?? '', [mine.id])
    expect((await mine.client.sync()).checks.map((check) => check.guid)).toEqual([guid])
    expect((await other.client.sync()).checks).toEqual([])
  })
})

describe('the delta', () => {
  test('holds what changed strictly after since, and server_time is the next since', async () => {
    const monitor = await w.monitor(org)
    const [one = '', two = ''] = await w.checks(org, [{}, {}], 'all')
    const first = await monitor.client.sync()
    expect(first.checks).toHaveLength(2)
    expect((await monitor.client.sync(first.server_time)).checks).toEqual([])
    await switchCheck(w.deps, two, false)
    const second = await monitor.client.sync(first.server_time)
    expect(second.checks.map((check) => check.guid)).toEqual([two])
    expect(second.server_time > first.server_time).toBe(true)
    await switchCheck(w.deps, one, false)
    expect((await monitor.client.sync(second.server_time)).checks.map((check) => check.guid)).toEqual([one])
    // The row at exactly `since` is not sent again.
    const at = syncCursor(second.checks[0]?.updated_at ?? '')
    expect((await monitor.client.sync(at)).checks.map((check) => check.guid)).toEqual([one])
  })

  test('since defaults to the Unix epoch', async () => {
    const monitor = await w.monitor(org)
    await w.checks(org, [{}], 'all')
    const [without, epoch] = [await get(monitor, ''), await get(monitor, '?since=1970-01-01T00:00:00Z')]
    expect((without.body as { checks: unknown[] }).checks).toHaveLength(1)
    expect((epoch.body as { checks: unknown[] }).checks).toEqual((without.body as { checks: unknown[] }).checks)
  })

  test('a deleted check comes as a blank tombstone', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [FULL], 'all')
    const { server_time } = await monitor.client.sync()
    await deleteCheck(w.deps, guid)
    const { checks } = await monitor.client.sync(server_time)
    expect(checks).toEqual([
      {
        guid,
        name: '',
        url: '',
        enabled: false,
        deleted: true,
        match_string: '',
        interval_sec: 30,
        result_detail_max_chars: 100,
        updated_at: expect.any(String),
      },
    ])
  })

  test('an unassigned check comes as a tombstone to the monitor that lost it, on a first sync too', async () => {
    const [lost, kept] = [await w.monitor(org), await w.monitor(org)]
    const [guid = ''] = await w.checks(org, [FULL], 'all')
    const { server_time } = await lost.client.sync()
    await unassignMonitors(w.deps, guid, [lost.id])
    for (const since of [server_time, undefined]) {
      const { checks } = await lost.client.sync(since)
      expect(checks).toEqual([expect.objectContaining({ guid, deleted: true, url: '', name: '' })])
      expect(checks[0]).not.toHaveProperty('monitor_rank')
      expect(checks[0]).not.toHaveProperty('monitor_count')
      expect(checks[0]).not.toHaveProperty('headers')
    }
    expect(await seen(kept, guid)).toMatchObject({ deleted: false, monitor_count: 1, monitor_rank: 0 })
  })

  test('what happens to a check after it was taken away is no longer told', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{}], 'all')
    await unassignMonitors(w.deps, guid, [monitor.id])
    const { server_time } = await monitor.client.sync()
    await importChecks(w.deps, org.org_id, [
      { guid, name: 'renamed', url: 'https://new.example.com/', interval_sec: 60 },
    ])
    expect((await monitor.client.sync(server_time)).checks).toEqual([])
  })

  test('a check that was given back is live again', async () => {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{}], 'all')
    await unassignMonitors(w.deps, guid, [monitor.id])
    const { server_time } = await monitor.client.sync()
    await assignMonitors(w.deps, guid, [monitor.id])
    expect((await monitor.client.sync(server_time)).checks).toMatchObject([{ guid, deleted: false, monitor_count: 1 }])
  })
})

describe('monitor_count and monitor_rank', () => {
  let monitors: Monitor[]
  let guid: string
  beforeEach(async () => {
    monitors = [await w.monitor(org), await w.monitor(org), await w.monitor(org)]
    // Byte order of ids, whatever the order of enrollment.
    monitors.sort((a, b) => (a.id < b.id ? -1 : 1))
    ;[guid = ''] = await w.checks(org, [{}], 'all')
  })
  const all = async () => Promise.all(monitors.map((monitor) => turns(monitor, guid)))
  /** Which monitors hear of the check again after a change. */
  const hear = async (change: () => Promise<void>) => {
    const before = await Promise.all(monitors.map((monitor) => monitor.client.sync().catch(() => undefined)))
    await change()
    const after = await Promise.all(
      monitors.map((monitor, i) => monitor.client.sync(before[i]?.server_time).catch(() => undefined)),
    )
    return after.map((delta) => delta?.checks.some((check) => check.guid === guid))
  }

  test('every monitor has its place, from 0, in byte order of ids', async () => {
    expect(await all()).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ])
  })

  test.each([
    ['the org', 'enabled'],
    ['the platform', 'platform_enabled'],
  ] as const)(
    'one disabled by %s leaves the turns, the others hear of it, and again when it is back',
    async (_, which) => {
      const [, middle] = monitors
      const id = middle?.id ?? ''
      expect(await hear(() => switchMonitor(w.deps, id, which, false))).toEqual([true, undefined, true])
      expect(await turns(monitors[0] as Monitor, guid)).toEqual([0, 2])
      expect(await turns(monitors[2] as Monitor, guid)).toEqual([1, 2])
      expect(await hear(() => switchMonitor(w.deps, id, which, true))).toEqual([true, true, true])
      expect(await all()).toEqual([
        [0, 3],
        [1, 3],
        [2, 3],
      ])
    },
  )

  test('one that was enrolled joins the turns of what is for all', async () => {
    expect(await hear(async () => void (await w.monitor(org)))).toEqual([true, true, true])
    expect(await turns(monitors[0] as Monitor, guid)).toEqual([expect.any(Number), 4])
  })

  test('one that was unassigned leaves the turns, one assigned joins', async () => {
    const id = monitors[0]?.id ?? ''
    expect(await hear(() => unassignMonitors(w.deps, guid, [id]))).toEqual([true, true, true])
    expect((await all()).slice(1)).toEqual([
      [0, 2],
      [1, 2],
    ])
    expect(await hear(() => assignMonitors(w.deps, guid, [id]))).toEqual([true, true, true])
    expect(await all()).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ])
  })

  test('one that was reset still counts', async () => {
    await resetMonitor(w.deps, monitors[1]?.id ?? '')
    expect(await turns(monitors[2] as Monitor, guid)).toEqual([2, 3])
  })

  test('a shared monitor takes part in what is not restricted, and hears nothing of what is', async () => {
    const shared = await w.monitor(null)
    const [inner = ''] = await w.checks(org, [{ url: 'http://10.0.0.1/' }], 'all')
    expect(await seen(shared, guid)).toMatchObject({ monitor_count: 4 })
    expect(await seen(shared, inner)).toBeUndefined()
    expect(await seen(monitors[0] as Monitor, inner)).toMatchObject({ monitor_count: 3 })
    await wipeDefinition(w.deps, guid)
    expect(await seen(shared, guid)).toMatchObject({ deleted: true })
    await switchMonitor(w.deps, shared.id, 'platform_enabled', false)
  })

  test('property: at any moment the live ranks of a check are 0 to count - 1, each once', async () => {
    const toggle = fc.record({ i: fc.nat(2), what: fc.constantFrom('assign', 'unassign', 'enable', 'disable') })
    await fc.assert(
      fc.asyncProperty(fc.array(toggle, { minLength: 1, maxLength: 6 }), async (steps) => {
        for (const { i, what } of steps) {
          const id = monitors[i]?.id ?? ''
          if (what === 'assign') await assignMonitors(w.deps, guid, [id])
          else if (what === 'unassign') await unassignMonitors(w.deps, guid, [id])
          else await switchMonitor(w.deps, id, 'enabled', what === 'enable')
        }
        const answers = await Promise.all(monitors.map((monitor) => seen(monitor, guid).catch(() => undefined)))
        const live = answers.filter((check) => check && !check.deleted)
        expect(live.map((check) => check?.monitor_rank).sort()).toEqual(live.map((_, i) => i))
        expect(live.map((check) => check?.monitor_count)).toEqual(live.map(() => live.length))
      }),
      { numRuns: 25 },
    )
  })
})

describe('since', () => {
  test.each([
    '',
    'now',
    '2026-02-30T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20',
    '2026-11-20 10:00:00Z',
    '0000-01-01T00:00:00Z',
    '-1',
    'NaN',
  ])('%j is 400', async (since) => {
    const monitor = await w.monitor(org)
    const answer = await get(monitor, `?since=${encodeURIComponent(since)}`)
    expect({ status: answer.status, line: answer.text }).toEqual({
      status: 400,
      line: 'since must be an RFC 3339 date-time',
    })
  })

  test.each([
    '2026-11-20T10:00:00Z',
    '2026-11-20t10:00:00z',
    '2026-11-20T10:00:00.123456789012345678901234567890Z',
    '2026-11-20T10:00:00%2B05:30',
    '2026-11-20T10:00:00+05:30',
    '2026-11-20T10:00:00-00:30',
    '2026-11-20T10%3A00%3A00%2b05%3A30',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999Z',
    '2016-12-31T23:59:60Z',
  ])('%s is taken, raw colons and all', async (since) => {
    expect((await get(await w.monitor(org), `?since=${since}`)).status).toBe(200)
  })

  test('sent twice is 400; an unknown parameter is ignored', async () => {
    const monitor = await w.monitor(org)
    const now = '2026-11-20T10:00:00Z'
    expect((await get(monitor, `?since=${now}&since=${now}`)).status).toBe(400)
    expect((await get(monitor, `?until=${now}&since=${now}`)).status).toBe(200)
  })
})
