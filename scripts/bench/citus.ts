// Measures the same work on a Citus cluster and on a plain Postgres of the same version: uploads, syncs, pages of results,
// exports and pages of the console. An operator provides both.
// npm run bench -- citus --coordinator URL --plain URL [--only ingest|sync|read|export|console] [--rounds N] [--seconds N] [--rows N]
import { randomBytes } from 'node:crypto'
import { openSession } from '../../packages/server/dist/domain/people/sessions.js'
import { foldHistory } from '../../packages/server/dist/domain/results/history.js'
import { depsOf, loadArchive, makeOrg, makeYear, settleTables } from '../lab/archive.ts'
import { ask, createClusterDatabase, findCluster, NoCluster, postmasterOf } from '../lab/citus.ts'
import { databaseMeter, type Meter, type Owner } from '../lab/cpu.ts'
import { addToFleet, CHECKS_EACH, type FleetMonitor, listChecks, loadFleet } from '../lab/fleet.ts'
import { request } from '../lab/lane.ts'
import { insertRuns } from '../lab/recorded-rows.ts'
import { runShard } from '../lab/sharding.ts'
import { type BareStage, onBareStage, say, type Stage, stageOn } from '../lab/stage.ts'
import {
  cookieOf,
  downloadExport,
  idleSyncs,
  pageRequest,
  requests,
  sender,
  type SyncAnswer,
  type Target,
  uploads,
} from './support/arms.ts'
import { batchMaker, noneFails } from './support/batches.ts'
import { type Claim, compare, cpuPerUnit, median, p50, printFacts, unitsPerSec } from './support/report.ts'
import type { Arm } from './support/rounds.ts'

const ROWS = 1_000_000
const PAGE_CHECKS = 100
const TOKENS = 200
const ALL = cpuPerUnit('coordinator', 'nodes')

interface Side extends Target {
  name: 'plain' | 'citus'
  stage: Stage
}

/** One part of the bench: its arms on each side, and the ratios of the cluster to the plain Postgres. */
interface Part {
  title: string
  inFlight: number
  firstSteps?: number
  arms(side: Side, rows: number): Promise<Arm[]>
  ratios: readonly (readonly [arm: string, measure: string, of: Claim[3], target?: Claim[4]])[]
}

const PARTS: Readonly<Record<string, Part>> = {
  ingest: {
    title: `ingest: uploads of ${CHECKS_EACH} results; figures per result`,
    inFlight: 4,
    arms: async (side) => {
      await loadFleet(side.stage)
      const [many, one] = [await loadSpread(side.stage, 50), await loadSpread(side.stage, 1)]
      return [
        uploads(`${side.name} of 50 organisations`, side, batchMaker(many, noneFails)),
        uploads(`${side.name} of one organisation`, side, batchMaker(one, noneFails)),
      ]
    },
    ratios: ['of one organisation', 'of 50 organisations'].flatMap((arm) => [
      [arm, 'CPU of all databases', ALL, { atMost: 3 }] as const,
      [arm, 'results/s', unitsPerSec] as const,
    ]),
  },
  sync: {
    title: `sync: ${CHECKS_EACH} checks each`,
    inFlight: 4,
    arms: async (side) => {
      // A sync reads no results.
      const keys = (await loadFleet(side.stage, 0)).map(({ key }) => key)
      const full = (index: number) => request('GET', '/checks', { key: keys[index % keys.length] ?? '' })
      return [
        await idleSyncs(`${side.name} idle sync`, side, keys),
        requests(`${side.name} full sync`, side, '"server_time"', full),
      ]
    },
    ratios: ['idle sync', 'full sync'].flatMap((arm) => [
      [arm, 'CPU', cpuPerUnit(), { atMost: 1.35 }] as const,
      [arm, 'requests/s', unitsPerSec] as const,
    ]),
  },
  read: {
    title: "read: pages of one check's results",
    inFlight: 1,
    arms: async (side, rows) => {
      await makeYear(side.stage)
      const { guids, tokens } = await loadArchive(side.stage, { checks: 1, results: rows, tokens: TOKENS })
      await settleTables(side.stage)
      const path = `/checks/${guids[0]}/results`
      const page = (query: string) => (index: number) =>
        request('GET', `${path}?${query}`, { key: tokens[index % tokens.length] ?? '', api: 'account-api' })
      const first = JSON.parse((await sender(side)(page('')(0))).toString()) as SyncAnswer & { next?: object }
      const next = new URLSearchParams({ ...first.next }).toString()
      return [
        requests(`${side.name} first page`, side, '"next"', page('')),
        requests(`${side.name} next page`, side, '"next"', page(next)),
      ]
    },
    ratios: ['first page', 'next page'].flatMap((arm) => [
      [arm, 'p50', p50] as const,
      [arm, 'CPU of all databases', ALL] as const,
    ]),
  },
  export: {
    title: 'export; figures per result',
    ...{ inFlight: 1, firstSteps: 1 },
    arms: async ({ name, stage, server, meters }, rows) => {
      await makeYear(stage)
      const { tokens } = await loadArchive(stage, { checks: 10, results: rows, tokens: TOKENS })
      await settleTables(stage)
      let used = 0
      const step = async (): Promise<void> =>
        void (await downloadExport(stage, server, tokens[used++ % tokens.length] ?? ''))
      return [{ name: `${name} export`, meters, unitsPerStep: rows, step }]
    },
    ratios: [
      ['export', 'rows/s', unitsPerSec],
      ['export', 'CPU of all databases', ALL],
    ],
  },
  console: {
    title: `console: ${PAGE_CHECKS} checks with nine days of results`,
    inFlight: 1,
    arms: async (side) => {
      const { stage } = side
      await makeYear(stage)
      const { org_id, owner_id, guids, monitors } = await makeOrg(stage, PAGE_CHECKS, 'all')
      await insertRuns(stage.database.pools.machines, RECENT_RUNS, [org_id, monitors[0]])
      await foldHistory(depsOf(stage))
      await settleTables(stage)
      const headers = cookieOf(await openSession(depsOf(stage), owner_id, org_id))
      const arm = (what: string, path: string) =>
        requests(`${side.name} ${what}`, side, '</html>', () => pageRequest(path, headers))
      return [arm('overview', '/'), arm('checks', '/checks'), arm('a check', `/checks/${guids[0]}?period=24h`)]
    },
    ratios: ['overview', 'checks', 'a check'].flatMap((arm) => [
      [arm, 'p50', p50] as const,
      [arm, 'CPU', cpuPerUnit()] as const,
    ]),
  },
}

