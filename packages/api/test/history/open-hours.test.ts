// The newest results of a check that runs often are rows: hours are sealed some minutes after their end. They are read without
// a look at sealed hours, wherever that gives what all places together give.
// In a plain world: on a cluster, statements read all places.

import { END, listResultsBefore } from '@dogwatch/store/results/result-pages'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { readCheckStates } from '../../../domain/src/checks/overview.ts'
import { plainWorld } from '../support/on-cluster.ts'
import { sealBefore } from '../support/sealed.ts'
import type { World } from '../support/world.ts'

const at = (text: string) => `2026-11-20T${text}.000000Z`
const NOW = new Date('2026-11-20T13:15:00Z')
const MINUTE_MS = 60_000
const INTERVALS = { often: 60, late: 1800, seldom: 7200 } as const
const NAMES = Object.keys(INTERVALS) as (keyof typeof INTERVALS)[]

let w: World
let org_id: number
let check_ids: Record<(typeof NAMES)[number], number>
/** Statements that name sealed hours. */
const sent: string[] = []
const { query } = pg.Client.prototype
beforeAll(async () => {
  // The database's connections take it as it is when they open.
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [first] = given
    const text = typeof first === 'string' ? first : (first as pg.QueryConfig).text
    if (/\bsealed_hours\b/.test(text)) sent.push(text)
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  } as typeof query
  w = await plainWorld()
  w.clock.forward((NOW.getTime() - w.clock.now().getTime()) / 1000)
  const org = await w.org()
  ;({ org_id } = org)
  await w.monitor(org)
  await w.checks(
    org,
    NAMES.map((name) => ({ name, interval_sec: INTERVALS[name] })),
    'all',
  )
  const rows = await w.rows('select name, check_id from checks where org_id = $1', org_id)
  check_ids = Object.fromEntries(rows.map(({ name, check_id }) => [name, Number(check_id)])) as typeof check_ids
  const runs = (of: keyof typeof check_ids, from: string, until: string, table = 'results') =>
    w.rows(
      `insert into ${table} (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
       select $1, $2, t, 40, 200, true, 'one' from generate_series($3::timestamptz, $4::timestamptz, '1 minute') t`,
      ...[org_id, check_ids[of], from, until],
    )
  await runs('often', at('10:00:00'), at('13:14:00'))
  await runs('late', at('10:00:00'), at('12:50:00'))
  await runs('seldom', at('10:05:00'), at('10:05:00'))
  await sealBefore(w, '2026-11-20T12:00:00Z')
  // The next hour is closed and not sealed yet: what is late for it waits elsewhere.
  await w.rows('update seal_progress set announced = $1, closed = $1, settled = $1', at('13:00:00'))
  await runs('often', at('12:59:30'), at('12:59:30'), 'reopened_results')
  await runs('late', at('12:55:00'), at('12:55:00'), 'reopened_results')
})
afterAll(async () => {
  await w.close()
  pg.Client.prototype.query = query
})

async function newestOf(limit: number): Promise<string[]> {
  const check = { org_id, check_id: check_ids.often, result_detail_max_chars: 256 }
  const near = { ms: 86_400_000, until: NOW, page_ms: limit * MINUTE_MS }
  sent.length = 0
  return (await listResultsBefore(w.deps.database, check, END, limit, near)).map(({ ran_at }) => ran_at)
}

test('a page that hours fill which are not closed is read without sealed hours', async () => {
  const found = await newestOf(15)
  expect([found[0], found.at(-1), found.length]).toEqual([at('13:14:00'), at('13:00:00'), 15])
  expect(sent).toEqual([])
})

test('a page that begins in an hour that is closed has what came late for it', async () => {
  expect((await newestOf(17)).slice(-2)).toEqual([at('12:59:30'), at('12:59:00')])
  expect(sent.length).toBeGreaterThan(0)
})

test('a page that takes longer than hours are open is not looked for there', async () => {
  expect((await newestOf(190)).at(-1)).toBe(at('10:06:00'))
  expect(sent).toHaveLength(1)
})

test('the newest result of each check is found wherever it is', async () => {
  const states = await readCheckStates(w.deps.database, org_id, NOW)
  expect(Object.fromEntries(states.map(({ name, latest }) => [name, latest?.ran_at]))).toEqual({
    often: at('13:14:00'),
    late: at('12:55:00'),
    seldom: at('10:05:00'),
  })
})

test('checks that ran in hours that are not closed are listed without sealed hours', async () => {
  sent.length = 0
  await readCheckStates(w.deps.database, org_id, NOW, [check_ids.often])
  expect(sent).toEqual([])
})
