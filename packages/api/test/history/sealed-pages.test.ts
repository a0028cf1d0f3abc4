// A page of results over sealed hours has the results that it had while they were rows, wherever it begins and however long it is.
// In a plain database: on a cluster, pages do not open hours, and history/sealed.test.ts reads them.

import { listResults, type Position, type ResultRow, START } from '@dogwatch/store/results/result-pages'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listOpened } from '../../../store/src/results/stored/sealed-pages.ts'
import { plainWorld } from '../support/on-cluster.ts'
import { sealBefore } from '../support/sealed.ts'
import type { World } from '../support/world.ts'

const LIMITS = [1, 7, 61, 500]

/** When a check runs from 12 November on: the number `s` of a run as an instant. */
const PACES = {
  'every minute, some milliseconds late': "interval '1 minute' * s + interval '1 millisecond' * (s * 37 % 900)",
  'every 3 seconds': "interval '3 seconds' * s + interval '1 millisecond' * (s * 7 % 40)",
  'at any microsecond': "interval '41.000003 seconds' * s + interval '1 microsecond' * (s * 7919 % 1000)",
  'from two places at the same time': "interval '2 minutes' * (s / 2)",
  'in bursts': "interval '50 minutes' * (s / 300) + interval '10 milliseconds' * (s % 300)",
  'at hours, to the microsecond': "interval '1 hour' * (s / 3) + interval '1 microsecond' * (s % 3 - 1)",
  'in one burst that no page holds': "interval '1 millisecond' * s",
  'every minute, with texts that cannot be told apart': "interval '1 minute' * s",
} as const
const NAMES = Object.keys(PACES) as (keyof typeof PACES)[]
/** The last two need SQL. */
const OPENABLE = NAMES.length - 2
const RUNS = 2400

let w: World
let org_id: number
let check_ids: number[]
let expected: ResultRow[][]
beforeAll(async () => {
  w = await plainWorld()
  const org = await w.org()
  const monitors = [await w.monitor(org, 'one'), await w.monitor(org, 'two')]
  await w.checks(
    org,
    Array.from(NAMES, () => ({})),
    'all',
  )
  const rows = await w.rows('select check_id from checks where org_id = $1 order by check_id', org.org_id)
  org_id = org.org_id
  check_ids = rows.map(({ check_id }) => Number(check_id))
  for (const [n, name] of NAMES.entries()) {
    await w.rows(
      `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample, connect_ms, retries)
       select $1, $2, timestamptz '2026-11-12T00:10:00Z' + ${PACES[name]}, case when s % 700 = 3 then 70000 else s end, 200, s % 9 > 0,
         ($3::text[])[1 + s % 2], case when s % 9 = 0 then 'status: the status is 503' when s % 9 = 1 then '' end,
         case when $4 then e'one\\x1ftwo' else 'sample ✓ ' || s end, 3, case when s % 500 = 7 then 1 end
       from generate_series(0, $5::integer - 1) s`,
      ...[
        org_id,
        check_ids[n],
        monitors.map(({ id }) => id),
        n === NAMES.length - 1,
        n === NAMES.length - 2 ? 1500 : RUNS,
      ],
    )
  }
  // Here they are rows.
  expected = await Promise.all(check_ids.map((check_id) => readFrom(check_id)))
  await sealBefore(w, '2026-11-13T02:00:00Z')
})
afterAll(() => w.close())

const keyOf = (check_id = 0) => ({ org_id, check_id, result_detail_max_chars: 200 })

async function readFrom(check_id: number): Promise<ResultRow[]> {
  const rows: ResultRow[] = []
  for (;;) {
    const page = await listResults(w.deps.database, keyOf(check_id), rows.at(-1) ?? START, 500)
    rows.push(...page)
    if (page.length < 500) return rows
  }
}

/** At results, between them, and at the edges of hours, as clients write them. */
function positionsOf(all: readonly ResultRow[]): Position[] {
  const some = all.filter((_, n) => n % 397 === 0 || n > all.length - 3)
  return [
    START,
    ...some,
    ...some.map(({ ran_at }) => ({ ran_at, monitor_id: '' })),
    ...some.map(({ ran_at }) => ({ ran_at, monitor_id: '🐕' })),
    ...some.map(({ ran_at }) => ({ ran_at: ran_at.replace(/\.\d+Z$/, 'Z'), monitor_id: '' })),
    ...['2026-11-12T01:00:00Z', '2026-11-12T01:00:00.000Z', '2026-11-13T02:00:00Z'].map((ran_at) => ({
      ran_at,
      monitor_id: '',
    })),
    ...['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map((ran_at) => ({ ran_at, monitor_id: '' })),
  ]
}

const isBehind = (row: ResultRow, { ran_at, monitor_id }: Position): boolean => {
  if (ran_at === START.ran_at) return true
  const [at, from] = [
    row.ran_at,
    ran_at.length === row.ran_at.length ? ran_at : ran_at.replace(/(\.0+)?Z$/, '.000000Z'),
  ]
  return at > from || (at === from && row.monitor_id > monitor_id)
}

async function compare(n: number, all: readonly ResultRow[], limits = LIMITS): Promise<void> {
  const { database } = w.deps
  for (const position of positionsOf(all)) {
    const rest = all.filter((row) => isBehind(row, position))
    for (const limit of limits) {
      const page = await listResults(database, keyOf(check_ids[n]), position, limit)
      expect({ position, limit, page }).toEqual({ position, limit, page: rest.slice(0, limit) })
    }
  }
}

test.each(NAMES.map((name, n) => [name, n] as const))('results that ran %s', async (_, n) => {
  const all = expected[n] ?? []
  expect(all.length).toBeGreaterThan(1000)
  await compare(n, all)
})

test('hours are opened here, but those that SQL has to read', async () => {
  for (const [n, check_id] of check_ids.entries()) {
    const at = expected[n]?.[800] ?? START
    const rows = await listOpened(w.deps.database.pools.machines, keyOf(check_id), at, 500)
    expect([n, rows !== undefined]).toEqual([n, n < OPENABLE])
  }
})

test('results that came late stand where they ran', async () => {
  await sealBefore(w, '2026-11-15T02:00:00Z')
  // The last one: two days after a result, and just before another one of its hour.
  const late = [
    ...['2026-11-12T00:09:59Z', '2026-11-12T07:00:20Z', '2026-11-12T23:59:59.999999Z', '2026-11-13T01:59:59Z'],
    '2026-11-14T00:09:59.9995Z',
  ]
  for (const n of [0, 2, 5, 7]) {
    await w.rows(
      `insert into reopened_results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
       select $1, $2, t, 77, 200, true, 'late' from unnest($3::timestamptz[]) t`,
      ...[org_id, check_ids[n], late],
    )
    const shown = await w.rows('select wire_time(t) as ran_at from unnest($1::timestamptz[]) t', late)
    const [one] = expected[n] ?? []
    if (!one) throw new Error('no result')
    const added = shown.map(({ ran_at }) => ({
      ...{
        ...one,
        ran_at: String(ran_at),
        monitor_id: 'late',
        monitor_name: '',
        success: true,
        latency_ms: 77,
        http_status: 200,
      },
      ...{ error: null, response_sample: null, connect_ms: null, retries: null },
    }))
    const all = [...(expected[n] ?? []), ...added].sort((a, b) => (a.ran_at < b.ran_at ? -1 : 1))
    await compare(n, all, [...LIMITS, ...Array.from({ length: 9 }, (_, more) => 140 + more)])
  }
})
