// Measures chores on a year of results, and how much uploads slow down during that time: the first sealing, and retention passes.
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../../packages/runtime/dist/clock.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { PLANS, type PlanName } from '../../../packages/server/dist/domain/organisations/plans.js'
import { dropPartitions } from '../../../packages/server/dist/domain/results/partitions.js'
import { sealHours } from '../../../packages/server/dist/domain/results/seal.js'
import { edgeOf } from '../../../packages/server/dist/domain/retention/edge.js'
import { confirmRetention } from '../../../packages/server/dist/domain/retention/gate.js'
import { pruneOrgs } from '../../../packages/server/dist/domain/retention/prune.js'
import { type Database, openDatabase } from '../../../packages/server/dist/store/database.js'
import { NEVER, readSealProgress } from '../../../packages/server/dist/store/results/sealing/sealing.js'
import { depsOf, settleTables } from '../../lab/archive.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { sender } from '../support/arms.ts'
import { batchMaker, noneFails, toRequest } from '../support/batches.ts'
import { type Fact, printFacts, quantile } from '../support/report.ts'
import { LOADED_UNTIL, type Year } from './load.ts'

/** Uploads a second, each with one result of each check of a monitor. */
const UPLOADS_PER_SEC = 20
const LANES = 4
/** Pause of the chore between its runs. */
const REST_MS = 15_000
/** Pause while servers notice that sealing is on. */
const NOTICED_MS = 65_000
const ALONE_MS = 20_000
const DAY_MS = 86_400_000

/** Runs the chore of sealing, which takes a tenth of one connection's time, until all hours are sealed. */
export async function measureMigration(year: Year): Promise<void> {
  const { stage, results } = year
  const upload = await openUploads(year, { SEAL_HOURS: 'on' })
  const own = await openOwnRole(stage, 'sealing')
  const deps: Deps = { ...depsOf(stage), database: own.database, seals_hours: true }
  await settleTables(stage)
  const disk = async (table: string): Promise<number> => numberOf(stage, DISK, [table])
  const [rowsBefore, found] = [await disk('results'), await numberOf(stage, STORED, [LOADED_UNTIL])]
  // Turns sealing on.
  await sealHours(deps)
  say('migration: uploads alone')
  const before = await upload(pause(NOTICED_MS))
  say('migration: uploads during the sealing')
  const [walBefore, begun] = [await own.readWal(), performance.now()]
  let hours = 0
  const isOver = async (): Promise<boolean> => {
    const { sealed_until, settled } = await readSealProgress(deps.database.machines)
    return sealed_until !== NEVER && sealed_until >= settled
  }
  const sealing = (async () => {
    for (; !(await isOver()); await pause(REST_MS)) hours += (await sealHours(deps)).hours
    // Later runs drop the rows that readers may have used.
    for (let run = 0; run < 2; run++) await sealHours(deps)
  })()
  const during = await upload(sealing)
  const minutes = (performance.now() - begun) / 60_000
  const wal = (await own.readWal()) - walBefore
  await settleTables(stage)
  const left = await numberOf(stage, STORED, [LOADED_UNTIL])
  if (left !== found) throw new Error(`${found} results became ${left}`)
  process.stdout.write(`\nmigration: ${results} results become sealed hours\n\n`)
  printFacts([
    ['minutes', minutes, 1],
    ['hours of checks sealed', hours, 0],
    ['WAL, MB', wal / 1e6, 0],
    ['WAL, bytes a result', wal / results, 0],
    ['disk of rows before, bytes a result', rowsBefore / results, 0],
    ['disk of sealed hours after, bytes a result', (await disk('sealed_hours')) / results, 0],
    ...slowdown(before, during),
  ])
}

