// What maintenance costs whoever raises an alert: it does not grow with what is planned, nor with what is over.

import { gatedTime } from '@dogwatch/store/gated-time'
import { listSpans } from '@dogwatch/store/maintenance/spans'
import { listAnnounced } from '@dogwatch/store/maintenance/times'
import { LEFTOVERS } from '@dogwatch/store/results/leftovers'
import { readRoutingMarks } from '@dogwatch/store/routing/marks'
import type { Tables } from '@dogwatch/store/tables'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql, type Transaction } from 'kysely'
import { type World, world } from '../support/world.ts'

const WINDOWS = 20
const NOW = '2026-11-20T12:00:30.000000Z'

let w: World
let org_id: number
beforeAll(async () => {
  w = await world()
  org_id = (await w.org()).org_id
  // Each is on for ten minutes of every hour: for sixty days back, and for sixty to come. One of them is on now.
  await w.rows(
    `insert into maintenance_windows (org_id, guid, name, scope, starts_at, duration_sec, zone, is_public, spread_until, created_at)
     select $1, n::text, n::text, '{"all": true}', '2026-09-20T00:00', 600, 'UTC', true, now(), now() from generate_series(1, $2::integer) n`,
    org_id,
    WINDOWS,
  )
  await w.rows(
    `insert into maintenance_spans
     select org_id, window_id, at, at + interval '10 minutes', name, scope, is_public
     from (select *, row_number() over (order by window_id) - 1 as place from maintenance_windows where org_id = $1) m,
       lateral (select $2::timestamptz + h * interval '1 hour' + (case when m.place = 0 then 0 else 20 + m.place end) * interval '1 minute' as at
         from generate_series(-1440, 1440) h) t`,
    org_id,
    '2026-11-20T12:00:00.000000Z',
  )
  await w.rows('analyze maintenance_spans')
  await w.rows('analyze maintenance_windows')
})
afterAll(() => w.close())

/** How many spans a transaction has read, and whether it read the whole table. */
async function readsOf(act: (trx: Transaction<Tables>) => Promise<unknown>): Promise<{ scans: number; rows: number }> {
  return w.deps.database.machines.transaction().execute(async (trx) => {
    await act(trx)
    const { rows } = await sql<{ scans: number; rows: number }>`
      select seq_scan::integer as scans, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as rows
      from pg_stat_xact_user_tables where relname = 'maintenance_spans'`.execute(trx)
    return rows[0] ?? { scans: 0, rows: 0 }
  })
}

test('whether maintenance is on is found by one span of each window', async () => {
  const marks = await readsOf(async (trx) => {
    expect(await readRoutingMarks(trx, org_id, { subjects: ['check:1'], guids: [] }, NOW)).toMatchObject({
      in_maintenance: true,
    })
  })
  expect(marks).toMatchObject({ scans: 0 })
  expect(marks.rows).toBeLessThanOrEqual(2 * WINDOWS)
  const later = await readsOf(async (trx) => {
    expect(
      await readRoutingMarks(trx, org_id, { subjects: ['check:1'], guids: [] }, '2026-11-20T12:15:00.000000Z'),
    ).toMatchObject({
      in_maintenance: false,
    })
  })
  expect(later.scans).toBe(0)
  expect(later.rows).toBeLessThanOrEqual(2 * WINDOWS)
  const spans = await readsOf(async (trx) => {
    expect(await listSpans(trx, org_id, NOW)).toMatchObject([{ name: '1', begins_at: '2026-11-20T12:00:00.000000Z' }])
  })
  expect(spans.scans).toBe(0)
  expect(spans.rows).toBeLessThanOrEqual(4 * WINDOWS)
})

test('what a status page announces is found by two spans of each window, however much is planned', async () => {
  const reads = await readsOf(async (trx) => {
    const announced = await listAnnounced(trx, org_id, NOW, '2026-12-04T12:00:30.000000Z')
    expect(announced.map(({ name, begins_at }) => [name, begins_at.slice(11, 16)]).slice(0, 3)).toEqual([
      ['1', '12:00'],
      ['2', '12:21'],
      ['3', '12:22'],
    ])
    expect(announced).toHaveLength(WINDOWS)
  })
  expect(reads.scans).toBe(0)
  expect(reads.rows).toBeLessThanOrEqual(8 * WINDOWS)
})

test('what has long been over is deleted without reading the rest', async () => {
  const reads = await readsOf(async (trx) => {
    // 400 days after what is over.
    expect(await LEFTOVERS.maintenance_spans?.(trx, gatedTime('2027-10-27T00:00:00.000000Z'), 50)).toBe(50)
  })
  expect(reads.scans).toBe(0)
  expect(reads.rows).toBeLessThanOrEqual(200)
})
