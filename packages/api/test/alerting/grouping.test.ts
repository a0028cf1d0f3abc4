// Many checks that fail from one monitor and from nowhere else are one message about the monitor: timelines.

import { createChannel } from '@dogwatch/domain/channels/edit'
import type { Deps } from '@dogwatch/domain/deps'
import { remind } from '@dogwatch/domain/events/remind'
import { sweepFailing, untilMonitorInDoubt } from '@dogwatch/domain/monitors/failing'
import { createRoute } from '@dogwatch/domain/routing/edit'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Monitor, result, type World, world } from '../support/world.ts'

const MINUTE = 60

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

interface Given {
  checks?: number
  monitors?: number
  fields?: Record<string, unknown>
}

/** Checks of one organisation that all of its monitors run and see well. */
async function story({ checks = 12, monitors = 1, fields = {} }: Given = {}) {
  const org = await w.org()
  const places: Monitor[] = []
  for (const name of ['Paris', 'Oslo'].slice(0, monitors)) places.push(await w.monitor(org, name))
  const entries = Array.from({ length: checks }, (_, n) => ({ name: `c${n}`, ...fields }))
  const guids = await w.checks(org, entries, 'all')
  const { id: channel_id } = await createChannel(w.deps, org.org_id, {
    kind: 'webhook',
    name: 'chat',
    webhook_url: 'https://hooks.example/',
  })
  /** A letter for each check: `F`, `S`, or `-` for none. */
  const run = async (place: number, letters: string) => {
    w.clock.forward(1)
    const ran_at = w.clock.now().toISOString()
    const ran = Array.from(letters).flatMap((letter, n) => {
      if (letter === '-') return []
      return [
        result(guids[n] ?? '', { ran_at, success: letter === 'S', ...(letter === 'F' && { error: 'timeout: 10 s' }) }),
      ]
    })
    await places[place]?.client.upload(ran)
  }
  const told = async () => {
    const rows = (await w.rows(
      `select e.type, coalesce(e.data -> 'check' ->> 'name', e.data -> 'monitor' ->> 'name') as name,
         jsonb_array_length(e.data -> 'checks') as checks, e.data ->> 'reason' as reason
       from deliveries d join events e using (org_id, event_id) where d.org_id = $1 order by d.created_at, d.delivery_id`,
      org.org_id,
    )) as { type: string; name: string; checks: number | null; reason: string | null }[]
    return rows.map(({ type, name, checks: number, reason }) => {
      const more = type.startsWith('monitor.') ? ` ${number} ${reason ?? ''}` : ''
      return `${name} ${type}${more}`.trimEnd()
    })
  }
  const heldBy = async () => {
    const rows = await w.rows(
      'select distinct held_by from incidents where org_id = $1 and ended_at is null',
      org.org_id,
    )
    return rows.map(({ held_by }) => held_by)
  }
  for (const place of places.keys()) await run(place, 'S'.repeat(checks))
  return { org, places, guids, channel_id, run, told, heldBy, all: (letter: string) => letter.repeat(checks) }
}

/** Lets time pass while the worker looks. `again`: what comes of each minute. */
async function pass(sec: number, again?: () => Promise<void>): Promise<void> {
  const step_sec = sec > 100 ? 10 : 2
  const end = w.clock.now().getTime() + sec * 1000
  for (let passed = step_sec; w.clock.now().getTime() < end; passed += step_sec) {
    w.clock.forward(step_sec)
    await sweepFailing(w.deps)
    await releaseDue(w.deps)
    if (passed % MINUTE === 0) await again?.()
  }
}
const downs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `c${from + n} check.down`).toSorted()

test('twelve checks that fail at once are one message, and so is their recovery', async () => {
  const s = await story()
  await s.run(0, s.all('F'))
  expect(await s.told()).toEqual([])
  await pass(4)
  expect([await s.told(), await s.heldBy()]).toEqual([
    ['Paris monitor.failing 12'],
    [`grouping:${s.places[0]?.id ?? ''}`],
  ])
  await pass(120, () => s.run(0, s.all('F')))
  await s.run(0, s.all('S'))
  await pass(4)
  expect(await s.told()).toEqual(['Paris monitor.failing 12', 'Paris monitor.settled 0 recovered'])
  await pass(120)
  expect(await s.told()).toHaveLength(2)
  expect(await untilMonitorInDoubt(w.deps)).toBe(Infinity)
})

test('checks that alert on every change never wait, also when their monitor fails', async () => {
  const s = await story({ checks: 13 })
  await w.rows('update checks set alert_every_change = true where guid = $1', s.guids[0])
  await s.run(0, s.all('F'))
  await pass(4)
  expect(await s.told()).toEqual(['c0 check.down', 'Paris monitor.failing 13'])
})

test('of checks that begin to fail within 40 s the first two are told, and then the monitor', async () => {
  const s = await story({ checks: 14 })
  for (let n = 0; n < 14; n++) {
    await s.run(0, `${'-'.repeat(n)}F`)
    await pass(2)
  }
  expect(await s.told()).toEqual(['c0 check.down', 'c1 check.down', 'Paris monitor.failing 12'])
  await pass(60, () => s.run(0, s.all('F')))
  await s.run(0, s.all('S'))
  await pass(4)
  expect((await s.told()).slice(3).toSorted()).toEqual([
    'Paris monitor.settled 0 recovered',
    'c0 check.up',
    'c1 check.up',
  ])
})

