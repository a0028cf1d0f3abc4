// Measures what changes by the configuration API cost: creating checks one by one and in bulk, compared with the same inserts by
// the driver, and how long others wait while one request changes a thousand items of all kinds.
// npm run bench -- write [--rounds N] [--seconds N] [--profile DIRECTORY]
import { randomBytes } from 'node:crypto'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { createConfigurationToken } from '../../packages/domain/dist/configuration/tokens.js'
import { newGuid } from '../../packages/runtime/dist/ids.js'
import { systemRandom } from '../../packages/runtime/dist/random.js'
import { type FleetMonitor, loadFleet } from '../lab/fleet.ts'
import { request } from '../lab/lane.ts'
import { readFlags } from '../lab/proof.ts'
import { BENCH_FLAGS, onStage, type Stage, say } from '../lab/stage.ts'
import { openOrg } from '../lab/world.ts'
import { type Arm, compare, cpuOf, median, printFacts, RATE } from './support/compare.ts'
import { openClients, type Send, sender, serveTarget, type Target } from './support/requests.ts'

/** Number of organisations that write. The server limits how many changes each of them makes in a burst. */
const ORGS = 300
const IN_FLIGHT = 2
/** Number of changes in a bulk request, and in one transaction of the driver. */
const MANY = 1000
/** Maximum numbers of routes and maintenance windows of an organisation. */
const MOST_ROUTES = 50
const MOST_WINDOWS = 100
const HEARTBEATS = 600
const CHANNELS = 50
const CHECKS = MANY - HEARTBEATS - CHANNELS - MOST_ROUTES - MOST_WINDOWS
const WAIT = { atMost: 100 }
const ALONE_MS = 500
const DAY_MS = 86_400_000

interface Writer {
  org_id: number
  token: string
}

/** Makes organisations without limits for checks, each with a token. */
async function makeWriters(stage: Stage): Promise<Writer[]> {
  say(`making ${ORGS} organisations that write`)
  const writers: Writer[] = []
  for (let n = 0; n < ORGS; n++) {
    const { org_id } = await openOrg(stage, `writer ${n}`)
    const { token } = await createConfigurationToken(stage, org_id, { name: 'bench', scopes: ['write'] })
    writers.push({ org_id, token })
  }
  await stage.database.pools.machines.query(
    `update organisations set plan = 'custom', custom_limits = '{"max_checks": 0, "max_heartbeats": 1000000, "max_channels": 0, "min_interval_sec": 10}' where org_id = any($1)`,
    [writers.map(({ org_id }) => org_id)],
  )
  return writers
}

function checkBody(monitors: readonly string[]) {
  return { name: 'Shop', url: 'https://shop.example.com/health', interval_sec: 60, monitors }
}

/** Returns a function that returns the items in turn. */
function inTurn<Item>(items: readonly Item[]): () => Item {
  let at = 0
  return () => items[at++ % items.length] as Item
}

function post(send: Send, path: string, { token: key }: Writer, body: object, lane?: number) {
  return send(request('POST', path, { key, body: JSON.stringify(body), api: 'config-api' }), lane)
}

async function compareCreating(
  stage: Stage,
  target: Target,
  writers: readonly Writer[],
  ids: () => readonly string[],
): Promise<void> {
  const [next, send, { meters }] = [inTurn(writers), sender(target), target]
  const bulk = (): object => {
    const [prefix, body] = [randomBytes(6).toString('hex'), checkBody(ids())]
    return {
      changes: Array.from({ length: MANY }, (_, n) => ({ action: 'put', kind: 'check', key: `${prefix}-${n}`, body })),
    }
  }
  const arms: Arm[] = [
    { name: 'one by one', meters, step: (_, lane) => post(send, '/checks', next(), checkBody(ids()), lane) },
    { name: 'in bulk', meters, units: MANY, step: (_, lane) => post(send, '/bulk', next(), bulk(), lane) },
    await driverArm(stage, 'driver, one by one', { next, ids, many: 1 }),
    await driverArm(stage, 'driver, in bulk', { next, ids, many: MANY }),
  ]
  await compare(stage, arms, {
    title: `write: checks created, each with two monitors, ${MANY} in bulk`,
    inFlight: IN_FLIGHT,
    claims: [
      ['one by one', 'driver, one by one', RATE],
      ['in bulk', 'driver, in bulk', RATE],
      ['in bulk', 'one by one', RATE],
      ['in bulk', 'driver, in bulk', cpuOf('server', 'postgres')],
    ],
  })
}

const STORE = `
  with stored as (
    insert into checks (org_id, guid, name, url, enabled, restricted, interval_sec, timeout_sec, disable_redirects, insecure_skip_verify,
      headers, post_data, match_string, match_mode, status_code_op, status_code_value, cert_expiry_warn_days, max_response_time_ms,
      invert_result, result_detail_max_chars, down_interval_sec, resend_interval_sec)
    select $1, guid, 'Shop', 'https://shop.example.com/health', true, false, 60, 0, false, false, '{}', '', '', '', '', 0, 0, 0, false, 256, 0, 0
    from unnest($2::text[]) guid returning org_id, check_id, guid
  ), named as (
    insert into check_guids (guid, org_id, check_id) select guid, org_id, check_id from stored
  )
  insert into assignments (monitor_id, guid, org_id, check_id, active, result_detail_max_chars)
  select id, guid, org_id, check_id, true, 256 from stored cross join unnest($3::text[]) id`

const RECORD = `
  insert into audit_entries (org_id, created_at, actor, action, subject, detail)
  select $1, now(), 'bench', 'check.create', 'Shop', '{"token": "bench"}' from generate_series(1, $2::integer)`

