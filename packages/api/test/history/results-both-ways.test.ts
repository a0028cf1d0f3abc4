// A batch is stored by INSERT or by COPY, in the transaction that judges it or on nodes. All do the same.

import { settleArrivals } from '@dogwatch/domain/results/arrivals'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { IS_ON_CLUSTER } from '../../../store/test/support/cluster.ts'
import { createTestDatabase } from '../../../store/test/support/database.ts'
import { twoNodes } from '../../../store/test/support/nodes.ts'
import { PREFIX, result, type World, world } from '../support/world.ts'

let worlds: World[] = []
beforeAll(async () => {
  const plain = await world({ testDatabase: await createTestDatabase('dogwatch_plain') })
  plain.deps.copies_from = Number.POSITIVE_INFINITY
  const byCopy = await world({ testDatabase: await createTestDatabase('dogwatch_plain') })
  byCopy.deps.copies_from = 1
  worlds = [plain, byCopy, await world(IS_ON_CLUSTER ? {} : { nodes: twoNodes })]
})
afterAll(() => Promise.all(worlds.map((w) => w.close())))

const RULES = { degraded_over_ms: 500, cert_warn_days: 14, down_interval_sec: 2, result_detail_max_chars: 3 }
const outcome = fc.record({
  check: fc.constantFrom(0, 0, 1),
  sec: fc.constantFrom(1, 2, 3, 20, 40, 90, 4000, 90_000),
  success: fc.constantFrom(true, true, true, true, false),
  latency_ms: fc.constantFrom(12, 500, 501),
  error: fc.constantFrom(undefined, '', 'no', '🐕🐕🐕🐕'),
  cert_days: fc.constantFrom(undefined, undefined, undefined, 5, 30, 400_000),
  timings: fc.constantFrom(undefined, { dns_ms: 0, tls_ms: 65_535 }, { transfer_ms: 32_767 }),
  retries: fc.constantFrom(undefined, 0, 2, 99_999),
  micros: fc.constantFrom('', '5', '123456', '1234567'),
})
/** `shift_sec`: by how much the clock of the monitor is wrong. */
const batch = fc.record({
  shift_sec: fc.constantFrom(0, 0, 0, 3600, -3600),
  outcomes: fc.array(outcome, { minLength: 1, maxLength: 4 }),
})
const batches = fc.array(batch, { minLength: 1, maxLength: 4 })
type Batches = typeof batches extends fc.Arbitrary<infer Value> ? Value : never

/** What is stored, noted and judged, with checks by their place. */
const STORED = `
  with results_of as materialized (
    select check_id, json_agg(to_jsonb(results) - '{org_id,check_id,monitor_id}'::text[] order by ran_at) as list
    from results where org_id = $1 group by check_id
  ), shifts_of as materialized (
    select check_id, json_agg(json_build_array(ran_at, effective_at) order by ran_at) as list
    from shifted_results where org_id = $1 group by check_id
  ), marks_of as materialized (
    select check_id, json_agg(json_build_array(hour) order by hour) as list from rollup_marks where org_id = $1 group by check_id
  )
  select c.name, (select list from results_of r where r.check_id = c.check_id) as results,
    (select json_agg(json_build_array(n, ran_at) order by n)
      from late_results l where l.org_id = c.org_id and l.check_id = c.check_id) as late,
    (select list from marks_of m where m.check_id = c.check_id) as marks,
    (select list from shifts_of s where s.check_id = c.check_id) as shifts,
    (select json_agg(json_build_array(began_at, ended_at, end_reason) order by began_at, ended_at)
      from incidents i where i.org_id = c.org_id and i.check_id = c.check_id) as incidents,
    (select json_agg(json_build_array(kind, began_at, ended_at, end_reason, reason) order by kind, began_at, ended_at)
      from degradations d where d.org_id = c.org_id and d.check_id = c.check_id) as degradations,
    (select json_agg(type order by type) from events e where e.org_id = c.org_id and e.check_id = c.check_id) as events
  from checks c where c.org_id = $1 order by c.name`

async function store(w: World, given: Batches): Promise<unknown> {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const guids = await w.checks(org, [RULES, { down_interval_sec: 1 }], 'all')
  const accepted: number[] = []
  for (const { shift_sec, outcomes } of given) {
    w.clock.forward(60)
    await settleArrivals(w.deps)
    const now = w.clock.now().getTime()
    const sent_at = new Date(now + shift_sec * 1000).toISOString()
    const results = outcomes.map(({ check, sec, cert_days, error, timings, retries, micros, ...rest }) =>
      result(guids[check] ?? '', {
        ...rest,
        ran_at: new Date(now + (shift_sec - sec) * 1000)
          .toISOString()
          .replace('.000Z', micros === '' ? 'Z' : `.${micros}Z`),
        ...(timings && { timings }),
        ...(retries !== undefined && { retries }),
        ...(error !== undefined && { error }),
        ...(cert_days !== undefined && { cert_expires_at: new Date(now + cert_days * 86_400_000).toISOString() }),
      }),
    )
    // A part of it, all of it, and all of it again.
    for (const some of [results.slice(0, 1), results, results]) {
      const { body } = await w.http
        .post(`${PREFIX}/results`)
        .set('Authorization', `Bearer ${monitor.key}`)
        .send({ results: some, sent_at })
      accepted.push((body as { accepted: number }).accepted)
    }
  }
  return [accepted, await w.rows(STORED, org.org_id)]
}

test('any batches are stored, noted and judged the same: by statements, by COPY, and on nodes', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (given) => {
      const [plain, byCopy, onNodes] = await Promise.all(worlds.map((w) => store(w, given)))
      expect(byCopy).toEqual(plain)
      expect(onNodes).toEqual(plain)
    }),
    { seed: 11, numRuns: 20 },
  )
})
