// What a Citus cluster costs against a plain Postgres of the same version on the same machine, in turns: ingest of batches of one
// and of fifty organisations, sync, pages of results, an export, and pages of the console. CPU by server: the machine's
// cores are shared by all of them, so CPU carries over to other machines, and requests a second do not.
// npm run bench -- citus --coordinator URL --plain URL [--only PART] [--rounds N] [--seconds N] [--rows N]
import { randomBytes } from 'node:crypto'
import { openSession } from '../../packages/server/dist/domain/people/sessions.js'
import { foldHistory } from '../../packages/server/dist/domain/results/history.js'
import { depsOf, loadArchive, makeOrg, makeYear, settleTables } from '../lab/archive.ts'
import { ask, createClusterDatabase, findCluster, NoCluster, postmasterOf } from '../lab/citus.ts'
import { databaseMeter, type Meter, type Owner } from '../lab/cpu.ts'
import { addToFleet, CHECKS_EACH, type FleetMonitor, listChecks, loadFleet } from '../lab/fleet.ts'
import { request } from '../lab/lane.ts'
import { insertRuns } from '../lab/recorded-rows.ts'
import { type BareStage, onBareStage, say, type Stage, stageOn } from '../lab/stage.ts'
import { runShard } from '../lab/sharding.ts'
import { batchMaker } from './support/batches.ts'
import { cpuPerUnit, median, percentile, printArms, printClaims, printFacts, unitsPerSec } from './support/report.ts'
import { type Arm, interleave, type Measured } from './support/rounds.ts'
import { askOnce, exports, requests, type Side, syncs, uploads } from './support/sides.ts'

const IN_FLIGHT = 4
const ROWS = 1_000_000
const PAGE_CHECKS = 100
const TOKENS = 200
const MANY = 50

const PER_UNIT = (digits: number) => [
  { title: 'per s', of: unitsPerSec, digits: 0 },
  { title: 'p50 ms', of: percentile(0.5), digits: 2 },
  { title: 'server us', of: cpuPerUnit('server'), digits },
  { title: 'coordinator us', of: cpuPerUnit('coordinator'), digits },
  { title: 'nodes us', of: cpuPerUnit('nodes'), digits },
]
const ALL = cpuPerUnit('coordinator', 'nodes')

const RECENT_RUNS = `
  select $1::bigint as org_id, c.check_id, t + make_interval(secs => c.check_id % 60) as ran_at, $2::text as monitor_id,
    true as success, run
  from checks c cross join generate_series(date_trunc('minute', now()) - interval '9 days', now() - interval '2 minutes',
    interval '5 minutes') with ordinality as t(t, run)
  where c.org_id = $1`

const PARTS = { ingest, sync, read, export: exportAll, console: pages }

await onBareStage(async (bare) => {
  const { coordinator, plain, only } = bare.flags
  if (plain === undefined) throw new NoCluster('no Postgres to compare with was given: --plain postgres://...')
  const cluster = await findCluster(coordinator)
  const wanted = Object.entries(PARTS).filter(([name]) => only === undefined || only === name)
  if (wanted.length === 0) throw new Error(`--only is one of ${Object.keys(PARTS).join(', ')}`)
  for (const [name, measure] of wanted) {
    say(`${name}: a fresh database on each`)
    const sides = [await openPlain(bare, plain), await openCluster(bare, cluster)]
    await measure(sides)
    process.stdout.write(`(${name}: ${cluster.version}, ${cluster.nodes.length} nodes)\n\n`)
  }
})

async function openPlain(bare: BareStage, admin: string): Promise<Side> {
  const name = `dogwatch_lab_${randomBytes(4).toString('hex')}`
  await ask(admin, `create database ${name}`)
  bare.undo(() => ask(admin, `drop database if exists ${name} with (force)`))
  const stage = await stageOn(bare, Object.assign(new URL(admin), { pathname: `/${name}` }).href)
  return { name: 'plain', stage, meters: [await coordinatorOf(stage)], server: await stage.serve() }
}

