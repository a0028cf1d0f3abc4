// Retention passes on the large database: how long each takes, and how much uploads slow down meanwhile.
import { setTimeout as pause } from 'node:timers/promises'
import { PLANS, type PlanName } from '../../../packages/server/dist/domain/organisations/plans.js'
import { dropPartitions } from '../../../packages/server/dist/domain/results/partitions.js'
import { edgeOf } from '../../../packages/server/dist/domain/retention/edge.js'
import { confirmRetention } from '../../../packages/server/dist/domain/retention/gate.js'
import { pruneOrgs } from '../../../packages/server/dist/domain/retention/prune.js'
import { type Clock, systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { depsOf, settleTables } from '../../lab/archive.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { printFacts } from '../support/report.ts'
import { LOADED_UNTIL, type Year } from './load.ts'
import { openOwnRole } from './own-role.ts'
import { rateOf, slowdown, uploader } from './uploads.ts'

const BEFORE_SEC = 20
const DAY_MS = 86_400_000

/** The first pass finds a whole year; the second one is a day later, like ordinary passes. */
export async function measurePasses(year: Year): Promise<void> {
  const { stage } = year
  const upload = await uploader(year)
  const retiring = await openOwnRole(stage, 'retiring')
  const results = year.results.toLocaleString('en-US')
  const rate = rateOf(year).toLocaleString('en-US')
  process.stdout.write(`retention: of ${results} results in sealed hours, under ${rate} more a second\n\n`)
  for (const [name, days] of [
    ['the first pass', 0],
    ['a day later', 1],
  ] as const) {
    const clock: Clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + days * DAY_MS) }
    // Passes use the database's time.
    await stage.database.pools.machines.query(
      `create or replace function database_time() returns timestamptz language sql volatile parallel safe
       as $$ select clock_timestamp() + interval '${days} days' $$`,
    )
    // By then autovacuum and a checkpoint would have cleaned up after the pass before.
    await settleTables(stage)
    say(`${name}: uploads alone`)
    const before = await upload(pause(BEFORE_SEC * 1000))
    say(`${name}: uploads beside it`)
    const kept = await countKept(stage, clock)
    const walBefore = await retiring.readWal()
    let [ms, wal] = [0, 0]
    let rows: Record<string, number> = {}
    let months: string[] = []
    const passing = (async () => {
      const begun = performance.now()
      const deps = { ...depsOf({ ...stage, database: retiring.database }), clock }
      // This deletes more at once than an ordinary day does.
      await confirmRetention(deps)
      months = await dropPartitions(deps)
      wal = await retiring.readWal()
      rows = await prune(deps)
      ms = performance.now() - begun
      wal = Math.max(wal, await retiring.readWal())
    })()
    const during = await upload(passing)
    await requireExact(stage, clock, kept)
    printFacts([
      { what: `${name}: seconds`, value: ms / 1000 },
      { what: 'months dropped', value: months.length, digits: 0 },
      ...Object.entries(rows).map(([table, value]) => ({ what: `rows of ${table} deleted`, value, digits: 0 })),
      { what: 'WAL, MB', value: (wal - walBefore) / 1e6, digits: 1 },
      ...slowdown(before, during),
    ])
  }
}

/** Runs again and again, like the chore, until no org is left. */
async function prune(deps: Parameters<typeof pruneOrgs>[0]): Promise<Record<string, number>> {
  const sum: Record<string, number> = {}
  for (;;) {
    const pruned = Object.entries(await pruneOrgs(deps))
    if (pruned.length === 0) return sum
    for (const [table, count] of pruned) sum[table] = (sum[table] ?? 0) + count
  }
}

interface Kept {
  plan: PlanName
  old: number
  kept: number
}

/** By plan: what is too old, and what must remain of the loaded rows. */
async function countKept({ database }: Stage, clock: Clock): Promise<Kept[]> {
  const plans = Object.keys(PLANS) as PlanName[]
  const edges = plans.map((plan) => edgeOf(PLANS[plan].retention_days, clock.now()))
  const { rows } = await database.pools.machines.query<Kept>(
    `select plan, count(*) filter (where ran_at < edge) as old, count(*) filter (where ran_at >= edge) as kept
     from stored_results join organisations using (org_id)
     join unnest($1::text[], $2::timestamptz[]) as e(plan, edge) using (plan)
     where ran_at < $3::timestamptz group by plan order by plan`,
    [plans, edges, LOADED_UNTIL],
  )
  return rows
}

async function requireExact(stage: Stage, clock: Clock, before: readonly Kept[]): Promise<void> {
  const after = await countKept(stage, clock)
  const wanted = before.map(({ plan, kept }) => ({ plan, old: 0, kept }))
  if (JSON.stringify(after) !== JSON.stringify(wanted)) {
    throw new Error(`not what is promised is left: ${JSON.stringify({ before, after })}`)
  }
}
