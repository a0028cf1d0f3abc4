// What alerting adds to storing results: for the statement alone and for whole uploads.
import { fileURLToPath } from 'node:url'
import { hashToken } from '../../../packages/server/dist/runtime/tokens.js'
import { openDatabase } from '../../../packages/server/dist/store/database.js'
import { insertHealthyResults } from '../../../packages/server/dist/store/results/results.js'
import { ownMeter } from '../../lab/cpu.ts'
import { CHECKS_EACH, type FleetCheck, type FleetMonitor } from '../../lab/fleet.ts'
import { openLanes } from '../../lab/lane.ts'
import { insertRuns } from '../../lab/recorded-rows.ts'
import { type BenchServer, type Stage, say } from '../../lab/stage.ts'
import { type Batch, batchMaker, type Fails, sentNow, toColumns, toRequest } from '../support/batches.ts'
import { type Column, cpuPerUnit, printArms, printClaims, unitsPerSec } from '../support/report.ts'
import { type Arm, interleave, type Measured } from '../support/rounds.ts'
import { insertPlainly } from './plain.ts'

const IN_FLIGHT = 4
const APP = fileURLToPath(new URL('../support/app.ts', import.meta.url))
const AT_MOST = 1.15
/** One percent of a batch. */
const FAILING = 5
const COLUMNS: readonly Column[] = [
  { title: 'postgres us/result', of: cpuPerUnit('postgres'), digits: 2, spread: true },
  { title: 'server us/result', of: cpuPerUnit('server'), digits: 2 },
  { title: 'results/s', of: unitsPerSec, digits: 0 },
]

/** This many results were prepared. */
let made = 0

const healthy: Fails = () => false
/** The checks that are down: always the same ones. */
const theDownFail: Fails = (_, place) => place < FAILING
/** Never the same check twice in a row, not even by its other monitor: a single failure takes nothing down. */
const othersFail: Fails = (batch, place) =>
  Array.from({ length: FAILING }, (_, n) => (batch * 7 + n * 97) % CHECKS_EACH).includes(place)

export async function compareIngest(stage: Stage, monitors: readonly FleetMonitor[]): Promise<void> {
  // Both by statements: what is compared leaves judging out of one.
  const serve = (env: Record<string, string>) => stage.serve({ BENCH_COPIES: 'off', ...env }, APP)
  const [server, plainServer] = [await serve({}), await serve({ BENCH_ALERTING: 'off' })]
  const setting: Setting = {
    stage,
    uploads: (name, some, fails) => uploads(name, server, stage, batchMaker(some, fails)),
    without: await uploads('upload, without', plainServer, stage, batchMaker(monitors, healthy)),
    withoutOf: (some) => uploads('upload, without', plainServer, stage, batchMaker(some, healthy)),
  }
  const before = await countResults(stage)
  await compareHealthy(setting, 'healthy results, nothing is down', monitors)
  const [first] = monitors
  if (!first) throw new Error('a fleet without monitors')
  // All checks of two monitors, which are silent meanwhile: the batches of the others contain successes only.
  await takeDown(stage, first.checks)
  const others = monitors.filter((monitor) => monitor.checks[0]?.check_id !== first.checks[0]?.check_id)
  await compareHealthy(setting, 'healthy results, one percent of all checks is down and reported by others', others)
  await forgetAll(stage)
  await compareFailing(setting, monitors)
  await forgetAll(stage)
  const stored = (await countResults(stage)) - before
  if (stored !== made) throw new Error(`${stored} of ${made} results were stored`)
}

interface Setting {
  stage: Stage
  /** To the server as it is. */
  uploads: (name: string, monitors: readonly FleetMonitor[], fails: Fails) => Promise<Arm>
  without: Arm
  /** The same with the checks of some monitors. */
  withoutOf: (monitors: readonly FleetMonitor[]) => Promise<Arm>
}

async function compareHealthy(
  { stage, uploads: to, without }: Setting,
  title: string,
  monitors: readonly FleetMonitor[],
): Promise<void> {
  say(title)
  const arms = [...statements(stage, monitors), await to('upload', monitors, healthy), without]
  const measured = await measure(stage, arms)
  process.stdout.write(`\n${title}: batches of ${CHECKS_EACH}, ${IN_FLIGHT} in flight\n\n`)
  printArms(measured, COLUMNS)
  const claim = { of: pgCpu, target: { atMost: AT_MOST } }
  printClaims(measured, [
    { ...claim, what: 'statement/without, postgres CPU', top: 'statement', bottom: 'statement, without' },
    { ...claim, what: 'upload/without, postgres CPU', top: 'upload', bottom: 'upload, without' },
  ])
}

/** Batches with one percent of failures: each fails once, or its check is down already, so that nothing changes. */
async function compareFailing(
  { stage, uploads: to, without, withoutOf }: Setting,
  monitors: readonly FleetMonitor[],
): Promise<void> {
  const single = 'single failures'
  await compareFailures(stage, single, [await to(single, monitors, othersFail), without])
  // Successes stored without judging would end what is down at the next judging: so the other arm has other checks.
  const groups = [...new Set(monitors.map(({ checks: [first] }) => first?.check_id))]
  const isFirst = ({ checks: [first] }: FleetMonitor) => groups.indexOf(first?.check_id) % 2 === 0
  const [some, others] = [monitors.filter(isFirst), monitors.filter((monitor) => !isFirst(monitor))]
  const failing = some.flatMap((monitor) => monitor.checks.slice(0, FAILING))
  await storeFailures(stage, failing)
  await takeDown(stage, failing)
  const lasting = 'one percent is down'
  await compareFailures(stage, lasting, [await to(lasting, some, theDownFail), await withoutOf(others)])
}

