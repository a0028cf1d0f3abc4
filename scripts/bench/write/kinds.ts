// Measures bulk changes of every kind: how long each takes, and how long others who change a check wait for it.
import { setImmediate as turn } from 'node:timers/promises'
import { type Stage, say } from '../../lab/stage.ts'
import { openClients, type Target } from '../support/arms.ts'
import { median, printFacts, printRows } from '../support/report.ts'
import { checkBody, MANY, openPoster, type Writer } from './writers.ts'

/** The most routes and windows that an organisation may have. */
const MOST_ROUTES = 50
const MOST_WINDOWS = 100
const MIXED_HEARTBEATS = 600
const MIXED_CHANNELS = 50
const MIXED_CHECKS = MANY - MIXED_HEARTBEATS - MIXED_CHANNELS - MOST_ROUTES - MOST_WINDOWS
const WAIT = { atMost: 100 }
const DAY_MS = 86_400_000

interface Change {
  action: 'put' | 'delete'
  kind: string
  key: string
  body?: object
}

interface Step {
  name: string
  /** Changes that prepare the step. */
  before?: readonly (readonly Change[])[]
  changes: readonly Change[]
}

export async function compareKinds(
  stage: Stage,
  target: Target,
  writer: Writer,
  monitors: readonly string[],
): Promise<void> {
  const post = openPoster(target)
  const longestWait = await openWaiter(stage)
  const steps = stepsOf(monitors).map((step) => ({ ...step, ms: [] as number[], waits: [] as number[] }))
  for (let round = -1; round < stage.flags.rounds; round++) {
    say(round < 0 ? 'warming up' : `round ${round + 1} of ${stage.flags.rounds}`)
    for (const { before = [], changes, ms, waits } of steps) {
      await empty(stage, writer)
      for (const some of before) await post('/bulk', writer, { changes: some })
      const begun = performance.now()
      const wait = await longestWait(() => post('/bulk', writer, { changes }))
      if (round < 0) continue
      ms.push(performance.now() - begun)
      waits.push(wait)
    }
  }
  await empty(stage, writer)
  process.stdout.write('\nwrite: bulk requests, one after the other\n\n')
  printRows([
    ['median of rounds', 'ms', 'least', 'most', 'longest wait ms', 'most'],
    ...steps.map(({ name, ms, waits }) => [
      name,
      ...[median(ms), Math.min(...ms), Math.max(...ms), median(waits), Math.max(...waits)].map((one) => one.toFixed(0)),
    ]),
  ])
  printFacts(steps.map(({ name, waits }) => [`${name}: others wait, ms`, median(waits), 0, WAIT]))
}

function stepsOf(monitors: readonly string[]): Step[] {
  const put = (kind: string, count: number, body: (n: number) => object): Change[] =>
    Array.from({ length: count }, (_, n) => ({ action: 'put', kind, key: `${kind}-${n}`, body: body(n) }))
  const checks = (count: number, interval_sec = 60) =>
    put('check', count, (n) => ({ ...checkBody(monitors), name: `Shop ${n}`, interval_sec }))
  const heartbeats = (count: number, interval_sec = 3600) =>
    put('heartbeat', count, (n) => ({ name: `Job ${n}`, interval_sec }))
  const channels = (count: number) =>
    put('channel', count, (n) => ({ name: `Ops ${n}`, kind: 'ntfy', destination: { ntfy_topic: `topic-${n}` } }))
  const routes = (delay_sec = 0) =>
    put('route', MOST_ROUTES, (n) => ({
      ...{
        name: `Route ${n}`,
        scope: { checks: [`key:check-${n}`] },
        steps: [{ channels: ['key:channel-0'] }],
        delay_sec,
      },
    }))
  const windows = put('window', MOST_WINDOWS, (n) => ({
    ...{ name: `Window ${n}`, scope: { heartbeats: [`key:heartbeat-${n}`] }, duration_sec: 3600 },
    ...{
      starts_at: new Date(Date.now() + DAY_MS).toISOString().slice(0, 16),
      zone: 'Europe/Paris',
      rule: 'FREQ=DAILY',
    },
  }))
  const deleted = (some: readonly Change[]): Change[] => some.map(({ kind, key }) => ({ action: 'delete', kind, key }))
  const named = [...checks(MOST_ROUTES), ...channels(1)]
  const mix = [
    ...[...checks(MIXED_CHECKS), ...heartbeats(MIXED_HEARTBEATS), ...channels(MIXED_CHANNELS), ...windows, ...routes()],
  ]
  return [
    { name: `${MANY} checks created`, changes: checks(MANY) },
    { name: `${MANY} checks replaced`, before: [checks(MANY)], changes: checks(MANY, 90) },
    { name: `${MANY} checks unchanged`, before: [checks(MANY)], changes: checks(MANY) },
    { name: `${MANY} checks deleted`, before: [checks(MANY)], changes: deleted(checks(MANY)) },
    { name: `${MANY} heartbeats created`, changes: heartbeats(MANY) },
    { name: `${MANY} heartbeats replaced`, before: [heartbeats(MANY)], changes: heartbeats(MANY, 60) },
    { name: `${MANY} heartbeats deleted`, before: [heartbeats(MANY)], changes: deleted(heartbeats(MANY)) },
    { name: `${MANY} channels created`, changes: channels(MANY) },
    { name: `${MOST_ROUTES} routes created`, before: [named], changes: routes() },
    { name: `${MOST_ROUTES} routes replaced`, before: [named, routes()], changes: routes(60) },
    { name: `a mix of ${MANY} created`, changes: mix },
    { name: `a mix of ${MANY} deleted`, before: [mix], changes: deleted(mix) },
  ]
}

const TABLES = [
  ...['alert_routes', 'maintenance_spans', 'maintenance_windows', 'heartbeats', 'notification_channels', 'assignments'],
  ...['check_states', 'check_guids', 'deleted_checks', 'audit_entries', 'checks'],
]

/** Empties an organisation, and resets its limit of changes. */
async function empty({ database }: Stage, { org_id }: Writer): Promise<void> {
  const { machines } = database.pools
  await machines.query('delete from rate_limits')
  for (const table of TABLES) await machines.query(`delete from ${table} where org_id = $1`, [org_id])
}

/** Returns a function that locks the sync clock again and again during some work, and returns the longest wait. */
async function openWaiter(stage: Stage): Promise<(work: () => Promise<unknown>) => Promise<number>> {
  const [client] = await openClients(stage, 1)
  return async (work) => {
    let [isDone, longest] = [false, 0]
    const done = work().finally(() => (isDone = true))
    while (!isDone) {
      await client?.query('begin')
      const begun = performance.now()
      await client?.query('select from sync_clock for update')
      longest = Math.max(longest, performance.now() - begun)
      await client?.query('rollback')
      // Lets the request take its turn.
      await turn()
    }
    await done
    return longest
  }
}
