// What it costs to search for overdue heartbeats: with some due, and with none.
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { sweepHeartbeats } from '../../../packages/server/dist/domain/heartbeats/sweep.js'
import { systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { ownMeter } from '../../lab/cpu.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { median, printFacts } from '../support/report.ts'

const HEARTBEATS = 100_000
const ORGS = 1000
/** One percent. */
const DUE = HEARTBEATS / 100
const IDLE_SWEEPS = 2000

export async function measureSweep(stage: Stage): Promise<void> {
  const { database, flags, postgres } = stage
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('warn') }
  say(`loading ${HEARTBEATS.toLocaleString('en-US')} heartbeats of ${ORGS} orgs`)
  await load(stage)
  const meters = [postgres, ownMeter]
  const measure = async (work: () => Promise<void>) => {
    const before = meters.map((meter) => meter.seconds())
    const begun = performance.now()
    await work()
    const ms = performance.now() - begun
    const [postgres_ms = 0, own_ms = 0] = meters.map((meter, n) => (meter.seconds() - (before[n] ?? 0)) * 1000)
    return { ms, postgres_ms, own_ms }
  }
  const [busy, idle] = [[], []] as Awaited<ReturnType<typeof measure>>[][]
  for (let round = -1; round < flags.rounds; round++) {
    say(round < 0 ? 'warming up' : `round ${round + 1} of ${flags.rounds}`)
    await database.pools.machines.query(MAKE_DUE, [round + 1])
    const swept = await measure(async () => requireSwept(await sweepHeartbeats(deps), DUE))
    const none = await measure(async () => {
      for (let n = 0; n < IDLE_SWEEPS; n++) requireSwept(await sweepHeartbeats(deps), 0)
    })
    if (round < 0) continue
    busy?.push(swept)
    idle?.push(none)
  }
  const typical = (of: typeof busy, key: 'ms' | 'postgres_ms' | 'own_ms') => median((of ?? []).map((one) => one[key]))
  const title = `${HEARTBEATS.toLocaleString('en-US')} heartbeats, of which ${DUE.toLocaleString('en-US')} are due`
  process.stdout.write(
    `\n${title}: taken down, with an event and a delivery each; medians of ${flags.rounds} rounds\n\n`,
  )
  printFacts([
    { what: 'all of them, ms', value: typical(busy, 'ms'), digits: 0 },
    { what: 'postgres CPU, ms', value: typical(busy, 'postgres_ms'), digits: 0 },
    { what: 'own CPU, ms', value: typical(busy, 'own_ms'), digits: 0 },
    { what: 'postgres CPU us/heartbeat', value: (typical(busy, 'postgres_ms') / DUE) * 1000, digits: 0 },
    { what: 'a sweep with none due, ms', value: typical(idle, 'ms') / IDLE_SWEEPS },
    {
      what: 'a sweep with none due, postgres CPU us',
      value: (typical(idle, 'postgres_ms') / IDLE_SWEEPS) * 1000,
      digits: 0,
    },
  ])
  await database.pools.machines.query('truncate incidents, events, deliveries, planned_alerts cascade')
}

function requireSwept(count: number, expected: number): void {
  if (count !== expected) throw new Error(`a sweep took ${count} heartbeats down, and not ${expected}`)
}

async function load({ database: { pools } }: Stage): Promise<void> {
  await pools.machines.query(
    `with made as (
       insert into organisations (name, plan) select 'job ' || n, 'team' from generate_series(1, $1) n returning org_id
     ), told as (
       insert into notification_channels (org_id, name, kind, destination)
       select org_id, 'nobody', 'webhook', '{"webhook_url":"http://127.0.0.1:9/"}' from made
     )
     insert into heartbeats (org_id, guid, name, interval_sec, grace_sec, resend_interval_sec, show_on_status_page,
       state, last_heartbeat_at, due_at)
     select org_id, gen_random_uuid()::text, 'nightly ' || n, 3600, 300, 0, false,
       'up', now() - n * interval '1 second', now() + interval '65 minutes' - n * interval '1 second'
     from made, generate_series(1, $2) n order by org_id, n`,
    [ORGS, HEARTBEATS / ORGS],
  )
  await pools.machines.query('vacuum (analyze)')
  await pools.machines.query('checkpoint')
}

// Other heartbeats in each round, one of each org.
const MAKE_DUE = `
  update heartbeats set last_heartbeat_at = now() - interval '3901 seconds', due_at = now() - interval '1 second'
  where heartbeat_id % ${HEARTBEATS / DUE} = $1`
