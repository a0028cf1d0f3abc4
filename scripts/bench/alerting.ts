// Measures what alerting costs and how fast it is: uploads with failures against uploads without, the search for late
// heartbeats, and the time from a failing result to its webhook.
import { setTimeout as pause } from 'node:timers/promises'
import { sweepHeartbeats } from '../../packages/domain/dist/heartbeats/sweep.js'
import { depsOf } from '../lab/archive.ts'
import { observe, SERVED, sendFrom } from '../lab/capacity/steps.ts'
import { ownMeter } from '../lab/cpu.ts'
import { CHECKS_EACH, type FleetMonitor, GROUPS, loadFleet } from '../lab/fleet.ts'
import { insertRuns } from '../lab/recorded-rows.ts'
import { onStage, type Stage, say } from '../lab/stage.ts'
import { CALM } from '../lab/traffic/orders.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { numberOf, query } from '../lab/world.ts'
import { compare, cpuOf, median, metersFrom, printFacts } from './support/compare.ts'
import { batchMaker, type Fails, serveTarget, uploads } from './support/requests.ts'

/** Number of failures in a batch: one percent. */
const FAILING = 5
const HEARTBEATS = 100_000
const ORGS = 1000
const LATE = HEARTBEATS / 100
const IDLE_SWEEPS = 2000
/** Number of units of the fleet that together send a thousand results a second. */
const UNITS = 60
const SETTLE_MS = 15_000
const LATENCY_MS = 60_000
const OPEN = 'select count(*) from incidents where ended_at is null'

// Gives every organisation routes that never match, so that the server compares each event with all of them, and then notifies
// every channel.
const ADD_ROUTES = `
  insert into alert_routes (org_id, guid, name, position, scope, events, delay_sec, steps, enabled, created_at)
  select org_id, gen_random_uuid()::text, 'team ' || n, n, jsonb_build_object('tags', jsonb_build_array('team-' || n)), '{down,up}', 300,
    '[{"after_sec": 0, "channel_ids": [1]}]', true, now()
  from organisations, generate_series(1, 10) n`

// The failures are newer than the results of the fleet, and older than those of the measured batches, so that another failure
// does not change the verdict.
const FAILURES = `
  select distinct org_id, check_id, now() - interval '1 minute' - n * interval '100 milliseconds' as ran_at,
    'elsewhere' as monitor_id, false as success, n as run
  from unnest($1::bigint[], $2::bigint[]) as k(org_id, check_id), generate_series(1, 3) n`

const OPEN_INCIDENTS = `
  insert into incidents (org_id, incident_id, check_id, began_at, told_at)
  select distinct on (org_id, check_id) org_id, gen_random_uuid()::text, check_id, now() - interval '61 minutes', now()
  from unnest($1::bigint[], $2::bigint[]) as k(org_id, check_id)`