async function compareFailures(stage: Stage, name: string, arms: readonly Arm[]): Promise<void> {
  say(name)
  const before = await countDown(stage)
  const measured = await measure(stage, arms)
  if ((await countDown(stage)) !== before) throw new Error('checks went down or came up')
  process.stdout.write(`\n${name}: ${FAILING} of each batch fail\n\n`)
  printArms(measured, COLUMNS)
  printClaims(measured, [{ what: `${name}/without, postgres CPU`, top: name, bottom: 'upload, without', of: pgCpu }])
}

function measure({ flags }: Stage, arms: readonly Arm[]): Promise<Measured[]> {
  return interleave(arms, { ...flags, inFlight: IN_FLIGHT })
}

const pgCpu = cpuPerUnit('postgres')

/** The server's own function against the plain one, with prepared arguments. */
function statements(stage: Stage, monitors: readonly FleetMonitor[]): Arm[] {
  const database = openDatabase({ url: stage.url, poolSize: IN_FLIGHT })
  stage.undo(() => database.close())
  const next = batchMaker(monitors, healthy)
  const ready = () => {
    const batch = next()
    const { id, key } = batch.monitor
    return { id, key_hash: hashToken(key), columns: toColumns(batch) }
  }
  return [
    arm('statement', [stage.postgres], ready, async ({ id, key_hash, columns }) => {
      const { accepted, is_declined } = await insertHealthyResults(database, { id, key_hash }, columns)
      requireAll(is_declined ? 0 : accepted)
    }),
    arm('statement, without', [stage.postgres], ready, async ({ id, key_hash, columns }) => {
      requireAll(await insertPlainly(database, { id, key_hash }, columns))
    }),
  ]
}

async function uploads(name: string, server: BenchServer, stage: Stage, next: () => Batch): Promise<Arm> {
  const lanes = await openLanes(server.port, IN_FLIGHT)
  return arm(
    name,
    [server.meter, stage.postgres],
    () => toRequest(next()),
    async (request, lane) => {
      const body = await lanes[lane]?.send(sentNow(request))
      requireAll((JSON.parse(body?.toString() ?? '{}') as { accepted: number }).accepted)
    },
  )
}

function requireAll(accepted: number): void {
  if (accepted !== CHECKS_EACH) throw new Error(`${accepted} of ${CHECKS_EACH} results were accepted`)
}

/** Makes a slice's batches before its clock runs. */
function arm<Ready>(
  name: string,
  meters: Arm['meters'],
  make: () => Ready,
  step: (ready: Ready, lane: number) => Promise<void>,
): Arm {
  let ready: Ready[] = []
  return {
    name,
    meters: [...meters, ownMeter],
    unitsPerStep: CHECKS_EACH,
    prepare: (steps) => {
      ready = Array.from({ length: steps }, make)
      made += steps * CHECKS_EACH
    },
    step: (index, lane) => step(ready[index] as Ready, lane),
  }
}

async function takeDown({ database: { pools } }: Stage, checks: readonly FleetCheck[]): Promise<void> {
  await pools.machines.query(OPEN_INCIDENTS, keysOf(checks))
  await pools.machines.query('vacuum (analyze) incidents')
}

/** Enough that one more failure changes nothing. */
async function storeFailures({ database: { pools } }: Stage, checks: readonly FleetCheck[]): Promise<void> {
  made += await insertRuns(pools.machines, FAILURES, keysOf(checks))
}

function keysOf(checks: readonly FleetCheck[]): number[][] {
  return [checks.map(({ org_id }) => org_id), checks.map(({ check_id }) => check_id)]
}

const OPEN_INCIDENTS = `
  insert into incidents (org_id, incident_id, check_id, began_at, told_at)
  select distinct on (org_id, check_id) org_id, gen_random_uuid()::text, check_id, now() - interval '61 minutes', now()
  from unnest($1::bigint[], $2::bigint[]) as k(org_id, check_id)`

// Newer than earlier uploads, and older than what batches contain from now on.
const FAILURES = `
  select distinct org_id, check_id, now() - interval '1 minute' - n * interval '100 milliseconds' as ran_at,
    'elsewhere' as monitor_id, false as success, n as run
  from unnest($1::bigint[], $2::bigint[]) as k(org_id, check_id), generate_series(1, 3) n`

async function countDown({ database: { pools } }: Stage): Promise<number> {
  const { rows } = await pools.machines.query<{ count: number }>(
    'select count(*) from incidents where ended_at is null',
  )
  return rows[0]?.count ?? 0
}

async function countResults({ database: { pools } }: Stage): Promise<number> {
  const { rows } = await pools.machines.query<{ count: number }>('select count(*) from results')
  return rows[0]?.count ?? 0
}

async function forgetAll({ database: { pools } }: Stage): Promise<void> {
  await pools.machines.query('truncate incidents, check_states cascade')
}
