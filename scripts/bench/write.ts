// What changes by the configuration API cost: creating checks one by one and in bulk, against the same inserts by the driver; and what
// syncs feel of changes that others make.
// npm run bench -- write [--only create|syncs] [--short]
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { createConfigurationToken } from '../../packages/server/dist/domain/configuration/tokens.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { createOrganisation } from '../../packages/server/dist/domain/organisations/organisation.js'
import { systemClock } from '../../packages/server/dist/runtime/clock.js'
import { newGuid } from '../../packages/server/dist/runtime/ids.js'
import { createLog } from '../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { type FleetMonitor, loadFleet } from '../lab/fleet.ts'
import { Lane, openLanes, request } from '../lab/lane.ts'
import { type BenchServer, onStage, type Stage, say } from '../lab/stage.ts'
import { cpuPerUnit, percentile, printArms, printClaims, printFacts, unitsPerSec } from './support/report.ts'
import { type Arm, interleave } from './support/rounds.ts'

const IN_FLIGHT = 2
/** Checks of a bulk request, and of one transaction of the driver. */
const MANY = 1000
/** Each may change so many things in a burst that a bench needs many. */
const ORGS = 300
const SHORT_ORGS = 200
const CHANGES_PER_SEC = 100
const CHANGED = 'alone, after one change elsewhere'

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

await onStage(async (stage) => {
  const monitors = await loadFleet(stage)
  const server = await stage.serve({ ADDRESS_RATE_LIMIT: 'off' })
  const writers = await makeWriters(stage, stage.flags.short ? SHORT_ORGS : ORGS)
  const { only } = stage.flags
  // Each request has two others: all monitors hear of changes alike.
  const ids = inTurn(monitors.map(({ id }, n) => [id, monitors[(n + 1) % monitors.length]?.id ?? id]))
  if (only === undefined || only === 'create') await compareCreating(stage, server, writers, ids)
  if (only === undefined || only === 'syncs') await compareSyncs(stage, server, writers, { monitors, ids })
})

interface Writer {
  org_id: number
  token: string
}

/** Organisations that may have as many checks as they like, each with a token. */
async function makeWriters({ database }: Stage, count: number): Promise<Writer[]> {
  say(`making ${count} organisations that write`)
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('warn') }
  const writers: Writer[] = []
  for (let n = 0; n < count; n++) {
    const owner_email = `writer-${n}@example.com`
    const { org_id } = await createOrganisation(deps, { name: `writer ${n}`, plan: 'team', owner_email })
    const { token } = await createConfigurationToken(deps, org_id, { name: 'bench', scopes: ['write'] })
    writers.push({ org_id, token })
  }
  await database.pools.machines.query(
    `update organisations set plan = 'custom', custom_limits = '{"max_checks": 0, "min_interval_sec": 10}' where org_id = any($1)`,
    [writers.map(({ org_id }) => org_id)],
  )
  return writers
}

/** They take turns, so that nobody exceeds a limit. */
function inTurn<Thing>(things: readonly Thing[]): () => Thing {
  let at = 0
  return () => things[at++ % things.length] as Thing
}

function checkBody(monitors: readonly string[]): object {
  return { name: 'Shop', url: 'https://shop.example.com/health', interval_sec: 60, monitors }
}