/** Inserts the same rows as the server, by prepared statements. Triggers, indexes and the sync clock apply to them, too. */
async function driverArm(
  stage: Stage,
  name: string,
  { next, ids, many }: { next: () => Writer; ids: () => readonly string[]; many: number },
): Promise<Arm> {
  const clients = await openClients(stage, IN_FLIGHT)
  return {
    ...{ name, meters: [stage.postgres], units: many },
    step: async (_, lane) => {
      const client = clients[lane] as (typeof clients)[number]
      const { org_id } = next()
      const guids = Array.from({ length: many }, () => newGuid(systemRandom))
      await client.query('begin')
      await client.query('select sync_tick()')
      await client.query({ name: 'store', text: STORE, values: [org_id, guids, ids()] })
      await client.query({ name: 'record', text: RECORD, values: [org_id, many] })
      await client.query('commit')
    },
  }
}

interface Change {
  action: 'put' | 'delete'
  kind: string
  key: string
  body?: object
}

/** Returns as many changes as one request may contain, for items of all kinds. */
function everyKind(monitors: readonly string[], interval_sec: number): Change[] {
  const put = (kind: string, count: number, body: (n: number) => object): Change[] =>
    Array.from({ length: count }, (_, n) => ({
      action: 'put',
      ...{ kind, key: `${kind}-${n}`, body: { name: `${kind} ${n}`, ...body(n) } },
    }))
  const starts_at = new Date(Date.now() + DAY_MS).toISOString().slice(0, 16)
  const daily = { starts_at, duration_sec: 3600, zone: 'Europe/Paris', rule: 'FREQ=DAILY' }
  return [
    ...put('check', CHECKS, () => ({ ...checkBody(monitors), interval_sec })),
    ...put('heartbeat', HEARTBEATS, () => ({ interval_sec })),
    ...put('channel', CHANNELS, (n) => ({ kind: 'ntfy', destination: { ntfy_topic: `topic-${interval_sec}-${n}` } })),
    ...put('window', MOST_WINDOWS, (n) => ({ ...daily, scope: { heartbeats: [`key:heartbeat-${n}`] } })),
    ...put('route', MOST_ROUTES, (n) => ({
      ...{ scope: { checks: [`key:check-${n}`] }, steps: [{ channels: ['key:channel-0'] }], delay_sec: interval_sec },
    })),
  ]
}

/**
 * Measures bulk requests of every kind, one after the other, and how long two others wait during each: a member who changes a
 * check, and an agent that syncs.
 */
async function measureBulk(
  stage: Stage,
  target: Target,
  writer: Writer,
  { id, key }: Pick<FleetMonitor, 'id' | 'key'>,
): Promise<void> {
  const [send, sendSync, [client]] = [sender(target), sender(target), await openClients(stage, 1)]
  const lock = async () => {
    await client?.query('begin')
    const wait = await timed(client?.query('select from sync_clock for update'))
    await client?.query('rollback')
    return wait
  }
  const sync = () => timed(sendSync(request('GET', `/checks?since=${new Date().toISOString()}`, { key })))
  const made = everyKind([id], 60)
  const requests = {
    created: made,
    replaced: everyKind([id], 120),
    unchanged: everyKind([id], 120),
    deleted: made.map((change): Change => ({ action: 'delete', kind: change.kind, key: change.key })),
  }
  const measured = Object.entries(requests).map(([name, changes]) => {
    return { name, changes, ms: [] as number[], waits: [] as number[], slower: [] as number[] }
  })
  for (let round = -1; round < Number(stage.flags.rounds); round++) {
    for (const { changes, ms, waits, slower } of measured) {
      await stage.database.pools.machines.query('delete from rate_limits')
      const alone = await repeat(pause(ALONE_MS), sync)
      const bulk = timed(post(send, '/bulk', writer, { changes }))
      const [locks, syncs] = await Promise.all([repeat(bulk, lock), repeat(bulk, sync)])
      // Ignores the first round, which only warms up.
      if (round < 0) continue
      ms.push(await bulk)
      waits.push(Math.max(...locks))
      slower.push(median(syncs) / median(alone))
    }
  }
  process.stdout.write(`\nwrite: bulk requests with ${MANY} changes of all kinds, one after the other\n\n`)
  printFacts(
    measured.flatMap(({ name, ms, waits, slower }) => [
      [`${name}, ms`, median(ms), 0],
      [`${name}: others who change a check wait, ms`, median(waits), 0, WAIT],
      [`${name}: syncs at the same time / alone, p50`, median(slower)],
    ]),
  )
}

async function timed(work: Promise<unknown> | undefined): Promise<number> {
  const begun = performance.now()
  await work
  return performance.now() - begun
}

/** Repeats `work` until `until` is settled. Returns the results of all repetitions. */
async function repeat(until: Promise<unknown>, work: () => Promise<number>): Promise<number[]> {
  const found: number[] = []
  let isDone = false
  const done = until.finally(() => (isDone = true))
  while (!isDone) {
    found.push(await work())
    // Lets the event loop process the other request.
    await turn()
  }
  await done
  return found
}

await onStage(readFlags(BENCH_FLAGS), async (stage) => {
  const monitors = await loadFleet(stage, 0)
  const target = await serveTarget(stage)
  const writers = await makeWriters(stage)
  // Names two other monitors in each request, so that all monitors receive equally many changes.
  const ids = inTurn(monitors.map(({ id }, n) => [id, monitors[(n + 1) % monitors.length]?.id ?? id]))
  await compareCreating(stage, target, writers, ids)
  await measureBulk(stage, target, writers[0] as Writer, monitors[0] as FleetMonitor)
})
