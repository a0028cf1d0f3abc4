// Measures what alerting costs and how fast it is: uploads with failures against uploads without, the search for late
// heartbeats, and the time from a failing result to its webhook.
// npm run bench -- alerting [--only ingest|sweep|latency] [--short]
import { sweepHeartbeats } from '../../packages/server/dist/domain/heartbeats/sweep.js'
import { depsOf } from '../lab/archive.ts'
import { ownMeter } from '../lab/cpu.ts'
import { CHECKS_EACH, type FleetMonitor, loadFleet } from '../lab/fleet.ts'
import { insertRuns } from '../lab/recorded-rows.ts'
import { onStage, type Stage, say } from '../lab/stage.ts'
import { measureLatency } from './alerting/latency.ts'
import { serveTarget, uploads } from './support/arms.ts'
import { batchMaker, type Fails, noneFails } from './support/batches.ts'
import { compare, cpuPerUnit, median, printFacts } from './support/report.ts'

/** One percent of a batch. */
const FAILING = 5
const HEARTBEATS = 100_000
const ORGS = 1000
const LATE = HEARTBEATS / 100
const IDLE_SWEEPS = 2000

// Every organisation has routes that never match: each event is compared with all of them, and goes to every channel.
const ADD_ROUTES = `
  insert into alert_routes (org_id, guid, name, position, scope, events, delay_sec, steps, enabled, created_at)
  select org_id, gen_random_uuid()::text, 'team ' || n, n, jsonb_build_object('tags', jsonb_build_array('team-' || n)), '{down,up}', 300,
    '[{"after_sec": 0, "channel_ids": [1]}]', true, now()
  from organisations, generate_series(1, 10) n`

/** Compares uploads with lone failures, and uploads about checks that are down, with uploads of successes. */
async function compareIngest(stage: Stage, monitors: readonly FleetMonitor[]): Promise<void> {
  const { machines } = stage.database.pools
  const target = await serveTarget(stage)
  // Never the same check twice in a row, not even from its other monitor, so that no check goes down.
  const loneFail: Fails = (batch, position) =>
    Array.from({ length: FAILING }, (_, n) => (batch * 7 + n * 97) % CHECKS_EACH).includes(position)
  const sameFail: Fails = (_, position) => position < FAILING
  const groups = [...new Set(monitors.map(({ checks: [first] }) => first?.check_id))]
  const inGroups = (remainder: number) =>
    monitors.filter(({ checks: [first] }) => groups.indexOf(first?.check_id) % 3 === remainder)
  const down = inGroups(0).flatMap(({ checks }) => checks.slice(0, FAILING))
  const keys = [down.map(({ org_id }) => org_id), down.map(({ check_id }) => check_id)]
  await insertRuns(machines, FAILURES, keys)
  await machines.query(OPEN_INCIDENTS, keys)
  await machines.query('vacuum (analyze) incidents')
  const arms = [
    uploads('without failures', target, batchMaker(inGroups(1), noneFails)),
    uploads('lone failures', target, batchMaker(inGroups(2), loneFail)),
    uploads('one percent is down', target, batchMaker(inGroups(0), sameFail)),
  ]
  const before = await countDown(stage)
  await compare(stage.flags, arms, {
    title: `alerting: uploads of ${CHECKS_EACH} results, of which ${FAILING} fail; figures per result`,
    inFlight: 4,
    claims: ['lone failures', 'one percent is down'].flatMap((name) => [
      [`${name} / without failures, CPU`, name, 'without failures', cpuPerUnit()],
      [`${name} / without failures, Postgres CPU`, name, 'without failures', cpuPerUnit('postgres')],
    ]),
  })
  if ((await countDown(stage)) !== before) throw new Error('checks went down or up')
  await machines.query('truncate incidents, check_states cascade')
}

// Newer than the results of the fleet, and older than those of batches: one more failure changes nothing.
const FAILURES = `
  select distinct org_id, check_id, now() - interval '1 minute' - n * interval '100 milliseconds' as ran_at,
    'elsewhere' as monitor_id, false as success, n as run
  from unnest($1::bigint[], $2::bigint[]) as k(org_id, check_id), generate_series(1, 3) n`

const OPEN_INCIDENTS = `
  insert into incidents (org_id, incident_id, check_id, began_at, told_at)
  select distinct on (org_id, check_id) org_id, gen_random_uuid()::text, check_id, now() - interval '61 minutes', now()
  from unnest($1::bigint[], $2::bigint[]) as k(org_id, check_id)`