async function compareCreating(
  stage: Stage,
  server: BenchServer,
  writers: readonly Writer[],
  ids: () => readonly string[],
): Promise<void> {
  const next = inTurn(writers)
  const lanes = await openLanes(server.port, IN_FLIGHT)
  const meters = [server.meter, stage.postgres]
  const one = () => JSON.stringify(checkBody(ids()))
  const arms: Arm[] = [
    {
      name: 'one by one',
      meters,
      unitsPerStep: 1,
      step: (_, lane) => post(lanes[lane], next().token, '/checks', one(), 201),
    },
    {
      name: 'in bulk',
      meters,
      unitsPerStep: MANY,
      step: (_, lane) => post(lanes[lane], next().token, '/bulk', bulkBody(MANY, ids()), 200),
    },
    await byDriver(stage, 'driver, one by one', { next, ids, many: 1 }),
    await byDriver(stage, 'driver, in bulk', { next, ids, many: MANY }),
  ]
  const measured = await interleave(arms, { ...stage.flags, inFlight: IN_FLIGHT, firstSteps: 4 })
  process.stdout.write(`\nwrite: checks created, each with two monitors, ${IN_FLIGHT} in flight, ${MANY} in bulk\n\n`)
  const cpu = cpuPerUnit('server', 'postgres')
  printArms(measured, [
    { title: 'checks/s', of: unitsPerSec, digits: 0, spread: true },
    { title: 'server us/check', of: cpuPerUnit('server'), digits: 0 },
    { title: 'postgres us/check', of: cpuPerUnit('postgres'), digits: 0 },
    { title: 'p50 ms', of: percentile(0.5), digits: 1 },
  ])
  printClaims(measured, [
    { what: 'one by one / driver, checks/s', top: 'one by one', bottom: 'driver, one by one', of: unitsPerSec },
    { what: 'in bulk / driver, checks/s', top: 'in bulk', bottom: 'driver, in bulk', of: unitsPerSec },
    { what: 'in bulk / one by one, checks/s', top: 'in bulk', bottom: 'one by one', of: unitsPerSec },
    { what: 'in bulk / driver, CPU', top: 'in bulk', bottom: 'driver, in bulk', of: cpu },
  ])
}

function bulkBody(count: number, ids: readonly string[]): string {
  const prefix = randomBytes(6).toString('hex')
  const body = checkBody(ids)
  const changes = Array.from({ length: count }, (_, n) => ({
    action: 'put',
    kind: 'check',
    key: `${prefix}-${n}`,
    body,
  }))
  return JSON.stringify({ changes })
}

async function post(lane: Lane | undefined, key: string, path: string, body: string, wanted: number): Promise<void> {
  const answer = await lane?.ask(request('POST', path, { key, body, api: 'config-api' }))
  if (answer?.status !== wanted)
    throw new Error(`${path} was answered ${answer?.status} ${answer?.body.toString('utf8', 0, 300)}`)
}

interface Driven {
  next: () => Writer
  ids: () => readonly string[]
  many: number
}

