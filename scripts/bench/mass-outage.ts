// What a raise costs while 20,000 checks of one organisation go down within minutes, and come back: the first thousand against the last.
import { sweepFailing } from '../../packages/server/dist/domain/monitors/failing.js'
import { createChannel } from '../../packages/server/dist/domain/channels/edit.js'
import { depsOf } from '../lab/archive.ts'
import { addToFleet, type FleetCheck } from '../lab/fleet.ts'
import { type Lane, openLanes, request } from '../lab/lane.ts'
import { insertRuns } from '../lab/recorded-rows.ts'
import { toldOf } from '../lab/recording.ts'
import { type BenchServer, onStage, say, type Stage } from '../lab/stage.ts'
import { median, printFacts } from './support/report.ts'

const CHECKS = 20_000
const BATCH = 50
/** The batches of a thousand checks. */
const THOUSAND = 1000 / BATCH
const AT_MOST = 1.3
const LOOKS = 20

interface Taken {
  ms: number[]
  /** Seconds of the server and of Postgres. */
  cpu: number[]
}

await onStage(async (stage) => {
  const checks = stage.flags.rows ?? CHECKS
  say(`loading ${checks} checks of one organisation, with two monitors`)
  const size = { orgs: 1, checks, monitors: 2, groups: 1, quickEvery: 1 }
  const { monitors, org_ids } = await addToFleet(stage, size)
  const [org_id = 0] = org_ids
  await createChannel(depsOf(stage), org_id, { kind: 'webhook', name: 'chat', webhook_url: 'https://hooks.example/' })
  const { machines } = stage.database.pools
  await insertRuns(
    machines,
    `select org_id, check_id, now() - interval '1 minute' as ran_at, monitor_id, true as success, 0 as run from assignments`,
    [],
  )
  await machines.query('vacuum (analyze)')
  await machines.query('checkpoint')
  const { rows } = await machines.query<FleetCheck>('select org_id, check_id, guid from checks order by check_id')
  const key = monitors[0]?.key ?? ''
  const server = await stage.serve()
  const [lane] = await openLanes(server.port, 1)
  if (!lane) throw new Error('there is no connection')
  const run = (success: boolean) => upload(stage, { server, lane, key }, rows, success)
  printTaken('down', await run(false))
  const { rows: open } = await machines.query<{ count: number }>(
    'select count(*) from incidents where ended_at is null',
  )
  if (open[0]?.count !== checks) throw new Error(`${open[0]?.count} of ${checks} checks are down`)
  await measureLooks(stage)
  printTaken('up again', await run(true))
})

/** What the worker does every two seconds meanwhile. */
async function measureLooks(stage: Stage): Promise<void> {
  say('the worker looks at the monitor')
  const deps = depsOf(stage)
  const looks: number[] = []
  for (let n = 0; n < LOOKS; n++) {
    const began = performance.now()
    await sweepFailing(deps)
    looks.push(performance.now() - began)
  }
  const { rows } = await stage.database.pools.machines.query<{ bytes: number }>(
    "select coalesce(max(length(data::text)), 0) as bytes from events where type = 'monitor.failing'",
  )
  process.stdout.write('\n')
  printFacts([
    { what: 'a look at the monitor, ms (median)', value: median(looks), digits: 0 },
    { what: 'the message about it, bytes', value: rows[0]?.bytes ?? 0, digits: 0, atMost: 100_000 },
  ])
}

interface Way {
  server: BenchServer
  lane: Lane
  key: string
}

async function upload(
  stage: Stage,
  { server, lane, key }: Way,
  checks: readonly FleetCheck[],
  success: boolean,
): Promise<Taken> {
  say(success ? 'they succeed again' : 'they fail from one monitor')
  const taken: Taken = { ms: [], cpu: [] }
  const cpu = () => server.meter.seconds() + stage.postgres.seconds()
  for (let from = 0; from < checks.length; from += BATCH) {
    const results = checks.slice(from, from + BATCH).map(({ guid, check_id }) => ({
      ...{ check_guid: guid, monitor_id: '', ran_at: new Date().toISOString() },
      ...toldOf(check_id, success ? 1 : 0, success),
    }))
    const before = { cpu: cpu(), ms: performance.now() }
    await lane.send(request('POST', '/results', { key, body: JSON.stringify({ results }) }))
    taken.ms.push(performance.now() - before.ms)
    taken.cpu.push(cpu() - before.cpu)
  }
  return taken
}

/** The first thousand is the second one: in the first, the server still warms up. */
function printTaken(what: string, { ms, cpu }: Taken): void {
  const [first, last] = [(of: number[]) => of.slice(THOUSAND, 2 * THOUSAND), (of: number[]) => of.slice(-THOUSAND)]
  const sum = (of: number[]) => of.reduce((total, one) => total + one, 0)
  process.stdout.write(`\n${ms.length} batches of ${BATCH} checks that go ${what}\n\n`)
  printFacts([
    { what: 'first thousand, ms of a batch (median)', value: median(first(ms)), digits: 1 },
    { what: 'last thousand, ms of a batch (median)', value: median(last(ms)), digits: 1 },
    { what: 'last/first, time', value: median(last(ms)) / median(first(ms)), atMost: AT_MOST },
    { what: 'last/first, CPU of server and Postgres', value: sum(last(cpu)) / sum(first(cpu)), atMost: AT_MOST },
  ])
}
