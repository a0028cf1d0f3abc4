// No monitor's clock rules a verdict, a pause is a break, and what comes late is not news.

import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { importChecks } from '@dogwatch/domain/checks/import'
import { inspectCheck } from '@dogwatch/domain/checks/inspect'
import { switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { readMonitor } from '@dogwatch/domain/monitors/read'
import { gatedTime } from '@dogwatch/store/gated-time'
import { PRUNERS } from '@dogwatch/store/results/retention'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readOverview } from '../../../domain/src/checks/overview.ts'
import { type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** Results that ran `ago` seconds before now, the oldest first: `F`, or `S`. */
type Run = readonly ['F' | 'S', number]

interface Sent {
  by?: Monitor
  /** How far the sender's clock is ahead, in seconds; its results are dated by it. */
  ahead?: number
  /** False: it does not say what its clock shows. */
  says?: boolean
  /** How long the request waited because the server stood still, in seconds. */
  held?: number
  remaining?: number
}

interface Story {
  org: Org
  monitor: Monitor
  guid: string
  send(runs: readonly Run[], sent?: Sent): Promise<void>
  told(): Promise<string[]>
  incidents(): Promise<{ began: number; ended: number | null; end_reason: string | null }[]>
}

const iso = (ms: number) => new Date(ms).toISOString()

async function story(entry: Record<string, unknown> = {}): Promise<Story> {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop', ...entry }], 'all')
  return {
    org,
    monitor,
    guid,
    send: async (runs, { by = monitor, ahead = 0, says = true, held = 0, remaining } = {}) => {
      const now = w.clock.now().getTime()
      const results = runs.map(([outcome, ago]) =>
        result(guid, {
          ran_at: iso(now + (ahead - ago) * 1000),
          success: outcome === 'S',
          ...(outcome === 'F' && { error: 'refused: no', http_status: 0 }),
        }),
      )
      const body = { results, ...(says && { sent_at: iso(now + (ahead - held) * 1000) }), remaining }
      w.clock.hold(held)
      await w.http.post(`${PREFIX}/results`).set('Authorization', `Bearer ${by.key}`).send(body).expect(200)
      w.clock.hold(0)
    },
    told: async () => {
      const rows = await w.rows('select type from events where org_id = $1 order by created_at, type', org.org_id)
      return rows.map(({ type }) => String(type))
    },
    incidents: async () => {
      const rows = await w.rows(
        `select wire_time(began_at) as began, wire_time(ended_at) as ended, end_reason from incidents
         where org_id = $1 order by began_at`,
        org.org_id,
      )
      const now = w.clock.now().getTime()
      const ago = (at: unknown) => Math.round((now - Date.parse(String(at))) / 1000)
      return rows.map(({ began, ended, end_reason }) => ({
        began: ago(began),
        ended: ended === null ? null : ago(ended),
        end_reason: end_reason as string | null,
      }))
    },
  }
}

/** A minute goes by, and what is due is judged again. */
async function minute(count = 1): Promise<void> {
  for (let i = 0; i < count; i++) {
    w.clock.forward(60)
    await rejudgeChecks(w.deps)
  }
}

describe('a clock that is off', () => {
  test('one success dated nine minutes ahead does not keep a check up through the failures of two right clocks', async () => {
    const { org, send, told } = await story({ down_interval_sec: 3 })
    const [wrong, right] = [await w.monitor(org, 'wrong'), await w.monitor(org, 'right')]
    await send([['S', 0]], { by: wrong, ahead: 540, says: false })
    for (let i = 0; i < 3; i++) {
      await minute()
      await send([['F', 1]], i % 2 === 0 ? { by: right } : {})
    }
    expect(await told()).toEqual(['check.down'])
  })

  test('one failure dated ahead does not keep it down through successes', async () => {
    const { org, send, told, incidents } = await story()
    const wrong = await w.monitor(org, 'wrong')
    await send([['F', 0]], { by: wrong, ahead: 540, says: false })
    await minute()
    await send([['S', 1]])
    expect(await told()).toEqual(['check.down', 'check.up'])
    expect(await incidents()).toEqual([{ began: 60, ended: 1, end_reason: 'recovered' }])
  })

  test.each(['FS', 'SF', 'FSF', 'SFS', 'FFS', 'FSFS', 'SFSF'])(
    'the runs %s that it dates later than their receipt count in their order, in whatever order they are sent',
    async (outcomes) => {
      const runs = outcomes.split('').map((outcome, n) => [outcome, 300 - n] as ['S' | 'F', number])
      for (const order of [runs, runs.toReversed()]) {
        const { send, incidents } = await story({ down_interval_sec: 1 })
        await send([['S', 600]], { ahead: 540, says: false })
        await send(order, { ahead: 540, says: false })
        const ends = outcomes.match(/F+S?/g)?.map((failures) => failures.endsWith('S'))
        expect((await incidents()).map(({ ended }) => ended !== null)).toEqual(ends)
      }
    },
  )

  test('an upload that waited for a server which stood still is no news, and shows no wrong clock', async () => {
    const { org, monitor, send, told } = await story()
    const other = await w.monitor(org, 'other')
    await send([['S', 1]])
    await minute()
    await send([['S', 2]], { by: other })
    await send([['F', 25]], { held: 22 })
    expect(await told()).toEqual([])
    expect((await readMonitor(w.deps, org.org_id, monitor.id)).clock_offset_ms).toBe(0)
  })

  test('what a stalled link lets through at once is no news, and shows no wrong clock', async () => {
    const { org, monitor, send, told } = await story()
    const other = await w.monitor(org, 'other')
    await send([['S', 1]])
    await minute()
    await send([['S', 2]], { by: other })
    // The link held an upload and a report for 29 s, which nobody here can see.
    const stalled = { version: '1', uptime_sec: 1, unsent_results: 0, sent_at: iso(w.clock.now().getTime() - 29_000) }
    await w.http.post(`${PREFIX}/status`).set('Authorization', `Bearer ${monitor.key}`).send(stalled).expect(200)
    await send([['F', 1]], { ahead: -29 })
    expect(await told()).toEqual([])
    expect((await readMonitor(w.deps, org.org_id, monitor.id)).clock_offset_ms).toBe(0)
    w.clock.forward(2)
    await send([['S', 1]])
    // What comes next shows that the clock is right, and the doubt is over.
    w.clock.forward(10)
    await send([['S', 1]], { ahead: -29 })
    expect((await readMonitor(w.deps, org.org_id, monitor.id)).clock_offset_ms).toBe(0)
  })

  test('a clock that is an hour behind stays so while a server stands still', async () => {
    const { org, monitor, send, told } = await story()
    const other = await w.monitor(org, 'other')
    await send([['S', 1]], { ahead: -3600 })
    await minute()
    await send([['S', 2]], { by: other })
    await send([['F', 25]], { ahead: -3600, held: 22 })
    expect(await told()).toEqual([])
    expect((await readMonitor(w.deps, org.org_id, monitor.id)).clock_offset_ms).toBe(-3_600_000)
  })

  test('results of a clock that is an hour behind count when they ran, and are read as they were sent', async () => {
    const { org, send, told, incidents, guid } = await story({ down_interval_sec: 2 })
    const behind = await w.monitor(org, 'behind')
    await send([['S', 5]])
    await minute()
    await send([['F', 5]], { by: behind, ahead: -3600 })
    await minute()
    await send([['F', 5]], { by: behind, ahead: -3600 })
    expect(await told()).toEqual(['check.down'])
    expect(await incidents()).toEqual([{ began: 65, ended: null, end_reason: null }])
    await minute()
    await send([['S', 5]], { by: behind, ahead: -3600 })
    expect(await told()).toEqual(['check.down', 'check.up'])
    const kept = await w.rows(
      'select wire_time(ran_at) as ran_at from results join checks using (org_id, check_id) where guid = $1 and monitor_id = $2',
      guid,
      behind.id,
    )
    const now = w.clock.now().getTime()
    expect(kept.map(({ ran_at }) => Date.parse(String(ran_at)) - now)).toEqual([-3_725_000, -3_665_000, -3_605_000])
  })

  test('what is sent twice keeps its place, and honest results cost no row', async () => {
    const { org, send, told } = await story()
    const wrong = await w.monitor(org, 'wrong')
    const shifted = async () => (await w.rows('select from shifted_results where org_id = $1', org.org_id)).length
    await send([['F', 9]], { by: wrong, ahead: 1.5 })
    w.clock.forward(1)
    await send([['S', 3]], { by: wrong, ahead: -1.5 })
    expect(await shifted()).toBe(0)
    w.clock.forward(1)
    for (let i = 0; i < 2; i++) await send([['F', 0]], { by: wrong, ahead: 300 })
    expect(await shifted()).toBe(1)
    expect(await told()).toEqual(['check.down', 'check.up', 'check.down'])
  })

  test('is kept with the monitor, and written when it moves', async () => {
    const { org, monitor, send } = await story()
    const offset = async () => (await readMonitor(w.deps, org.org_id, monitor.id)).clock_offset_ms
    expect(await offset()).toBeNull()
    for (const [ahead, kept, wait] of [
      [0.4, 0, 1],
      [90, 90_000, 1],
      [90.8, 90_000, 1],
      // Further behind than it was: a stalled network would show the same, so it takes a second request, five seconds later.
      [-45, 90_000, 4],
      [-45, 90_000, 1],
      [-45, -45_000, 1],
      [1, 0, 1],
    ] as const) {
      await send([['S', 0]], { ahead })
      expect({ ahead, offset: await offset() }).toEqual({ ahead, offset: kept })
      w.clock.forward(wait)
    }
    const report = { version: '1', uptime_sec: 1, unsent_results: 0, sent_at: iso(w.clock.now().getTime() + 7000) }
    await w.http.post(`${PREFIX}/status`).set('Authorization', `Bearer ${monitor.key}`).send(report).expect(200)
    expect(await offset()).toBe(7000)
  })

  test.each([-7200, -300, 300])(
    'of %d s decides nothing about whether a check was seen since its pause, nor which result is the newest',
    async (ahead) => {
      const { org, guid, send } = await story()
      const shown = async () => {
        const { checks } = await readOverview(w.deps, org.org_id)
        const one = await inspectCheck(w.deps, org.org_id, guid, { period: 'day' })
        expect([one.state, one.latest?.success]).toEqual([checks[0]?.state, checks[0]?.latest?.success])
        return [one.state, one.latest?.success]
      }
      await send([['F', 2]], { ahead })
      expect(await shown()).toEqual(['down', false])
      await switchCheck(w.deps, guid, false)
      w.clock.forward(60)
      await switchCheck(w.deps, guid, true)
      expect(await shown()).toEqual(['unknown', false])
      w.clock.forward(60)
      await send([['S', 30]], { ahead })
      expect(await shown()).toEqual(['up', true])
      const right = await w.monitor(org, 'right')
      await send([['F', 10]], { by: right })
      expect(await shown()).toEqual(['down', false])
      await send([['S', 1]], { ahead })
      expect(await shown()).toEqual(['up', true])
    },
  )

  test('what was shifted goes with its results', async () => {
    const { org, send } = await story()
    await send([['F', 0]], { ahead: -3600 })
    const left = async () => (await w.rows('select from shifted_results where org_id = $1', org.org_id)).length
    expect(await left()).toBe(1)
    const prune = async (days: number) => {
      const edge = gatedTime(iso(w.clock.now().getTime() + days * 86_400_000))
      await PRUNERS.shifted_results?.(w.deps.database.machines, {
        org_id: org.org_id,
        now: edge,
        edge,
        audit_edge: edge,
        limit: 9,
      })
    }
    await prune(-1)
    expect(await left()).toBe(1)
    await prune(2)
    expect(await left()).toBe(0)
  })
})

describe('a check that loses its last monitor while it is down', () => {
  test('is closed and stays quiet until a result comes after it is given back', async () => {
    const { guid, monitor, send, told, incidents } = await story()
    await send([['F', 1]])
    await unassignMonitors(w.deps, guid, 'all')
    for (let i = 0; i < 6; i++) {
      await sweepUnmonitored(w.deps)
      await minute()
    }
    expect(await told()).toEqual(['check.down'])
    expect(await incidents()).toMatchObject([{ end_reason: 'disabled' }])
    await assignMonitors(w.deps, guid, [monitor.id])
    await minute(2)
    expect(await told()).toEqual(['check.down'])
    await send([['F', 0]])
    expect(await told()).toEqual(['check.down', 'check.down'])
  })
})

describe('a break', () => {
  test('two failures, ten days of pause, and a failure are one failure', async () => {
    const { guid, send, told } = await story({ down_interval_sec: 3 })
    for (let i = 0; i < 2; i++) {
      await send([['F', 1]])
      await minute()
    }
    await switchCheck(w.deps, guid, false)
    w.clock.forward(10 * 86_400)
    await switchCheck(w.deps, guid, true)
    await send([['F', 0]])
    expect(await told()).toEqual([])
  })

  test('an incident after a pause begins after it, and overlaps none', async () => {
    const { guid, send, told, incidents } = await story({ down_interval_sec: 2 })
    for (let i = 0; i < 3; i++) {
      await send([['F', 1]])
      await minute()
    }
    await switchCheck(w.deps, guid, false)
    w.clock.forward(3600)
    await switchCheck(w.deps, guid, true)
    for (let i = 0; i < 2; i++) {
      await send([['F', 0]])
      await minute()
    }
    expect(await told()).toEqual(['check.down', 'check.down'])
    expect(await incidents()).toEqual([
      { began: 3901, ended: 3720, end_reason: 'disabled' },
      { began: 120, ended: null, end_reason: null },
    ])
  })

  test('is an edit of what is watched, and no edit of the rest; what is down stays down until new results decide', async () => {
    const { org, guid, send, told } = await story({ down_interval_sec: 2 })
    const edit = (change: Record<string, unknown>) =>
      importChecks(w.deps, org.org_id, [
        { guid, name: 'shop', url: 'https://example.com/', interval_sec: 60, down_interval_sec: 2, ...change },
      ])
    await send([['F', 1]])
    await minute()
    await edit({ match_string: 'hello' })
    await send([['F', 0]])
    expect(await told()).toEqual([])
    await minute()
    await edit({ match_string: 'hello', name: 'another name', resend_interval_sec: 900 })
    await send([['F', 0]])
    expect(await told()).toEqual(['check.down'])
    await minute()
    await edit({ match_string: 'bye' })
    await send([['F', 0]])
    expect(await told()).toEqual(['check.down'])
    await minute()
    await send([['S', 0]])
    expect(await told()).toEqual(['check.down', 'check.up'])
  })

  test('is a time without any result that is longer than three rounds of the monitors', async () => {
    const { send, told } = await story({ down_interval_sec: 2, interval_sec: 120 })
    await send([['F', 0]])
    w.clock.forward(361)
    await send([['F', 0]])
    expect(await told()).toEqual([])
    w.clock.forward(360)
    await send([['F', 0]])
    expect(await told()).toEqual(['check.down'])
  })
})

describe('what comes late', () => {
  const flapping = (count: number, oldest: number): Run[] =>
    Array.from({ length: count }, (_, i) => [i % 2 === 0 ? 'F' : 'S', oldest - i * 60] as const)

  test('an incident that ended 20 minutes ago, in three batches, is recorded and told to nobody', async () => {
    const { send, told, incidents } = await story({ down_interval_sec: 2 })
    await send(
      [
        ['S', 2400],
        ['F', 2340],
        ['F', 2280],
      ],
      { remaining: 6 },
    )
    await send(
      [
        ['F', 2220],
        ['F', 2160],
        ['F', 2100],
      ],
      { remaining: 3 },
    )
    expect(await incidents()).toEqual([])
    await send(
      [
        ['S', 1200],
        ['S', 60],
        ['S', 0],
      ],
      { remaining: 0 },
    )
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual([])
    expect(await incidents()).toEqual([{ began: 2340, ended: 1200, end_reason: 'recovered' }])
  })

  test('ten incidents of a monitor that does not say how much it has kept are told to nobody, and recorded each', async () => {
    const { send, told, incidents } = await story()
    const runs = flapping(20, 3000)
    for (let i = 0; i < 20; i += 5) await send(runs.slice(i, i + 5))
    await send([['S', 0]])
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual([])
    expect(await incidents()).toHaveLength(10)
  })

  test('what is still down when it has caught up is told, with when it began', async () => {
    const { send, told, incidents } = await story()
    await send(
      [
        ['F', 3000],
        ['S', 2940],
        ['F', 600],
      ],
      { remaining: 3 },
    )
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual([])
    await send(
      [
        ['F', 300],
        ['F', 0],
      ],
      { remaining: 0 },
    )
    expect(await told()).toEqual(['check.down'])
    expect(await incidents()).toEqual([
      { began: 3000, ended: 2940, end_reason: 'recovered' },
      { began: 600, ended: null, end_reason: null },
    ])
  })

  test('a check whose last batch has nothing of it is judged when the monitor has caught up, too', async () => {
    const { org, send, told, monitor } = await story()
    const [other = ''] = await w.checks(org, [{ name: 'other' }], [monitor.id])
    await send([['F', 600]], { remaining: 1 })
    const body = { results: [result(other, { ran_at: w.clock.now().toISOString() })], remaining: 0 }
    await w.http.post(`${PREFIX}/results`).set('Authorization', `Bearer ${monitor.key}`).send(body).expect(200)
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual(['check.down'])
  })

  test('a monitor that never catches up is judged after five minutes', async () => {
    const { send, told } = await story()
    for (let i = 0; i < 5; i++) {
      await send([['F', 900]], { remaining: 1000 })
      await minute()
      if (i < 4) expect(await told()).toEqual([])
    }
    expect(await told()).toEqual(['check.down'])
  })

  test('meanwhile failures that others see live are told at once, and what they see recover', async () => {
    const { org, send, told } = await story({ down_interval_sec: 2 })
    const [late, live] = [await w.monitor(org, 'late'), await w.monitor(org, 'live')]
    await send([['F', 900]], { by: late, remaining: 1000 })
    // One of them is late, and counts for nothing yet.
    await send([['F', 0]], { by: live })
    expect(await told()).toEqual([])
    w.clock.forward(60)
    await send([['F', 0]], { by: live })
    expect(await told()).toEqual(['check.down'])
    w.clock.forward(60)
    await send([['S', 900]], { by: late, remaining: 900 })
    expect(await told()).toEqual(['check.down'])
    await send([['S', 0]], { by: live })
    expect(await told()).toEqual(['check.down', 'check.up'])
  })

  test('while one catches up, what another brings of an earlier time is judged with it', async () => {
    const { org, send, incidents } = await story()
    const [late, away] = [await w.monitor(org, 'late'), await w.monitor(org, 'away')]
    await send(
      [
        ['S', 3600],
        ['F', 3000],
        ['S', 2000],
      ],
      { remaining: 0 },
    )
    await send([['F', 600]], { by: late, remaining: 1 })
    await send(
      [
        ['S', 2500],
        ['S', 900],
      ],
      { by: away, remaining: 0 },
    )
    await send([['S', 500]], { by: late, remaining: 0 })
    await rejudgeChecks(w.deps)
    expect(await incidents()).toEqual([
      { began: 3000, ended: 2500, end_reason: 'recovered' },
      { began: 600, ended: 500, end_reason: 'recovered' },
    ])
  })

  describe('a failure and a success of one instant', () => {
    /** The first counts before the second. */
    async function twoMonitors() {
      const { org, send, incidents } = await story()
      const [one, two] = [await w.monitor(org, 'one'), await w.monitor(org, 'two')]
      const [first, second] = one.id < two.id ? [one, two] : [two, one]
      await send([['S', 1200]], { remaining: 0 })
      return { first: { by: first, remaining: 0 }, second: { by: second, remaining: 0 }, send, incidents }
    }

    test('are one incident, however often it is judged', async () => {
      const { first, second, send, incidents } = await twoMonitors()
      await send([['S', 600]], second)
      await send([['F', 600]], first)
      await send([['S', 1100]], first)
      expect(await incidents()).toEqual([{ began: 600, ended: 600, end_reason: 'recovered' }])
      await send([['F', 900]], first)
      expect(await incidents()).toEqual([{ began: 900, ended: 600, end_reason: 'recovered' }])
    })

    test('end the incident that began with the failure', async () => {
      const { first, second, send, incidents } = await twoMonitors()
      const later: Run[] = [
        ['F', 600],
        ['S', 300],
      ]
      await send(later, first)
      expect(await incidents()).toEqual([{ began: 600, ended: 300, end_reason: 'recovered' }])
      await send([['S', 600]], second)
      expect(await incidents()).toEqual([{ began: 600, ended: 600, end_reason: 'recovered' }])
    })

    test('end an earlier one, to which the failure belongs', async () => {
      const { first, second, send, incidents } = await twoMonitors()
      const [later, earlier]: Run[][] = [
        [
          ['F', 600],
          ['S', 300],
        ],
        [
          ['F', 900],
          ['S', 600],
        ],
      ]
      await send(later ?? [], first)
      await send(earlier ?? [], second)
      expect(await incidents()).toEqual([{ began: 900, ended: 600, end_reason: 'recovered' }])
    })
  })

  test('an incident that was told before ends where it ended, and what came after it is recorded', async () => {
    const { send, told, incidents } = await story()
    await send([['F', 0]])
    w.clock.forward(1800)
    await send(
      [
        ['S', 1500],
        ['F', 1200],
      ],
      { remaining: 2 },
    )
    await send(
      [
        ['S', 900],
        ['S', 0],
      ],
      { remaining: 0 },
    )
    expect(await told()).toEqual(['check.down', 'check.up'])
    expect(await incidents()).toEqual([
      { began: 1800, ended: 1500, end_reason: 'recovered' },
      { began: 1200, ended: 900, end_reason: 'recovered' },
    ])
  })
})