/** Compares uploads about checks that are down with uploads of successes. */
async function compareUploads(stage: Stage, monitors: readonly FleetMonitor[]): Promise<void> {
  const { machines } = stage.database.pools
  const target = await serveTarget(stage)
  const sameFail: Fails = (_, position) => position < FAILING
  const half = (remainder: number) => monitors.filter((_, n) => (n % GROUPS) % 2 === remainder)
  const down = half(0).flatMap(({ checks }) => checks.slice(0, FAILING))
  const keys = [down.map(({ org_id }) => org_id), down.map(({ check_id }) => check_id)]
  await insertRuns(machines, FAILURES, keys)
  await machines.query(OPEN_INCIDENTS, keys)
  await machines.query('vacuum (analyze) incidents')
  const arms = [
    uploads('without failures', target, batchMaker(half(1))),
    uploads('one percent is down', target, batchMaker(half(0), sameFail)),
  ]
  const before = await numberOf(stage, OPEN)
  await compare(stage, arms, {
    title: `alerting: uploads of ${CHECKS_EACH} results, of which ${FAILING} fail; figures per result`,
    inFlight: 4,
    claims: [
      ['one percent is down', 'without failures', cpuOf()],
      ['one percent is down', 'without failures', cpuOf('postgres')],
    ],
  })
  if ((await numberOf(stage, OPEN)) !== before) throw new Error('checks went down or up')
  await machines.query('truncate incidents, check_states cascade')
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

// Makes one heartbeat of each organisation late, another one in each round.
const MAKE_LATE = `
  update heartbeats set last_heartbeat_at = now() - interval '3901 seconds', due_at = now() - interval '1 second'
  where heartbeat_id % ${HEARTBEATS / LATE} = $1`

/** Measures the search for late heartbeats in two cases: one percent of the heartbeats is late, or none is. */
async function measureSweep(stage: Stage): Promise<void> {
  const { machines } = stage.database.pools
  say(`loading ${HEARTBEATS.toLocaleString('en-US')} heartbeats of ${ORGS} organisations`)
  await machines.query(ADD_HEARTBEATS, [ORGS, HEARTBEATS / ORGS])
  await machines.query('vacuum (analyze)')
  await machines.query('checkpoint')
  const sweep = async (times: number, expected: number) => {
    const [used, begun] = [metersFrom([stage.postgres, ownMeter]), performance.now()]
    for (let n = 0; n < times; n++) {
      const count = await sweepHeartbeats(depsOf(stage))
      if (count !== expected) throw new Error(`a sweep took ${count} heartbeats down, and not ${expected}`)
    }
    const { postgres = 0, bench = 0 } = used()
    return { ms: (performance.now() - begun) / times, postgres: (postgres * 1000) / times, own: (bench * 1000) / times }
  }
  const rounds: Record<'late' | 'none', Awaited<ReturnType<typeof sweep>>>[] = []
  for (let round = -1; round < stage.flags.rounds; round++) {
    await machines.query(MAKE_LATE, [round + 1])
    const measured = { late: await sweep(1, LATE), none: await sweep(IDLE_SWEEPS, 0) }
    // Ignores the first round, which only warms up.
    if (round >= 0) rounds.push(measured)
  }
  const typical = (which: 'late' | 'none', what: 'ms' | 'postgres' | 'own') =>
    median(rounds.map((one) => one[which][what]))
  process.stdout.write(`\nsweep: ${LATE} of ${HEARTBEATS} heartbeats are late: an event and a delivery for each\n\n`)
  printFacts([
    ['all of them, ms', typical('late', 'ms'), 0],
    ['postgres CPU, ms', typical('late', 'postgres'), 0],
    ['own CPU, ms', typical('late', 'own'), 0],
    ['a sweep with none late, ms', typical('none', 'ms')],
    ['a sweep with none late, postgres CPU ms', typical('none', 'postgres')],
    ['none late / all of them, ms', typical('none', 'ms') / typical('late', 'ms'), 5],
  ])
  await machines.query('truncate incidents, events, deliveries, planned_alerts cascade')
}

/** Measures the time from a failing result to its webhook, while the fleet uploads a thousand results a second. */
async function measureLatency(stage: Stage): Promise<void> {
  const ground = { stage, traffic: await startTraffic(stage), server: await stage.serve(SERVED), units: [], minutes: 0 }
  stage.work(SERVED)
  await sendFrom(ground, UNITS, CALM)
  await pause(SETTLE_MS)
  const observed = await observe(ground)
  await pause(LATENCY_MS)
  const { window, cpu } = await observed()
  process.stdout.write(`\nfrom sending a result that changes a check to its webhook: ${window.messages} webhooks\n\n`)
  printFacts([
    ['results/s at the same time', window.results / window.seconds, 0],
    ['result to webhook, ms, p50', window.alerts.p50, 1],
    ['p99', window.alerts.p99, 1],
    ['most', window.alerts.most, 1],
    ['result to webhook / upload to response, p50', window.alerts.p50 / window.tallies.upload.p50],
    ...Object.entries(cpu).map(([name, share]) => [`${name}, processors`, share] as const),
  ])
}

await onStage(async (stage) => {
  const monitors = await loadFleet(stage)
  await stage.database.pools.machines.query(ADD_ROUTES)
  // Runs before any server starts. A server that a busy machine holds up for seconds would record an outage, during which no
  // heartbeat goes down.
  await measureSweep(stage)
  await compareUploads(stage, monitors)
  // Disables the checks of the fleet, because the fleet stops here, and its silence must not cause alerts.
  await query(stage, 'update checks set enabled = false')
  await measureLatency(stage)
})
