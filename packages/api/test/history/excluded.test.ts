// What ran during maintenance, compared with a count of each result.

import { foldHistory } from '@dogwatch/domain/results/history'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { readFolding } from '@dogwatch/store/results/history'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Cover } from '../../../domain/src/results/cover.ts'
import { withExcluded } from '../../../domain/src/results/excluded.ts'
import { dice } from '../../../runtime/test/support/dice.ts'
import { type Org, result, type World, world } from '../support/world.ts'

const [MIN, HOUR] = [60_000, 3_600_000]
const HOURS = 6

let w: World
let org: Org
let check_ids: number[]
let runs: { check: number; at: number; success: boolean }[]
let begin: number
beforeAll(async () => {
  w = await world()
  org = await w.org()
  const monitor = await w.monitor(org)
  const guids = await w.checks(org, [{}, {}, {}], [monitor.id])
  begin = Math.floor(w.clock.now().getTime() / HOUR) * HOUR + HOUR
  await w.rows('update checks set created_at = $1', new Date(begin - HOUR).toISOString())
  w.clock.forward((begin - w.clock.now().getTime()) / 1000)
  runs = []
  for (let hour = 0; hour < HOURS; hour++) {
    const some = Array.from({ length: 30 }, (_, n) => ({ at: begin + hour * HOUR + n * 2 * MIN, success: n % 7 !== 0 }))
    w.clock.forward(3600)
    for (const [check, guid] of guids.entries()) {
      runs.push(...some.map((one) => ({ ...one, check })))
      await monitor.client.upload(
        some.map(({ at, success }) =>
          result(guid, { ran_at: new Date(at).toISOString(), success, error: success ? '' : 'refused' }),
        ),
      )
    }
  }
  // The last hour is not folded.
  w.clock.forward(-1800)
  await foldHistory(w.deps)
  const rows = await w.rows('select check_id from checks where org_id = $1 order by check_id', org.org_id)
  check_ids = rows.map(({ check_id }) => Number(check_id))
})
afterAll(() => w.close())

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'is what a count of each result says (seed %i)',
  async (seed) => {
    const { below, one } = dice(seed)
    const covers = [0, 1].map(() =>
      Cover.of(
        Array.from({ length: one([1, 5, 60]) }, () => {
          const from = begin + below(HOURS * 60) * MIN + below(2) * 30_000
          return { from, until: from + (1 + below(one([4, 200]))) * MIN }
        }),
      ),
    )
    const length = one([1, 2, 3, 6]) * HOUR
    const until = begin + HOURS * HOUR
    const countOf = (check: number, from: number, end: number, cover?: Cover) => {
      const its = runs.filter(({ at, ...run }) => run.check === check && at >= from && at < end)
      const covered = its.filter(({ at }) => !cover || cover.lengthWithin(at, at + 1) > 0)
      return { runs: covered.length, failures: covered.filter(({ success }) => !success).length }
    }
    const coverOf = (n: number) => covers[n % 2] ?? Cover.NONE
    const given = check_ids.map((check_id, n) => ({
      check_id,
      maintenance: coverOf(n),
      stretches: Array.from({ length: (HOURS * HOUR) / length }, (_, at) => {
        const from = begin + at * length
        return { from, until: from + length, runs_until: from + length, ...countOf(n, from, from + length) }
      }),
    }))
    const range = { org_id: org.org_id, check_ids, from: fromDate(new Date(begin)), until: fromDate(new Date(until)) }
    const folding = await readFolding(w.deps.database, range)
    const counted = await withExcluded(w.deps.database, org.org_id, given, folding)
    expect(counted.map((its) => its.map(({ excluded }) => excluded))).toEqual(
      given.map(({ stretches }, n) => stretches.map(({ from, until: end }) => countOf(n, from, end, coverOf(n)))),
    )
  },
)
