// The view for people with psql says what the server reads.

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { readSealedBoundary } from '../../../store/src/results/nodes/layout.ts'
import { resultsOf } from '../../../store/src/results/stored/results-of.ts'
import { RUN_COLUMNS } from '../../../store/src/results/stored/sealed-form.ts'
import { sealBefore } from '../support/sealed.ts'
import { type Org, result, type World, world } from '../support/world.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const WATERMARKS = [undefined, '2026-11-20T03:00:00Z', '2026-11-20T12:00:00Z']

let w: World
let org: Org
let check_ids: number[]
beforeAll(async () => {
  w = await world()
  w.clock.forward((NOW - w.clock.now().getTime()) / 1000)
  org = await w.org()
  const monitors = [await w.monitor(org, 'a'), await w.monitor(org, 'b')]
  const guids = await w.checks(org, [{}, {}], 'all')
  for (const [n, { client }] of monitors.entries()) {
    const runs = Array.from({ length: 300 }, (_, place) =>
      result(guids[(place + n) % 2] ?? '', {
        ran_at: new Date(NOW - place * 400_000 - n * 1_234).toISOString(),
        latency_ms: (place * 37) % 90_000,
        ...(place % 5 === 0 && { success: false, http_status: 0, error: 'timeout: no answer', retries: 2 }),
        ...(place % 3 === 0 && { response_sample: `sample ${place} ✓\n` }),
        ...(place % 2 === 0 && { timings: { connect_ms: place, first_byte_ms: 3, transfer_ms: 0 } }),
        ...(place % 7 === 0 && { cert_expires_at: '2027-02-01T00:00:00Z' }),
      }),
    )
    await client.upload(runs)
  }
  const rows = await w.rows('select check_id from checks where org_id = $1 order by check_id', org.org_id)
  check_ids = rows.map(({ check_id }) => Number(check_id))
})
afterAll(() => w.close())

test.each(WATERMARKS)('it has every result once and in order, with hours sealed before %s', async (until) => {
  if (until !== undefined) await sealBefore(w, until)
  const { machines } = w.deps.database
  for (const check_id of check_ids) {
    const fragment = resultsOf(
      { columns: RUN_COLUMNS, org: sql`${org.org_id}::bigint`, check: sql`${check_id}::bigint`, order: 'asc' },
      await readSealedBoundary(machines),
    )
    const { rows: expected } = await sql<Record<string, unknown>>`${fragment}`.execute(machines)
    expect(expected).toHaveLength(300)
    const where = sql`org_id = ${org.org_id}::bigint and check_id = ${check_id}::bigint`
    const { rows } = await sql<Record<string, unknown>>`select * from stored_results where ${where}`.execute(machines)
    expect(rows).toEqual(expected)
  }
})

test('it has the columns of results', async () => {
  const rows = await w.rows(
    `select attrelid::regclass::text as name, array_agg(attname::text || ' ' || format_type(atttypid, atttypmod) order by attname) as columns
     from pg_attribute where attrelid in ('results'::regclass, 'stored_results'::regclass) and attnum > 0 and not attisdropped
     group by 1 order by 1`,
  )
  expect(rows.map(({ name }) => name)).toEqual(['results', 'stored_results'])
  expect(rows[1]?.columns).toEqual(rows[0]?.columns)
})