const RECENT_RUNS = `
  select $1::bigint as org_id, c.check_id, t + make_interval(secs => c.check_id % 60) as ran_at, $2::text as monitor_id,
    true as success, run
  from checks c cross join generate_series(date_trunc('minute', now()) - interval '9 days', now() - interval '2 minutes',
    interval '5 minutes') with ordinality as t(t, run)
  where c.org_id = $1`

await onBareStage(async (bare) => {
  const { coordinator, plain, only, rows = ROWS } = bare.flags
  if (plain === undefined) throw new NoCluster('no Postgres to compare with was given: --plain postgres://...')
  const cluster = await findCluster(coordinator)
  const wanted = Object.entries(PARTS).filter(([name]) => only === undefined || only === name)
  if (wanted.length === 0) throw new Error(`--only is one of ${Object.keys(PARTS).join(', ')}`)
  for (const [name, { title, ratios, arms, ...plan }] of wanted) {
    say(`${name}: a fresh database on each`)
    const sides = [await openPlain(bare, plain), await openCluster(bare, cluster)]
    const all: Arm[] = []
    for (const side of sides) all.push(...(await arms(side, rows)))
    const claims = ratios.map(
      ([arm, measure, of, target = {}]): Claim => [
        `${arm}, citus/plain ${measure}`,
        `citus ${arm}`,
        `plain ${arm}`,
        ...([of, target] as const),
      ],
    )
    const measured = await compare(bare.flags, all, { title, claims, ...plan })
    if (name === 'ingest') {
      const ofCluster = measured.filter((arm) => arm.name.startsWith('citus '))
      const coordinatorUs = cpuPerUnit('coordinator')
      printFacts(
        ofCluster.map((arm) => [
          `coordinator us a result, ${arm.name}`,
          ...([median(arm.slices.map(coordinatorUs)), 2, { atMost: 4 }] as const),
        ]),
      )
    }
    process.stdout.write(`(${name}: ${cluster.version}, ${cluster.nodes.length} nodes)\n\n`)
  }
})

async function openPlain(bare: BareStage, admin: string): Promise<Side> {
  const name = `dogwatch_lab_${randomBytes(4).toString('hex')}`
  await ask(admin, `create database ${name}`)
  bare.undo(() => ask(admin, `drop database if exists ${name} with (force)`))
  const stage = await stageOn(bare, Object.assign(new URL(admin), { pathname: `/${name}` }).href)
  return sideOf('plain', stage, [])
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
  return sideOf('citus', stage, [nodes])
}

async function sideOf(name: Side['name'], stage: Stage, nodes: readonly Meter[]): Promise<Side> {
  const server = await stage.serve()
  // Other databases may use the same servers.
  const coordinator = { ...databaseMeter(stage.postmaster, await ownerOf(stage.url)), name: 'coordinator' }
  return { name, stage, server, meters: [server.meter, coordinator, ...nodes] }
}

/** Returns what identifies a database among those of the same Postgres. */
async function ownerOf(url: string): Promise<Owner> {
  const [owner] = await ask<Owner>(
    url,
    'select datname as name, oid::integer as oid from pg_database where datname = current_database()',
  )
  if (!owner) throw new Error('a database does not identify itself')
  return owner
}

/** Adds monitors that have equally many checks of each of so many organisations. */
async function loadSpread(stage: Stage, orgs: number): Promise<FleetMonitor[]> {
  // Checks are dealt out to organisations and to groups in turn, so the two numbers must have no common divisor. With so many
  // groups, no check has more results in an hour than the server accepts without a query.
  const groups = 51
  const { monitors } = await addToFleet(stage, { orgs, checks: groups * CHECKS_EACH, monitors: 2 * groups, groups })
  const { machines } = stage.database.pools
  await machines.query('vacuum (analyze)')
  return Promise.all(monitors.map(async (monitor) => ({ ...monitor, checks: await listChecks(machines, monitor.id) })))
}
