// A check whose interval is changed all day costs readers of its history no more than one that is changed a few times.

import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { listSchedules } from '@dogwatch/store/checks/schedules'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { timetableOf } from '../../../domain/src/results/watched.ts'
import { type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const MOST_A_DAY = 13
const DAY_MS = 86_400_000

test('of 120 changes a day, 13 schedules remain, and as many runs were due as by all of them', async () => {
  const org = await w.org()
  await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{}], 'all')
  await sweepUnmonitored(w.deps)
  const begin = w.clock.now().getTime()
  // The present interval, and when it was set; undefined while the check is paused.
  let present: { interval: number; since: number } | undefined = { interval: 60, since: begin }
  let [due, scheduled_ms] = [0, 0]
  for (let n = 0; n < 150; n++) {
    w.clock.forward(30 + ((n * 7) % 50))
    const now = w.clock.now().getTime()
    if (present) {
      due += (now - present.since) / 1000 / present.interval
      scheduled_ms += now - present.since
    }
    present = n % 5 === 3 ? undefined : { interval: 30 + ((n * 13) % 90), since: now }
    await w.rows(
      'update checks set enabled = $2, interval_sec = $3 where guid = $1',
      guid,
      present !== undefined,
      present?.interval ?? 60,
    )
    await sweepUnmonitored(w.deps)
  }
  const now = w.clock.now().getTime()
  const checks = await w.rows('select check_id from checks where guid = $1', guid)
  const check_ids = checks.map(({ check_id }) => Number(check_id))
  const rows = await listSchedules(w.deps.database, org.org_id, '-infinity', check_ids)
  const days = new Set(rows.flatMap(({ schedules }) => schedules.map(([since]) => Math.floor(since / DAY_MS))))
  expect(rows[0]?.schedules.length).toBeLessThanOrEqual(MOST_A_DAY * days.size)
  const timetable = timetableOf(rows[0]?.schedules, { created_at: '', interval_sec: 60, enabled: true })
  if (present) due += (now - present.since) / 1000 / present.interval
  if (present) scheduled_ms += now - present.since
  expect(timetable.runsDue(begin, now)).toBeCloseTo(due, 6)
  expect(timetable.scheduledMs(begin, now)).toBe(scheduled_ms)
})