async function openCluster(bare: BareStage, cluster: Awaited<ReturnType<typeof findCluster>>): Promise<Side> {
  const database = await createClusterDatabase(cluster)
  bare.undo(() => database.drop())
  const stage = await stageOn(bare, database.url)
  await runShard(database.url)
  const each = await Promise.all(
    cluster.nodes.map(async (node) => {
      const url = database.urlOf(node)
      return databaseMeter(await postmasterOf(url), await ownerOf(url))
    }),
  )
  const nodes: Meter = { name: 'nodes', seconds: () => each.reduce((sum, meter) => sum + meter.seconds(), 0) }
  return { name: 'citus', stage, meters: [await coordinatorOf(stage), nodes], server: await stage.serve() }
}

/** Who a database is, so that it can be told from others of the same Postgres. */
async function ownerOf(url: string): Promise<Owner> {
  const [owner] = await ask<Owner>(
    url,
    'select datname as name, oid::integer as oid from pg_database where datname = current_database()',
  )
  if (!owner) throw new Error('a database does not say who it is')
  return owner
}

/** Others may use the same servers. */
async function coordinatorOf(stage: Stage): Promise<Meter> {
  return { ...databaseMeter(stage.postmaster, await ownerOf(stage.url)), name: 'coordinator' }
}

function ratio(what: string, of: Parameters<typeof printClaims>[1][number]['of'], about: string, atMost?: number) {
  return {
    what: `${what}, citus/plain ${about}`,
    top: `citus ${what}`,
    bottom: `plain ${what}`,
    of,
    ...(atMost !== undefined && { target: { atMost } }),
  }
}

async function ingest(sides: readonly Side[]): Promise<void> {
  const arms: Arm[] = []
  for (const side of sides) {
    await loadFleet(side.stage)
    const [many, one] = [await loadSpread(side.stage, MANY), await loadSpread(side.stage, 1)]
    arms.push(
      uploads(
        side,
        'of 50 organisations',
        batchMaker(many, () => false),
      ),
      uploads(
        side,
        'of one organisation',
        batchMaker(one, () => false),
      ),
    )
  }
  const measured = await interleave(arms, { ...flagsOf(sides), inFlight: IN_FLIGHT })
  process.stdout.write(`\ningest: uploads of ${CHECKS_EACH} results, ${IN_FLIGHT} in flight; figures per result\n\n`)
  printArms(measured, PER_UNIT(1))
  const batches = ['of one organisation', 'of 50 organisations']
  printFacts(
    batches.map((what) => ({
      what: `coordinator us a result, ${what}`,
      value: medianOf(measured, `citus ${what}`, cpuPerUnit('coordinator')),
      atMost: 4,
    })),
  )
  printClaims(
    measured,
    batches.flatMap((what) => [ratio(what, ALL, 'CPU of all databases', 3), ratio(what, unitsPerSec, 'results/s')]),
  )
}

/** Monitors of which each has as many checks of each of so many organisations. */
async function loadSpread(stage: Stage, orgs: number): Promise<FleetMonitor[]> {
  // Checks are dealt out to organisations and to groups in turn: so the two numbers have no common divisor. There are enough groups that no check
  // gets more results in an hour than are taken without a question to the database.
  const groups = 51
  const { monitors } = await addToFleet(stage, { orgs, checks: groups * CHECKS_EACH, monitors: 2 * groups, groups })
  const { machines } = stage.database.pools
  await machines.query('vacuum (analyze)')
  const spread = await Promise.all(
    monitors.map(async (monitor) => ({ ...monitor, checks: await listChecks(machines, monitor.id) })),
  )
  const [{ checks } = { checks: [] }] = spread
  const found = new Set(checks.map(({ org_id }) => org_id)).size
  if (found !== orgs || checks.length !== CHECKS_EACH) throw new Error(`a batch of ${found} organisations`)
  return spread
}

async function sync(sides: readonly Side[]): Promise<void> {
  const arms: Arm[] = []
  for (const side of sides) {
    // A sync reads no results.
    const monitors = await loadFleet(side.stage, 0)
    arms.push(...(await syncs(side, monitors)))
  }
  const measured = await interleave(arms, { ...flagsOf(sides), inFlight: IN_FLIGHT })
  process.stdout.write(`\nsync: ${CHECKS_EACH} checks each, ${IN_FLIGHT} in flight; figures per request\n\n`)
  printArms(measured, PER_UNIT(0))
  const kinds = ['idle sync', 'full sync']
  printClaims(
    measured,
    kinds.flatMap((what) => [ratio(what, cpuPerUnit(), 'CPU', 1.35), ratio(what, unitsPerSec, 'requests/s')]),
  )
}