test('three checks that fail at once are told one by one, a minute later', async () => {
  const s = await story()
  await s.run(0, 'FFF')
  await pass(56)
  expect(await s.told()).toEqual([])
  await pass(10)
  expect((await s.told()).toSorted()).toEqual(downs(0, 3))
})

test('two of thirteen fail elsewhere as well: eleven are no group, and all are told', async () => {
  const s = await story({ checks: 13, monitors: 2 })
  await s.run(1, 'FF')
  expect((await s.told()).toSorted()).toEqual(downs(0, 2))
  await s.run(0, s.all('F'))
  await pass(80)
  expect((await s.told()).toSorted()).toEqual(downs(0, 13))
})

test('what another monitor sees failing as well is told by itself, and the rest is not', async () => {
  const s = await story({ checks: 14, monitors: 2 })
  await s.run(0, s.all('F'))
  await pass(4)
  expect(await s.told()).toEqual(['Paris monitor.failing 14'])
  await s.run(1, `FF${'S'.repeat(12)}`)
  await pass(4)
  expect((await s.told()).toSorted()).toEqual(['Paris monitor.failing 14', ...downs(0, 2)])
  // When it sees most of them failing, it was not the monitor.
  await s.run(0, s.all('F'))
  await s.run(1, s.all('F'))
  await pass(4)
  const told = await s.told()
  expect(told[3]).toBe('Paris monitor.settled 0 confirmed')
  expect(told.slice(4).toSorted()).toEqual(downs(2, 14))
})

test('when some recover, the few that are left are told one by one', async () => {
  const s = await story()
  await s.run(0, s.all('F'))
  await pass(4)
  await s.run(0, 'SSSSSSFFFFFF')
  await pass(10)
  expect(await s.told()).toEqual(['Paris monitor.failing 12'])
  await s.run(0, '------SSFFFF')
  await pass(4)
  expect((await s.told())[1]).toBe('Paris monitor.settled 4 recovered')
  await pass(60)
  const told = await s.told()
  expect(told.slice(2).toSorted()).toEqual(downs(8, 12))
})

test('after a quarter of an hour what no other monitor runs is told by itself, and repeated as people want', async () => {
  const s = await story({ fields: { resend_interval_sec: 600 } })
  await s.run(0, s.all('F'))
  const again = async () => {
    await s.run(0, s.all('F'))
    await remind(w.deps)
  }
  await pass(880, again)
  expect(await s.told()).toEqual(['Paris monitor.failing 12'])
  await pass(40, again)
  expect((await s.told()).slice(1).toSorted()).toEqual(downs(0, 12))
  await pass(640, again)
  expect(await w.rows('select distinct reminders from incidents where org_id = $1', s.org.org_id)).toEqual([
    { reminders: 1 },
  ])
})

test('what another monitor sees well is not told at all, nor that it is flapping', async () => {
  const s = await story({ monitors: 2 })
  await s.run(0, s.all('F'))
  await pass(1000, async () => {
    await s.run(1, s.all('S'))
    await s.run(0, s.all('F'))
  })
  expect(await s.told()).toEqual(['Paris monitor.failing 12'])
  await s.run(0, s.all('S'))
  await pass(10)
  expect((await s.told()).slice(1)).toEqual(['Paris monitor.settled 0 recovered'])
})

test('a monitor that fails and then falls silent is over as well', async () => {
  const s = await story()
  await s.run(0, s.all('F'))
  await pass(4)
  await pass(300)
  expect((await s.told())[1]).toBe('Paris monitor.settled 0 silent')
})

test('less than half of what a monitor runs is no group', async () => {
  const s = await story({ checks: 25 })
  await s.run(0, 'F'.repeat(12) + 'S'.repeat(13))
  await pass(70)
  expect((await s.told()).toSorted()).toEqual(downs(0, 12))
})

test('a process that dies on the way leaves nothing behind, and of two that look at once one tells', async () => {
  const s = await story()
  await s.run(0, s.all('F'))
  const dying: Deps = {
    ...w.deps,
    random: () => {
      throw new Error('the process dies')
    },
  }
  expect(await sweepFailing(dying)).toBe(0)
  expect(
    await w.rows('select * from failing_monitors where org_id = $1 and began_at is not null', s.org.org_id),
  ).toEqual([])
  const told = await Promise.all([sweepFailing(w.deps), sweepFailing(w.deps), sweepFailing(w.deps)])
  expect(told.toSorted()).toEqual([0, 0, 1])
  expect(await s.told()).toEqual(['Paris monitor.failing 12'])
})

test('a channel in its quiet hours hears of the monitor when they end, if it still fails then', async () => {
  const quietFor = async (min: number) => {
    const s = await story()
    const clockAt = (ms: number) => new Date(w.clock.now().getTime() + ms).toISOString().slice(11, 16)
    await createRoute(w.deps, s.org.org_id, {
      name: 'nights',
      scope: { all: true },
      events: ['down', 'up'],
      severity: null,
      quiet: { from: clockAt(-60_000), to: clockAt(min * 60_000), days: [], zone: 'UTC', holds_down: true },
      delay_sec: 0,
      steps: [{ after_sec: 0, channel_ids: [s.channel_id] }],
      enabled: true,
    })
    return s
  }
  const short = await quietFor(3)
  const long = await quietFor(13)
  for (const s of [short, long]) await s.run(0, s.all('F'))
  await pass(240, () => short.run(0, short.all('F')))
  expect(await short.told()).toEqual(['Paris monitor.failing 12'])
  await long.run(0, long.all('S'))
  await pass(900)
  expect(await long.told()).toEqual([])
})
