// Measures the same requests on a Citus cluster and on a plain Postgres of the same version. An operator provides both, without other load.
// npm run bench -- citus --coordinator URL --plain URL [--rows N] [--rounds N] [--seconds N] [--profile DIRECTORY]
import { randomBytes } from 'node:crypto'
import { createClusterDatabase, findCluster, NoCluster, postmasterOf } from '../lab/citus.ts'
import { type Meter, postgresMeter, processMeter } from '../lab/cpu.ts'
import { addToFleet, CHECKS_EACH, listChecks } from '../lab/fleet.ts'
import { ask } from '../lab/postgres.ts'
import { readFlags, sum } from '../lab/proof.ts'
import { runShard } from '../lab/sharding.ts'
import { type BareStage, BENCH_FLAGS, onBareStage, type Stage, say, stageOn } from '../lab/stage.ts'
import { type Arm, compare, cpuOf, median, P50, printFacts, RATE } from './support/compare.ts'
import { batchMaker, type Target, uploads } from './support/requests.ts'
import { armsOf, INGEST, loadYear, READS } from './support/year.ts'

const text = { type: 'string' } as const
const flags = readFlags({ ...BENCH_FLAGS, coordinator: text, plain: text, rows: { ...text, default: '1000000' } })
/** Numbers of organisations whose results share a batch. */
const SPREADS = [1, 50]
const ALL = cpuOf('coordinator', 'nodes')
const COORDINATOR = cpuOf('coordinator')

interface Side extends Target {
  name: 'plain' | 'citus'
  stage: Stage
}

await onBareStage(flags, async (bare) => {
  const { coordinator, plain } = flags
  const rows = Number(flags.rows)
  if (plain === undefined) throw new NoCluster('no Postgres to compare with was given: --plain postgres://...')
  const cluster = await findCluster(coordinator)
  const [reads, ingests]: [Arm[], Arm[]] = [[], []]
  for (const side of [await openPlain(bare, plain), await openCluster(bare, cluster)]) {
    say(`${side.name}: loading`)
    const arms = armsOf(await loadYear(side.stage, 1, rows), side, side.name)
    reads.push(...arms.filter(({ name }) => !name.startsWith(INGEST)))
    for (const orgs of SPREADS) ingests.push(await spreadArm(side, orgs))
  }
  await compare(bare, reads, {
    title: `reading: ${rows} results of four organisations; ${cluster.version}, ${cluster.nodes.length} nodes`,
    inFlight: 1,
    claims: READS.flatMap((work) => [
      [`${work}, citus`, `${work}, plain`, P50],
      // A sync without changes is the most frequent request.
      [`${work}, citus`, `${work}, plain`, cpuOf(), work === 'idle sync' ? { atMost: 1.35 } : {}],
    ]),
  })
  // Measures uploads last, because the reads would read the results that uploads store.
  const slices = await compare(bare, ingests, {
    title: `uploads of ${CHECKS_EACH} results; figures per result; ${cluster.version}, ${cluster.nodes.length} nodes`,
    inFlight: 4,
    claims: SPREADS.flatMap((orgs) => [
      [`${INGEST} of ${orgs}, citus`, `${INGEST} of ${orgs}, plain`, ALL, { atMost: 3 }],
      [`${INGEST} of ${orgs}, citus`, `${INGEST} of ${orgs}, plain`, RATE],
    ]),
  })
  printFacts(
    SPREADS.map((orgs) => {
      const used = (slices.get(`${INGEST} of ${orgs}, citus`) ?? []).map(COORDINATOR.of)
      return [`coordinator us a result, batches of ${orgs} organisations`, median(used), 2, { atMost: 4 }]
    }),
  )
})

async function openPlain(bare: BareStage, admin: string): Promise<Side> {
  const name = `dogwatch_lab_${randomBytes(4).toString('hex')}`
  await ask(admin, `create database ${name}`)
  bare.undo(() => ask(admin, `drop database if exists ${name} with (force)`))
  const stage = await stageOn(bare, Object.assign(new URL(admin), { pathname: `/${name}` }).href)
  return openSide('plain', stage, [])
}

async function openCluster(bare: BareStage, cluster: Awaited<ReturnType<typeof findCluster>>): Promise<Side> {
  const database = await createClusterDatabase(cluster)
  bare.undo(() => database.drop())
  const stage = await stageOn(bare, database.url)
  await runShard(database.url)
  const each = await Promise.all(
    cluster.nodes.map(async (node) => postgresMeter(await postmasterOf(database.urlOf(node)))),
  )
  const nodes: Meter = { name: 'nodes', seconds: () => sum(each.map((meter) => meter.seconds())) }
  return openSide('citus', stage, [nodes])
}

async function openSide(name: Side['name'], stage: Stage, nodes: readonly Meter[]): Promise<Side> {
  const server = await stage.serve()
  const coordinator = { ...stage.postgres, name: 'coordinator' }
  return { name, stage, server, meters: [processMeter('server', server.pid), coordinator, ...nodes] }
}

/** Adds monitors, each with equally many checks of every organisation, and returns an arm of their uploads. */
async function spreadArm({ name, stage, ...target }: Side, orgs: number): Promise<Arm> {
  // Checks are assigned to organisations and to groups in turn, so the two numbers must have no common divisor. With 51 groups,
  // no check gets more results in an hour than the server accepts without a query.
  const groups = 51
  const { monitors } = await addToFleet(stage, { orgs, checks: groups * CHECKS_EACH, monitors: 2 * groups, groups })
  const { machines } = stage.database.pools
  await machines.query('vacuum (analyze)')
  const spread = await Promise.all(
    monitors.map(async (monitor) => ({ ...monitor, checks: await listChecks(machines, monitor.id) })),
  )
  return uploads(`${INGEST} of ${orgs}, ${name}`, target, batchMaker(spread))
}
