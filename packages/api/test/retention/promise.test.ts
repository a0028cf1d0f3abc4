// For any results, plans and days: exactly what is promised is left, with its margin.

import { PLANS, type PlanName } from '@dogwatch/domain/organisations/plans'
import { foldHistory } from '@dogwatch/domain/results/history'
import { dropPartitions, ensurePartitions } from '@dogwatch/domain/results/partitions'
import { pruneOrgs } from '@dogwatch/domain/retention/prune'
import { insertPartition } from '@dogwatch/store/results/sealing/partitions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Org, type World, world } from '../support/world.ts'
import { setLimits, setPlan } from './plans.ts'
import { liveOn, store } from './rows.ts'

const DAY_MS = 86_400_000
let w: World
const orgs: { org: Org; guids: string[] }[] = []
beforeAll(async () => {
  w = await world()
  for (let n = 0; n < 3; n++) {
    const org = await w.org('team')
    orgs.push({ org, guids: await w.checks(org, [{}, {}]) })
  }
})
afterAll(() => w.close())

/** Duration of a run of a chore, in seconds, on a server that has run every day. */
async function live<Answer>(chore: (deps: World['deps']) => Promise<Answer>): Promise<Answer> {
  await liveOn(w)
  return chore(w.deps)
}

const promise = fc.oneof(
  fc.constantFrom<PlanName>('free', 'solo', 'double', 'team'),
  fc.integer({ min: 1, max: 500 }).map((retention_days) => ({ retention_days })),
)
/** Minutes before now; many about the edges. */
const age = fc.oneof(
  fc.integer({ min: 0, max: 500 * 1440 }),
  fc
    .tuple(fc.constantFrom(30, 183, 274, 365), fc.integer({ min: -4320, max: 4320 }))
    .map(([days, by]) => days * 1440 + by),
)
const story = fc.record({
  forward: fc.integer({ min: 0, max: 3 * 86_400 }),
  promises: fc.tuple(promise, promise, promise),
  ages: fc.array(fc.tuple(fc.nat(2), fc.nat(1), age), { minLength: 10, maxLength: 60 }),
  inParts: fc.boolean(),
})

test('exactly what is promised is left, and the history agrees with it', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ forward, promises, ages, inParts }) => {
      w.clock.forward(forward)
      for (const table of ['results', 'rollups', 'rollups_daily', 'rollup_progress', 'retention'])
        await w.rows(`delete from ${table}`)
      await ensurePartitions(w.deps)
      const now = w.clock.now().getTime()
      if (inParts) await makeMonths(now)
      for (const [index, wanted] of promises.entries()) {
        const { org } = at(orgs, index)
        await (typeof wanted === 'string' ? setPlan(w, org, wanted) : setLimits(w, org, wanted))
      }
      const want = new Set<string>()
      for (const [index, check, minutes] of ages) {
        const { org, guids } = at(orgs, index)
        const ran = now - minutes * 60_000
        await store(w, org, at(guids, check), [new Date(ran).toISOString()])
        const wanted = at(promises, index)
        const days = typeof wanted === 'string' ? PLANS[wanted].retention_days : wanted.retention_days
        const midnight = Math.floor(now / DAY_MS) * DAY_MS
        if (ran >= midnight - (days + 1) * DAY_MS) want.add(`${at(guids, check)} ${new Date(ran).toISOString()}`)
      }
      await foldHistory(w.deps)
      // In either order, and once more: there is nothing left to do.
      if (minutesAreOdd(ages)) await live(dropPartitions)
      for (let run = 0; run < 2; run++) await live(pruneOrgs)
      await live(dropPartitions)
      const left = await w.rows(
        `select guid, to_char(ran_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ran_at
         from results join checks using (org_id, check_id)`,
      )
      expect(new Set(left.map(({ guid, ran_at }) => `${String(guid)} ${String(ran_at)}`))).toEqual(want)
      const sums = `select (select count(*) from results where ran_at < (select hours_until from rollup_progress)) as counted,
        (select coalesce(sum(runs), 0)::integer from rollups) as by_hour,
        (select count(*) from results where ran_at < (select days_until from rollup_progress)) as counted_days,
        (select coalesce(sum(runs), 0)::integer from rollups_daily) as by_day`
      const [row] = await w.rows(sums)
      expect({ hours: row?.by_hour, days: row?.by_day }).toEqual({ hours: row?.counted, days: row?.counted_days })
    }),
    { numRuns: 15 },
  )
})

async function makeMonths(now: number): Promise<void> {
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()]
  const first = (back: number): string => new Date(Date.UTC(year, month - back, 1)).toISOString().slice(0, 10)
  for (let back = 2; back <= 17; back++)
    await w.deps.database.people.transaction().execute((trx) => insertPartition(trx, first(back), first(back - 1)))
}

function minutesAreOdd(ages: readonly (readonly [number, number, number])[]): boolean {
  return ages.reduce((sum, [, , minutes]) => sum + minutes, 0) % 2 === 1
}

function at<Item>(list: readonly Item[], index: number): Item {
  return list[index] as Item
}