/** The rows that the server stores, by statements that are prepared and by nothing else: triggers, indexes and the sync clock are the same. */
async function byDriver(stage: Stage, name: string, { next, ids, many }: Driven): Promise<Arm> {
  const clients = await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      const client = new pg.Client({ connectionString: stage.url })
      await client.connect()
      stage.undo(() => client.end())
      return client
    }),
  )
  return {
    name,
    meters: [stage.postgres],
    unitsPerStep: many,
    step: async (_, lane) => {
      const client = clients[lane] as pg.Client
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

interface Syncing {
  monitors: readonly FleetMonitor[]
  ids: () => readonly string[]
}

/** Syncs alone, beside a hundred changes a second, one by one and in bulk, and beside bulk requests without a pause. */
async function compareSyncs(
  stage: Stage,
  server: BenchServer,
  writers: readonly Writer[],
  { monitors, ids }: Syncing,
): Promise<void> {
  const next = inTurn(writers)
  const one = () => JSON.stringify(checkBody(ids()))
  const paced = (count: number, send: (lane: Lane) => Promise<void>) => async (signal: AbortSignal, lane: Lane) => {
    const begun = performance.now()
    for (let sent = count; !signal.aborted; sent += count) {
      await send(lane)
      const ahead_ms = (sent / CHANGES_PER_SEC) * 1000 - (performance.now() - begun)
      if (ahead_ms > 0) await pause(ahead_ms)
    }
  }
  const bulk = (count: number) => (lane: Lane) => post(lane, next().token, '/bulk', bulkBody(count, ids()), 200)
  const beside: Record<string, (signal: AbortSignal, lane: Lane) => Promise<void>> = {
    alone: async () => {},
    // A sync is quick while nothing has changed anywhere. Once something has, it looks at the monitor's checks.
    [CHANGED]: async () => {},
    'one by one': paced(1, (lane) => post(lane, next().token, '/checks', one(), 201)),
    'in bulk': paced(CHANGES_PER_SEC, bulk(CHANGES_PER_SEC)),
    'bulk of 1,000 without a pause': async (signal, lane) => {
      while (!signal.aborted) await bulk(MANY)(lane)
    },
  }
  say('a full sync of each monitor')
  const since = await serverTimes(server, monitors)
  const frozen = new Map(since)
  const syncing = inTurn(monitors)
  const [first] = await openLanes(server.port, 1)
  await post(first, next().token, '/checks', JSON.stringify(checkBody([])), 201)
  first?.close()
  const latencies = new Map(Object.keys(beside).map((name) => [name, [] as number[]]))
  for (let round = -1; round < stage.flags.rounds; round++) {
    for (const [name, write] of Object.entries(beside)) {
      say(`${round < 0 ? 'warming up' : `round ${round + 1} of ${stage.flags.rounds}`}: syncs ${name}`)
      const stopping = new AbortController()
      // A new connection each time: one that rests is closed by the server.
      const lane = await Lane.open(server.port)
      const writing = write(stopping.signal, lane)
      const seen = await syncFor(stage.flags.seconds, server, syncing, name === CHANGED ? new Map(frozen) : since)
      stopping.abort()
      await writing
      lane.close()
      if (round >= 0) latencies.get(name)?.push(...seen)
    }
  }
  const at = (name: string, share: number) => {
    const sorted = (latencies.get(name) ?? []).toSorted((one, other) => one - other)
    return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  }
  process.stdout.write(
    `\nwrite: syncs of ${monitors.length} monitors while ${CHANGES_PER_SEC} changes a second go on\n\n`,
  )
  printFacts(
    Object.keys(beside).flatMap((name) => [
      { what: `${name}: p50 ms`, value: at(name, 0.5) },
      { what: `${name}: p99 ms`, value: at(name, 0.99) },
      ...(name === 'alone' ? [] : [ratioOf(name, 'alone', at)]),
      ...(name.startsWith('alone') ? [] : [ratioOf(name, CHANGED, at)]),
    ]),
  )
}

function ratioOf(name: string, base: string, at: (name: string, share: number) => number) {
  const value = at(name, 0.5) / at(base, 0.5)
  // What is made without a pause uses the processors that syncs have, too: it is told, and has no target.
  const hasTarget = !name.includes('pause') && !name.startsWith('alone')
  return { what: `${name} / ${base}, p50`, value, ...(hasTarget && { atMost: 1.5 }) }
}

/** By monitor, the cursor of its next sync. */
async function serverTimes(server: BenchServer, monitors: readonly FleetMonitor[]): Promise<Map<string, string>> {
  const [lane] = await openLanes(server.port, 1)
  const since = new Map<string, string>()
  for (const { key } of monitors) since.set(key, timeIn(await lane?.send(request('GET', '/checks', { key }))))
  lane?.close()
  return since
}

async function syncFor(
  seconds: number,
  server: BenchServer,
  next: () => FleetMonitor,
  since: Map<string, string>,
): Promise<number[]> {
  const [lane] = await openLanes(server.port, 1)
  const [latencies, end] = [[] as number[], performance.now() + seconds * 1000]
  while (performance.now() < end) {
    const { key } = next()
    const begun = performance.now()
    const body = await lane?.send(request('GET', `/checks?since=${since.get(key) ?? ''}`, { key }))
    latencies.push(performance.now() - begun)
    since.set(key, timeIn(body))
  }
  lane?.close()
  return latencies
}

function timeIn(body: Buffer | undefined): string {
  const { server_time } = JSON.parse(body?.toString() ?? '{}') as { server_time?: string }
  return server_time ?? ''
}
