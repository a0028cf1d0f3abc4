// Measures what the service costs with a year of results in sealed hours: the same requests on twenty million and on one million,
// and on one million that are rows; and chores, with how much uploads slow down: the first sealing, and retention passes.
// npm run bench -- year [--rows N] [--rounds N] [--seconds N] [--profile DIRECTORY]
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../packages/domain/dist/deps.js'
import { PLANS, type PlanName } from '../../packages/domain/dist/organisations/plans.js'
import { dropPartitions } from '../../packages/domain/dist/results/partitions.js'
import { sealHours } from '../../packages/domain/dist/results/seal.js'
import { edgeOf } from '../../packages/domain/dist/retention/edge.js'
import { confirmRetention } from '../../packages/domain/dist/retention/gate.js'
import { pruneOrgs } from '../../packages/domain/dist/retention/prune.js'
import { systemClock } from '../../packages/runtime/dist/clock.js'
import { openDatabase } from '../../packages/store/dist/database.js'
import { NEVER, readSealProgress } from '../../packages/store/dist/results/sealing/sealing.js'
import { readDisk, settleTables } from '../lab/archive.ts'
import { quantile, readFlags } from '../lab/proof.ts'
import { sealPast } from '../lab/sealing.ts'
import { BENCH_FLAGS, makeDatabase, onStage, type Stage, say } from '../lab/stage.ts'
import { numberOf, query } from '../lab/world.ts'
import { type Arm, compare, cpuOf, type Fact, P50, printFacts, spanFacts } from './support/compare.ts'
import { batchMaker, sender, serveTarget, toRequest } from './support/requests.ts'
import { armsOf, INGEST, LOADED_UNTIL, loadYear, READS, type Year } from './support/year.ts'

const flags = readFlags({ ...BENCH_FLAGS, rows: { type: 'string', default: '20000000' } })
/**
 * Number of results in a group. A group has one organisation of each plan. The large database has many groups, and the small one
 * has one.
 */
const GROUP_ROWS = 1_000_000
const AT_MOST = 1.3
/**
 * Settings of Postgres on a dedicated machine. With the small buffers of the embedded server, the ratios would depend on how
 * often Postgres copies a page from the cache of the operating system.
 */
const SETTINGS = { shared_buffers: '4GB', effective_cache_size: '12GB', max_wal_size: '8GB' }
/** Number of uploads per second. Each upload has one result of each check of a monitor. */
const UPLOADS_PER_SEC = 20
const LANES = 4
/** Pause of a chore between its runs, in milliseconds. */
const REST_MS = 15_000
/** Time until servers notice that sealing has begun, in milliseconds. */
const NOTICED_MS = 65_000
const ALONE_MS = 20_000
const DAY_MS = 86_400_000

const STORED = 'select count(*) from stored_results where ran_at < $1::timestamptz'
const WAL = `
  select coalesce(sum(w.wal_bytes), 0)
  from pg_stat_activity a cross join lateral pg_stat_get_backend_wal(a.pid) w where a.usename = $1`

/** Runs a chore as a Postgres role of its own, and prints what the chore cost, and how much it slowed uploads down. */
async function measureChore(
  year: Year,
  { name, alone_ms }: { name: string; alone_ms: number },
  work: (deps: Deps) => Promise<Fact[]>,
): Promise<void> {
  const { stage, results } = year
  const upload = await openUploads(year)
  const own = await openOwnRole(stage, name)
  await settleTables(stage)
  say(`${name}: uploads alone`)
  const before = await upload(pause(alone_ms))
  say(`${name}: uploads at the same time`)
  const [walBefore, begun] = [await own.readWal(), performance.now()]
  const working = work({ ...stage, database: own.database })
  const during = await upload(working)
  const [minutes, wal] = [(performance.now() - begun) / 60_000, (await own.readWal()) - walBefore]
  process.stdout.write(`\n${name}: a year of ${results} results\n\n`)
  printFacts([
    ['minutes', minutes],
    ...(await working),
    ['WAL, MB', wal / 1e6, 0],
    ['WAL, bytes a result of the year', wal / results, 1],
    ...spanFacts('uploads before', before),
    ...spanFacts('uploads at the same time', during),
    ['uploads, p99, at the same time / before', quantile(during, 0.99) / quantile(before, 0.99)],
  ])
}

/** Runs the sealing chore, which uses a tenth of one connection's time, until all hours are sealed. */
async function measureMigration(year: Year): Promise<void> {
  const { stage, results } = year
  const [rowsBefore, found] = [await readDisk(stage, 'results'), await numberOf(stage, STORED, LOADED_UNTIL)]
  // The first run only records that sealing has begun.
  await sealHours(stage)
  await measureChore(year, { name: 'migration', alone_ms: NOTICED_MS }, async (deps) => {
    let hours = 0
    const isOver = async (): Promise<boolean> => {
      const { sealed_until, settled } = await readSealProgress(deps.database.machines)
      return sealed_until !== NEVER && sealed_until >= settled
    }
    for (; !(await isOver()); await pause(REST_MS)) hours += (await sealHours(deps)).hours
    // Runs the chore twice more, because only later runs drop rows that readers may still have used.
    for (let run = 0; run < 2; run++) await sealHours(deps)
    return [
      ['hours of checks sealed', hours, 0],
      ['disk of rows before, bytes a result', rowsBefore / results, 0],
    ]
  })
  await settleTables(stage)
  const left = await numberOf(stage, STORED, LOADED_UNTIL)
  if (left !== found) throw new Error(`${found} results became ${left}`)
  printFacts([['disk of sealed hours after, bytes a result', (await readDisk(stage, 'sealed_hours')) / results, 0]])
}

