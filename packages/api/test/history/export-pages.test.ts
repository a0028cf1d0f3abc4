// An export opens sealed hours by itself. Whatever they hold, it has the same results as pages have, in the same order.

import { streamResults } from '@dogwatch/domain/export'
import { openExportPages, type PageSize } from '@dogwatch/store/results/export-pages'
import { listResults, type Position, type ResultRow, START } from '@dogwatch/store/results/result-pages'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { describeOnOne } from '../support/on-cluster.ts'
import { sealBefore } from '../support/sealed.ts'
import { type World, world } from '../support/world.ts'

const PAGE = 500
/** No page is larger than this: some hours do not fit into the smaller one, and those of large texts into none. */
const SIZES: readonly PageSize[] = [
  { rows: 61, bytes: 6_000 },
  { rows: PAGE, bytes: 600_000 },
]

let w: World
let org_id: number
let check_ids: number[]
beforeAll(async () => {
  w = await world()
  await fill()
})
afterAll(() => w.close())

async function fill(): Promise<void> {
  const org = await w.org()
  const monitors = [await w.monitor(org, 'one'), await w.monitor(org, 'two')]
  await w.checks(org, [{}, {}, {}, {}], 'all')
  const rows = await w.rows('select check_id from checks where org_id = $1 order by check_id', org.org_id)
  org_id = org.org_id
  check_ids = rows.map(({ check_id }) => Number(check_id))
  // Every 40 s, with large texts in one hour, texts that cannot be told apart in some, and nothing for three days; every 50 minutes; once, late; never.
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample, connect_ms)
     select $1, k.check_id, t + s % 7 * interval '3 milliseconds', 7 * s + case when k.n = 3 then 3 else 1 end, 200, true,
       ($3::text[])[1 + s % 2], case when s % 90 = 4 then 'status: the status is 503' end,
       case when t between '2026-11-12T10:00:00Z' and '2026-11-12T11:00:00Z' then repeat(md5(s::text), 300)
         when s % 700 = 650 then e'one\\x1ftwo' else 'sample ' || s % 3 end, 3
     from unnest($2::bigint[]) with ordinality k(check_id, n)
     cross join lateral (
       select s, timestamptz '2026-11-12T00:00:00Z' + s * case k.n when 1 then interval '40 seconds' else interval '50 minutes' end as t
       from generate_series(0, case k.n when 1 then 18000 when 2 then 240 when 3 then 1 else -1 end) s) r
     where t < timestamptz '2026-11-13T00:00:00Z' or t > timestamptz '2026-11-16T00:10:00Z'`,
    ...[org_id, check_ids, monitors.map(({ id }) => id)],
  )
}

const keyOf = (check_id: number) => ({ org_id, check_id, result_detail_max_chars: 200 })

async function readByPage(check_id: number): Promise<ResultRow[]> {
  const rows: ResultRow[] = []
  for (;;) {
    const page = await listResults(w.deps.database, keyOf(check_id), rows.at(-1) ?? START, PAGE)
    rows.push(...page)
    if (page.length < PAGE) return rows
  }
}

async function readAll(check_id: number, size: PageSize, from = START): Promise<{ rows: ResultRow[]; pages: number }> {
  const readPage = openExportPages(keyOf(check_id), size)
  const rows: ResultRow[] = []
  let pages = 0
  for (let at: Position | undefined = from; at; pages++) {
    const page = await readPage(w.deps.database, at)
    rows.push(...page.rows)
    at = page.next
  }
  return { rows, pages }
}

async function compare(): Promise<void> {
  for (const check_id of check_ids) {
    const expected = await readByPage(check_id)
    for (const size of SIZES) {
      expect((await readAll(check_id, size)).rows).toEqual(expected)
      // Within an hour, at a result.
      const [middle] = expected.slice(Math.floor(expected.length / 3))
      if (!middle) continue
      const after = expected.filter(({ ran_at }) => ran_at > middle.ran_at)
      expect((await readAll(check_id, size, middle)).rows).toEqual(after)
    }
  }
}

test('whoever reads rows when sealing begins behind them goes on where they were', async () => {
  const [often = 0] = check_ids
  const readPage = openExportPages(keyOf(often), { rows: PAGE, bytes: 600_000 })
  const first = await readPage(w.deps.database, START)
  await sealBefore(w, '2026-11-12T03:00:00Z')
  expect(String(first.next?.ran_at) > '2026-11-12T03:00:00Z').toBe(true)
  const rows = [...first.rows]
  for (let at = first.next; at; ) {
    const page = await readPage(w.deps.database, at)
    rows.push(...page.rows)
    at = page.next
  }
  expect(rows).toEqual(await readByPage(often))
})

test('all results of each check, in rows, in sealed hours, and in both', async () => {
  await compare()
  const [often = 0] = check_ids
  const rows = await readByPage(often)
  expect(rows.length).toBeGreaterThan(9000)
  await sealBefore(w, '2026-11-17T03:00:00Z')
  expect(await readByPage(often)).toEqual(rows)
  await compare()
  await sealBefore(w, '2026-11-21T00:00:00Z')
  expect(await readByPage(often)).toEqual(rows)
  await compare()
})

test('a check of which nothing is sealed begins with its first result', async () => {
  const checks = check_ids.slice(3).map((check_id) => ({ check_id, guid: 'new', result_detail_max_chars: 200 }))
  const countChunks = async () => {
    const counts: number[] = []
    const reading = <Value>(read: (deps: World['deps']) => Promise<Value>) => read(w.deps)
    for await (const { rows } of streamResults(reading, org_id, checks)) counts.push(rows.length)
    return counts
  }
  expect(await countChunks()).toEqual([0])
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     values ($1, $2, '2026-11-22T00:00:00Z', 7, 200, true, 'new')`,
    ...[org_id, check_ids[3]],
  )
  expect(await countChunks()).toEqual([1])
  await w.rows('delete from results where check_id = $1', check_ids[3])
})

test('results that came late stand where they ran until they are in their hour', async () => {
  const [often = 0] = check_ids
  await w.rows(
    `insert into reopened_results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select $1, $2, t, 77, 200, true, 'late' from unnest($3::timestamptz[]) t`,
    ...[org_id, often, ['2026-11-12T07:00:20Z', '2026-11-14T12:00:00Z', '2026-11-18T09:59:59.999999Z']],
  )
  await compare()
  expect((await readByPage(often)).filter(({ monitor_id }) => monitor_id === 'late')).toHaveLength(3)
})

// Where results are on nodes, the export reads pages of results.
async function useOther(plain: World): Promise<() => void> {
  const before = { w, org_id, check_ids }
  w = plain
  await fill()
  await sealBefore(w, '2026-11-21T00:00:00Z')
  return () => ({ w, org_id, check_ids } = before)
}

describeOnOne(useOther, () => {
  test('sealed hours are opened as many at a time as a page holds', async () => {
    const [, seldom = 0] = check_ids
    await w.rows('delete from reopened_results')
    const [narrow, wide] = [
      await readAll(seldom, { rows: 1, bytes: 150 }),
      await readAll(seldom, { rows: 1, bytes: 600_000 }),
    ]
    expect(narrow.rows).toEqual(wide.rows)
    expect(wide.pages).toBeLessThan(wide.rows.length / 5)
    expect(narrow.pages).toBeGreaterThan(wide.rows.length / 3)
  })
})