async function read(sides: readonly Side[]): Promise<void> {
  const rows = sides[0]?.stage.flags.rows ?? ROWS
  const arms: Arm[] = []
  for (const side of sides) {
    await makeYear(side.stage)
    const { guids, tokens } = await loadArchive(side.stage, { checks: 1, results: rows, tokens: TOKENS })
    await settleTables(side.stage)
    const path = `/checks/${guids[0]}/results`
    const first = tokens.map((key) => request('GET', path, { key, api: 'account-api' }))
    const page = JSON.parse((await askOnce(side, first[0] as Buffer)).toString()) as {
      next?: { after: string; after_monitor: string }
    }
    const second = tokens.map((key) =>
      request('GET', `${path}?${new URLSearchParams({ ...page.next })}`, { key, api: 'account-api' }),
    )
    arms.push(requests(side, 'first page', first), requests(side, 'next page', second))
  }
  // A token's limit of requests a second bounds how many a slice may make.
  const measured = await interleave(arms, { ...flagsOf(sides), inFlight: 1 })
  process.stdout.write(`\nread: pages of one check's ${rows.toLocaleString('en-US')} results; figures per page\n\n`)
  printArms(measured, PER_UNIT(0))
  const kinds = ['first page', 'next page']
  printClaims(
    measured,
    kinds.flatMap((what) => [ratio(what, percentile(0.5), 'p50'), ratio(what, ALL, 'CPU of all databases')]),
  )
}

async function exportAll(sides: readonly Side[]): Promise<void> {
  const rows = sides[0]?.stage.flags.rows ?? ROWS
  const arms: Arm[] = []
  for (const side of sides) {
    await makeYear(side.stage)
    const { tokens } = await loadArchive(side.stage, { checks: 10, results: rows, tokens: TOKENS })
    await settleTables(side.stage)
    arms.push(exports(side, tokens, rows))
  }
  const measured = await interleave(arms, { ...flagsOf(sides), inFlight: 1, firstSteps: 1 })
  process.stdout.write(`\nexport: ${rows.toLocaleString('en-US')} results; figures per result\n\n`)
  printArms(measured, PER_UNIT(2))
  printClaims(measured, [ratio('export', unitsPerSec, 'rows/s'), ratio('export', ALL, 'CPU of all databases')])
}

async function pages(sides: readonly Side[]): Promise<void> {
  const arms: Arm[] = []
  const asked = (guid: string) => ({ overview: '/', checks: '/checks', 'a check': `/checks/${guid}?period=24h` })
  for (const side of sides) {
    await makeYear(side.stage)
    const { org_id, owner_id, guids, monitors } = await makeOrg(side.stage, PAGE_CHECKS, 'all')
    await insertRuns(side.stage.database.pools.machines, RECENT_RUNS, [org_id, monitors[0]])
    await foldHistory(depsOf(side.stage))
    await settleTables(side.stage)
    const cookie = `dogwatch-session=${await openSession(depsOf(side.stage), owner_id, org_id)}`
    for (const [what, path] of Object.entries(asked(guids[0] ?? ''))) arms.push(pageArm(side, what, path, cookie))
  }
  const measured = await interleave(arms, { ...flagsOf(sides), inFlight: 1 })
  process.stdout.write(`\nconsole: ${PAGE_CHECKS} checks with nine days of results; figures per page\n\n`)
  printArms(measured, PER_UNIT(0))
  const kinds = Object.keys(asked(''))
  printClaims(
    measured,
    kinds.flatMap((what) => [ratio(what, percentile(0.5), 'p50'), ratio(what, cpuPerUnit(), 'CPU')]),
  )
}

function pageArm(side: Side, what: string, path: string, cookie: string): Arm {
  return requests(side, what, [Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\n\r\n`)])
}

function flagsOf([side]: readonly Side[]): { rounds: number; seconds: number } {
  return side?.stage.flags ?? { rounds: 1, seconds: 1 }
}

function medianOf(
  measured: readonly Measured[],
  name: string,
  of: (slice: Measured['slices'][number]) => number,
): number {
  return median((measured.find((one) => one.name === name)?.slices ?? []).map(of))
}