/** Runs a retention pass with a clock that is `days` ahead. The first pass finds the results of a whole year. */
async function measurePass(year: Year, days: number): Promise<void> {
  const { stage } = year
  const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + days * DAY_MS) }
  // Sets the database's time ahead as well, because retention passes use it.
  await query(
    stage,
    `create or replace function database_time() returns timestamptz language sql volatile parallel safe
     as $$ select clock_timestamp() + interval '${days} days' $$`,
  )
  const kept = await countKept(stage, clock.now())
  await measureChore(year, { name: `retention_after_${days}_days`, alone_ms: ALONE_MS }, async (given) => {
    const deps = { ...given, clock }
    const deleted: Record<string, number> = {}
    // Confirms the pass, because a pass that deletes unusually much waits for a confirmation.
    await confirmRetention(deps)
    const months = (await dropPartitions(deps)).length
    for (let pruned = await pruneOrgs(deps); Object.keys(pruned).length > 0; pruned = await pruneOrgs(deps)) {
      for (const [table, count] of Object.entries(pruned)) deleted[table] = (deleted[table] ?? 0) + count
    }
    const rows = Object.entries(deleted).map(([table, count]): Fact => [`rows of ${table} deleted`, count, 0])
    return [['months dropped', months, 0], ...rows]
  })
  const after = JSON.stringify(await countKept(stage, clock.now()))
  const wanted = JSON.stringify(kept.map(({ plan, kept: count }) => ({ plan, old: 0, kept: count })))
  if (after !== wanted) throw new Error(`a pass left ${after} and not ${wanted}`)
}

/** Counts the loaded results of each plan: those that retention must delete, and those that must remain. */
function countKept(stage: Stage, now: Date) {
  const plans = Object.keys(PLANS) as PlanName[]
  const edges = plans.map((plan) => edgeOf(PLANS[plan].retention_days, now))
  return query<{ plan: PlanName; old: number; kept: number }>(
    stage,
    `select plan, count(*) filter (where ran_at < edge) as old, count(*) filter (where ran_at >= edge) as kept
     from stored_results join organisations using (org_id)
     join unnest($1::text[], $2::timestamptz[]) as e(plan, edge) using (plan)
     where ran_at < $3::timestamptz group by plan order by plan`,
    plans,
    edges,
    LOADED_UNTIL,
  )
}

/** Opens connections of a Postgres role of its own, so that Postgres counts the log that they write. */
async function openOwnRole(stage: Stage, name: string) {
  const url = new URL(stage.url)
  await query(stage, `create role ${name} superuser login password '${url.password}'`)
  url.username = name
  // Keeps one connection of each pool busy, because the count ends when a connection closes.
  const database = openDatabase({ url: url.href, poolSize: 1 })
  stage.undo(() => database.close())
  return { database, readWal: () => numberOf(stage, WAL, name) }
}

/**
 * Returns a function that uploads at a fixed rate until a promise is settled. It returns how long after its due time each upload
 * was complete.
 */
async function openUploads({ stage, writers }: Year) {
  const send = sender({ server: await stage.serve() })
  const makeBatch = batchMaker(writers)
  return async (until: Promise<unknown>): Promise<number[]> => {
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

async function measure(stage: Stage): Promise<void> {
  const rows = Number(flags.rows)
  const groups = Math.max(2, Math.round(rows / GROUP_ROWS))
  const big = await loadYear(await makeDatabase(stage, 'big'), groups, rows)
  await measureMigration(big)
  const small = await loadYear(await makeDatabase(stage, 'small'), 1, rows / groups)
  await sealPast(small.stage)
  const plain = await loadYear(await makeDatabase(stage, 'rows'), 1, rows / groups)
  const arms: Arm[] = []
  for (const [side, year] of Object.entries({ big, small, rows: plain })) {
    await settleTables(year.stage)
    arms.push(...armsOf(year, await serveTarget(year.stage), side))
  }
  const cpu = cpuOf('server', 'postgres')
  // Measures uploads last, because pages would read the results that uploads store.
  for (const works of [READS, [INGEST]]) {
    await compare(
      stage,
      arms.filter(({ name }) => works.some((work) => name.startsWith(work))),
      {
        title: `year: "big" has ${big.results} results of ${big.orgs.length} organisations in sealed hours, "small" has ${small.results} of ${small.orgs.length} in sealed hours, "rows" has the same as rows; ${JSON.stringify(SETTINGS)}`,
        inFlight: 1,
        claims: works.flatMap((work) => [
          [`${work}, big`, `${work}, small`, P50, { atMost: AT_MOST }],
          [`${work}, big`, `${work}, small`, cpu],
          [`${work}, small`, `${work}, rows`, P50],
          [`${work}, small`, `${work}, rows`, cpu],
        ]),
      },
    )
  }
  for (const days of [0, 1]) await measurePass(big, days)
}

await onStage(flags, measure, SETTINGS)