/** Runs retention passes: the first one finds a whole year, and the second one is a day later. */
export async function measurePasses(year: Year): Promise<void> {
  const { stage } = year
  const upload = await openUploads(year)
  const own = await openOwnRole(stage, 'retiring')
  for (const [name, days] of [
    ['the first pass', 0],
    ['a pass a day later', 1],
  ] as const) {
    const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + days * DAY_MS) }
    // Passes use the database's time.
    await stage.database.pools.machines.query(
      `create or replace function database_time() returns timestamptz language sql volatile parallel safe
       as $$ select clock_timestamp() + interval '${days} days' $$`,
    )
    await settleTables(stage)
    say(`${name}: uploads alone`)
    const before = await upload(pause(ALONE_MS))
    say(`${name}: uploads during the pass`)
    const kept = await countKept(stage, clock.now())
    const walBefore = await own.readWal()
    const deleted: Record<string, number> = {}
    let [seconds, months] = [0, 0]
    const passing = (async () => {
      const [begun, deps] = [performance.now(), { ...depsOf(stage), database: own.database, clock }]
      // Because the pass deletes more than an ordinary day does.
      await confirmRetention(deps)
      months = (await dropPartitions(deps)).length
      for (let pruned = await pruneOrgs(deps); Object.keys(pruned).length > 0; pruned = await pruneOrgs(deps)) {
        for (const [table, count] of Object.entries(pruned)) deleted[table] = (deleted[table] ?? 0) + count
      }
      seconds = (performance.now() - begun) / 1000
    })()
    const during = await upload(passing)
    const after = JSON.stringify(await countKept(stage, clock.now()))
    const wanted = JSON.stringify(kept.map(({ plan, kept: count }) => ({ plan, old: 0, kept: count })))
    if (after !== wanted) throw new Error(`a pass left ${after} and not ${wanted}`)
    process.stdout.write(`\nretention: ${name} over ${year.results} results in sealed hours\n\n`)
    printFacts([
      ['seconds', seconds],
      ['months dropped', months, 0],
      ...Object.entries(deleted).map(([table, value]): Fact => [`rows of ${table} deleted`, value, 0]),
      ['WAL, MB', ((await own.readWal()) - walBefore) / 1e6, 1],
      ...slowdown(before, during),
    ])
  }
}

/** Counts the loaded results of each plan: those that are too old, and those that must remain. */
async function countKept({ database }: Stage, now: Date) {
  const plans = Object.keys(PLANS) as PlanName[]
  const edges = plans.map((plan) => edgeOf(PLANS[plan].retention_days, now))
  const { rows } = await database.pools.machines.query<{ plan: PlanName; old: number; kept: number }>(
    `select plan, count(*) filter (where ran_at < edge) as old, count(*) filter (where ran_at >= edge) as kept
     from stored_results join organisations using (org_id)
     join unnest($1::text[], $2::timestamptz[]) as e(plan, edge) using (plan)
     where ran_at < $3::timestamptz group by plan order by plan`,
    [plans, edges, LOADED_UNTIL],
  )
  return rows
}

const DISK = `select coalesce(sum(pg_total_relation_size(relid)), 0)::float8 as number from pg_partition_tree($1::regclass)`
const STORED = `select count(*)::float8 as number from stored_results where ran_at < $1::timestamptz`
const WAL = `
  select coalesce(sum(w.wal_bytes), 0)::float8 as number
  from pg_stat_activity a cross join lateral pg_stat_get_backend_wal(a.pid) w where a.usename = $1`

async function numberOf({ database }: Stage, text: string, values: readonly string[]): Promise<number> {
  return (await database.pools.machines.query<{ number: number }>(text, [...values])).rows[0]?.number ?? 0
}

/** Opens connections of a role of their own, so that Postgres counts the log that they write. */
async function openOwnRole(stage: Stage, name: string): Promise<{ database: Database; readWal(): Promise<number> }> {
  const url = new URL(stage.url)
  await stage.database.pools.machines.query(`create role ${name} superuser login password '${url.password}'`)
  url.username = name
  // One connection of each pool stays busy, because the count ends with its connection.
  const database = openDatabase({ url: url.href, poolSize: 1 })
  stage.undo(() => database.close())
  return { database, readWal: () => numberOf(stage, WAL, [name]) }
}

/** Uploads at a fixed rate until a promise is settled. Returns the milliseconds that each took from when it was due. */
type Upload = (until: Promise<unknown>) => Promise<number[]>

async function openUploads({ stage, writers }: Year, env: Readonly<Record<string, string>> = {}): Promise<Upload> {
  const send = sender({ server: await stage.serve(env) })
  const makeBatch = batchMaker(writers, noneFails)
  return async (until) => {
    const latencies: number[] = []
    let [isOver, sent] = [false, 0]
    const ending = until.finally(() => (isOver = true))
    const begun = performance.now()
    const work = async (lane: number): Promise<void> => {
      while (!isOver) {
        const due = begun + (sent++ * 1000) / UPLOADS_PER_SEC
        await pause(Math.max(0, due - performance.now()))
        await send(toRequest(makeBatch()), lane)
        latencies.push(performance.now() - due)
      }
    }
    await Promise.all([ending, ...Array.from({ length: LANES }, (_, lane) => work(lane))])
    return latencies
  }
}

function slowdown(before: readonly number[], during: readonly number[]): Fact[] {
  const at = (share: number, what: string): Fact[] => [
    [`ingest ${what} ms before`, quantile(before, share)],
    [`ingest ${what} ms during`, quantile(during, share)],
  ]
  const ratio = quantile(during, 0.99) / quantile(before, 0.99)
  return [...at(0.5, 'p50'), ...at(0.99, 'p99'), ...at(1, 'most'), ['ingest p99, during / before', ratio]]
}