async function countDown({ database: { pools } }: Stage): Promise<number> {
  const { rows } = await pools.machines.query<{ count: number }>(
    'select count(*) from incidents where ended_at is null',
  )
  return rows[0]?.count ?? 0
}

/** Measures the search for late heartbeats: when one percent is late, and when none is. */
async function measureSweep(stage: Stage): Promise<void> {
  const { database, flags, postgres } = stage
  const { machines } = database.pools
  say(`loading ${HEARTBEATS.toLocaleString('en-US')} heartbeats of ${ORGS} organisations`)
  await machines.query(ADD_HEARTBEATS, [ORGS, HEARTBEATS / ORGS])
  await machines.query('vacuum (analyze)')
  await machines.query('checkpoint')
  const meters = [postgres, ownMeter]
  const sweep = async (times: number, expected: number): Promise<number[]> => {
    const [before, begun] = [meters.map((meter) => meter.seconds()), performance.now()]
    for (let n = 0; n < times; n++) {
      const count = await sweepHeartbeats(depsOf(stage))
      if (count !== expected) throw new Error(`a sweep took ${count} heartbeats down, and not ${expected}`)
    }
    const ms = performance.now() - begun
    return [ms, ...meters.map((meter, n) => (meter.seconds() - (before[n] ?? 0)) * 1000)].map((each) => each / times)
  }
  const [busy, idle]: [number[][], number[][]] = [[], []]
  for (let round = -1; round < flags.rounds; round++) {
    say(round < 0 ? 'warming up' : `round ${round + 1} of ${flags.rounds}`)
    await machines.query(MAKE_LATE, [round + 1])
    const [late, none] = [await sweep(1, LATE), await sweep(IDLE_SWEEPS, 0)]
    if (round < 0) continue
    busy.push(late)
    idle.push(none)
  }
  const typical = (of: readonly number[][], place: number) => median(of.map((one) => one[place] ?? 0))
  process.stdout.write(`\nsweep: ${LATE} of ${HEARTBEATS} heartbeats are late: an event and a delivery for each\n\n`)
  printFacts([
    ['all of them, ms', typical(busy, 0), 0],
    ['postgres CPU, ms', typical(busy, 1), 0],
    ['own CPU, ms', typical(busy, 2), 0],
    ['a sweep with none late, ms', typical(idle, 0)],
    ['a sweep with none late, postgres CPU us', typical(idle, 1) * 1000, 0],
  ])
  await machines.query('truncate incidents, events, deliveries, planned_alerts cascade')
}

const ADD_HEARTBEATS = `
  with made as (
    insert into organisations (name, plan) select 'job ' || n, 'team' from generate_series(1, $1) n returning org_id
  ), channels as (
    insert into notification_channels (org_id, name, kind, destination)
    select org_id, 'closed', 'webhook', '{"webhook_url":"http://127.0.0.1:9/"}' from made
  )
  insert into heartbeats (org_id, guid, name, interval_sec, grace_sec, resend_interval_sec, show_on_status_page,
    state, last_heartbeat_at, due_at)
  select org_id, gen_random_uuid()::text, 'nightly ' || n, 3600, 300, 0, false,
    'up', now() - n * interval '1 second', now() + interval '65 minutes' - n * interval '1 second'
  from made, generate_series(1, $2) n order by org_id, n`

// Other heartbeats in each round, one of each organisation.
const MAKE_LATE = `
  update heartbeats set last_heartbeat_at = now() - interval '3901 seconds', due_at = now() - interval '1 second'
  where heartbeat_id % ${HEARTBEATS / LATE} = $1`

await onStage(async (stage) => {
  const monitors = await loadFleet(stage)
  await stage.database.pools.machines.query(ADD_ROUTES)
  const parts: Record<string, () => Promise<void>> = {
    ingest: () => compareIngest(stage, monitors),
    sweep: () => measureSweep(stage),
    latency: () => measureLatency(stage, monitors),
  }
  const { only } = stage.flags
  if (only !== undefined && !parts[only]) throw new Error(`--only is one of ${Object.keys(parts).join(', ')}`)
  for (const [name, measure] of Object.entries(parts)) if (only === undefined || name === only) await measure()
})
