// Retention passes on the large database: how long each takes, and how much uploads slow down meanwhile.
import { setTimeout as pause } from 'node:timers/promises'
import { PLANS, type PlanName } from '../../../packages/server/dist/domain/organisations/plans.js'
import { dropPartitions } from '../../../packages/server/dist/domain/results/partitions.js'
import { edgeOf } from '../../../packages/server/dist/domain/retention/edge.js'
import { confirmRetention } from '../../../packages/server/dist/domain/retention/gate.js'
import { pruneOrgs } from '../../../packages/server/dist/domain/retention/prune.js'
import { type Clock, systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { type Database, openDatabase } from '../../../packages/server/dist/store/database.js'
import { depsOf, settleTables } from '../../lab/archive.ts'
import { type Lane, openLanes } from '../../lab/lane.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { batchMaker, toRequest } from '../support/batches.ts'
import { printFacts } from '../support/report.ts'
import { LOADED_UNTIL, type Year } from './load.ts'

const BEFORE_SEC = 20
const DAY_MS = 86_400_000
/** A batch of a large org's checks, this often per second. */
const PER_SEC = 20
const LANES = 4

const ROLE = 'retiring'

/** The first pass finds a whole year; the second one is a day later, like ordinary passes. */
export async function measurePasses(year: Year): Promise<void> {
  const { stage } = year
  const upload = await uploader(year)
  const retiring = await openRetiring(stage)
  const results = year.results.toLocaleString('en-US')
  const rate = PER_SEC * (year.orgs.find(({ plan }) => plan === 'team')?.guids.length ?? 0)
  process.stdout.write(`retention: of ${results} results, under ${rate.toLocaleString('en-US')} more a second\n\n`)
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
    const [alone, beside] = [percentiles(before), percentiles(during)]
    printFacts([
      { what: `${name}: seconds`, value: ms / 1000 },
      { what: 'months dropped', value: months.length, digits: 0 },
      ...Object.entries(rows).map(([table, value]) => ({ what: `rows of ${table} deleted`, value, digits: 0 })),
      { what: 'WAL, MB', value: (wal - walBefore) / 1e6, digits: 1 },
      { what: 'ingest p50 ms before', value: alone.p50 },
      { what: 'ingest p50 ms during', value: beside.p50 },
      { what: 'ingest p99 ms before', value: alone.p99 },
      { what: 'ingest p99 ms during', value: beside.p99 },
      { what: 'ingest p99, during / before', value: beside.p99 / alone.p99 },
      { what: 'ingest, most ms before', value: alone.most },
      { what: 'ingest, most ms during', value: beside.most },
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

/**
 * Connections of a role of their own, for which Postgres counts the log they write. One of each pool, which stays busy.
 */
async function openRetiring(stage: Stage): Promise<{ database: Database; readWal(): Promise<number> }> {
  const url = new URL(stage.url)
  await stage.database.pools.machines.query(`create role ${ROLE} superuser login password '${url.password}'`)
  url.username = ROLE
  const database = openDatabase({ url: url.href, poolSize: 1 })
  stage.undo(() => database.close())
  const readWal = async (): Promise<number> => {
    const { rows } = await stage.database.pools.machines.query<{ bytes: number }>(
      `select coalesce(sum(w.wal_bytes), 0)::float8 as bytes
       from pg_stat_activity a cross join lateral pg_stat_get_backend_wal(a.pid) w where a.usename = $1`,
      [ROLE],
    )
    return rows[0]?.bytes ?? 0
  }
  return { database, readWal }
}

/** Uploads until then; returns how long each took from the moment when it was due, in ms. */
type Upload = (until: Promise<unknown>) => Promise<number[]>

async function uploader({ stage, orgs }: Year): Promise<Upload> {
  const server = await stage.serve()
  const makeBatch = batchMaker(
    orgs.filter(({ plan }) => plan === 'team').map(({ monitor }) => monitor),
    () => false,
  )
  return async (until) => {
    const lanes = await openLanes(server.port, LANES)
    const latencies: number[] = []
    let isOver = false
    const ending = until.finally(() => (isOver = true))
    const begun = performance.now()
    let next = 0
    const work = async (lane: Lane): Promise<void> => {
      while (!isOver) {
        const due = begun + (next++ * 1000) / PER_SEC
        await pause(Math.max(0, due - performance.now()))
        await lane.send(toRequest(makeBatch()))
        latencies.push(performance.now() - due)
      }
    }
    await Promise.all([ending, ...lanes.map(work)])
    for (const lane of lanes) lane.close()
    return latencies
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
     from results join organisations using (org_id)
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

function percentiles(latencies: readonly number[]): { p50: number; p99: number; most: number } {
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}
