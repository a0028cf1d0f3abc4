// Bulk changes of every kind: how long each takes, and how long everybody else who changes a check waits for it, against the inserts of the same
// heartbeats by the driver.
import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import { newGuid } from '../../../packages/server/dist/runtime/ids.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { newToken } from '../../../packages/server/dist/runtime/tokens.js'
import { type Lane, openLanes } from '../../lab/lane.ts'
import { type BenchServer, type Stage, say } from '../../lab/stage.ts'
import { median, printFacts, printRows } from '../support/report.ts'
import { checkBody } from './creating.ts'
import { type Change, MANY, post, type Writer } from './writers.ts'

/** An organisation has no more. */
const MOST_ROUTES = 50
const MOST_WINDOWS = 100
const MIXED_HEARTBEATS = 600
const MIXED_CHANNELS = 50
const MIXED_CHECKS = MANY - MIXED_HEARTBEATS - MIXED_CHANNELS - MOST_ROUTES - MOST_WINDOWS
const MOST_WAIT_MS = 100

interface Watched {
  ms: number[]
  /** The longest wait of somebody who changes a check, for each request. */
  waits: number[]
}

export async function compareKinds(
  stage: Stage,
  server: BenchServer,
  writers: readonly Writer[],
  ids: () => readonly string[],
): Promise<void> {
  const [lane] = await openLanes(server.port, 1)
  const watch = await watcher(stage)
  const steps = stepsOf(ids)
  const seen = new Map<string, Watched>()
  const note = async (name: string, work: () => Promise<unknown>, isKept: boolean) => {
    const begun = performance.now()
    const wait = await watch(work)
    say(`  ${name}: ${Math.round(performance.now() - begun)} ms, others waited ${Math.round(wait)} ms`)
    const its = seen.get(name) ?? { ms: [], waits: [] }
    if (isKept) its.ms.push(performance.now() - begun)
    if (isKept) its.waits.push(wait)
    seen.set(name, its)
  }
  const driver = await openDriver(stage)
  for (let round = -1; round < stage.flags.rounds; round++) {
    say(round < 0 ? 'warming up' : `round ${round + 1} of ${stage.flags.rounds}`)
    for (const { name, before = [], changes } of steps) {
      const writer = writers[0] as Writer
      await forget(stage, writer)
      for (const some of before) await send(lane, writer, some)
      await note(name, () => send(lane, writer, changes), round >= 0)
    }
    await forget(stage, writers[0] as Writer)
    await note(DRIVER, () => insertHeartbeats(driver, writers[0] as Writer), round >= 0)
  }
  await forget(stage, writers[0] as Writer)
  lane?.close()
  process.stdout.write('\nwrite: bulk requests, one after the other\n\n')
  printRows([
    ['median of rounds', 'ms', 'least', 'most', 'longest wait ms', 'most'],
    ...[...seen].map(([name, { ms, waits }]) => [
      name,
      ...[median(ms), Math.min(...ms), Math.max(...ms), median(waits), Math.max(...waits)].map((one) => one.toFixed(0)),
    ]),
  ])
  printFacts([
    ...[...seen].map(([name, { waits }]) => {
      return { what: `${name}: others wait, ms`, value: median(waits), digits: 0, atMost: MOST_WAIT_MS }
    }),
    {
      what: `${HEARTBEATS} / ${DRIVER}, time`,
      value: median(seen.get(HEARTBEATS)?.ms ?? []) / median(seen.get(DRIVER)?.ms ?? []),
    },
  ])
}

const HEARTBEATS = `${MANY} heartbeats created`
const DRIVER = `driver: ${MANY} heartbeats inserted`

interface Step {
  name: string
  /** What is there before. */
  before?: readonly (readonly Change[])[]
  changes: readonly Change[]
}

function stepsOf(ids: () => readonly string[]): Step[] {
  const monitors = ids()
  const check = (n: number, interval_sec = 60) => ({ ...checkBody(monitors), name: `Shop ${n}`, interval_sec })
  const heartbeat = (n: number, interval_sec = 3600) => ({ name: `Job ${n}`, interval_sec })
  const channel = (n: number) => ({ name: `Ops ${n}`, kind: 'ntfy', destination: { ntfy_topic: `topic-${n}` } })
  const route = (n: number, delay_sec = 0) => ({
    name: `Route ${n}`,
    scope: { checks: [`key:check-${n}`] },
    steps: [{ channels: ['key:channel-0'] }],
    delay_sec,
  })
  const window = (n: number) => ({
    name: `Window ${n}`,
    scope: { heartbeats: [`key:heartbeat-${n}`] },
    starts_at: new Date(Date.now() + DAY_MS).toISOString().slice(0, 16),
    duration_sec: 3600,
    zone: 'Europe/Paris',
    rule: 'FREQ=DAILY',
  })
  const puts = (kind: string, count: number, body: (n: number) => object): Change[] =>
    Array.from({ length: count }, (_, n) => ({ action: 'put', kind, key: `${kind}-${n}`, body: body(n) }))
  const gone = (some: readonly Change[]): Change[] => some.map(({ kind, key }) => ({ action: 'delete', kind, key }))
  const checks = puts('check', MANY, (n) => check(n))
  const heartbeats = puts('heartbeat', MANY, (n) => heartbeat(n))
  const named = [...puts('check', MOST_ROUTES, (n) => check(n)), ...puts('channel', 1, channel)]
  const routes = puts('route', MOST_ROUTES, (n) => route(n))
  const mix = [
    ...puts('check', MIXED_CHECKS, (n) => check(n)),
    ...puts('heartbeat', MIXED_HEARTBEATS, (n) => heartbeat(n)),
    ...puts('channel', MIXED_CHANNELS, channel),
    ...puts('window', MOST_WINDOWS, window),
    ...routes,
  ]
  return [
    { name: `${MANY} checks created`, changes: checks },
    { name: `${MANY} checks replaced`, before: [checks], changes: puts('check', MANY, (n) => check(n, 90)) },
    { name: `${MANY} checks unchanged`, before: [checks], changes: checks },
    { name: `${MANY} checks deleted`, before: [checks], changes: gone(checks) },
    { name: HEARTBEATS, changes: heartbeats },
    {
      name: `${MANY} heartbeats replaced`,
      before: [heartbeats],
      changes: puts('heartbeat', MANY, (n) => heartbeat(n, 60)),
    },
    { name: `${MANY} heartbeats deleted`, before: [heartbeats], changes: gone(heartbeats) },
    { name: `${MANY} channels created`, changes: puts('channel', MANY, channel) },
    { name: `${MOST_ROUTES} routes created`, before: [named], changes: routes },
    {
      name: `${MOST_ROUTES} routes replaced`,
      before: [named, routes],
      changes: puts('route', MOST_ROUTES, (n) => route(n, 60)),
    },
    { name: `a mix of ${MANY} created`, changes: mix },
    { name: `a mix of ${MANY} deleted`, before: [mix], changes: gone(mix) },
  ]
}

const DAY_MS = 86_400_000

async function send(lane: Lane | undefined, { token }: Writer, changes: readonly Change[]): Promise<void> {
  await post(lane, token, '/bulk', JSON.stringify({ changes }), 200)
}

/** Empties an organisation, and what it has used of its limit. */
async function forget({ database }: Stage, { org_id }: Writer): Promise<void> {
  const { machines } = database.pools
  await machines.query('delete from rate_limits')
  for (const table of [
    'alert_routes',
    'maintenance_spans',
    'maintenance_windows',
    'heartbeats',
    'notification_channels',
    'assignments',
  ])
    await machines.query(`delete from ${table} where org_id = $1`, [org_id])
  await machines.query(`delete from check_states where org_id = $1`, [org_id])
  await machines.query(`delete from check_guids where org_id = $1`, [org_id])
  await machines.query(`delete from deleted_checks where org_id = $1`, [org_id])
  await machines.query(`delete from audit_entries where org_id = $1`, [org_id])
  await machines.query(`delete from checks where org_id = $1`, [org_id])
}

/** Somebody else who changes a check, again and again: returns the longest wait for the sync clock while something is done. */
async function watcher(stage: Stage): Promise<(work: () => Promise<unknown>) => Promise<number>> {
  const client = new pg.Client({ connectionString: stage.url })
  await client.connect()
  stage.undo(() => client.end())
  return async (work) => {
    let [isDone, longest] = [false, 0]
    const done = work().finally(() => (isDone = true))
    while (!isDone) {
      await client.query('begin')
      const begun = performance.now()
      await client.query('select from sync_clock for update')
      longest = Math.max(longest, performance.now() - begun)
      await client.query('rollback')
      // Others take turns with us.
      await turn()
    }
    await done
    return longest
  }
}

async function openDriver(stage: Stage): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stage.url })
  await client.connect()
  stage.undo(() => client.end())
  return client
}

const STORE = `
  with stored as (
    insert into heartbeats (org_id, guid, name, interval_sec, grace_sec, resend_interval_sec, show_on_status_page, key)
    select $1, guid, 'Job', 3600, 3600, 0, false, 'heartbeat-' || n from unnest($2::text[]) with ordinality as given(guid, n)
    returning heartbeat_id, guid
  )
  insert into heartbeat_keys (guid, token, org_id, heartbeat_id)
  select guid, token, $1, heartbeat_id from stored join unnest($2::text[], $3::text[]) as given(guid, token) using (guid)`

const RECORD = `
  insert into audit_entries (org_id, created_at, actor, action, subject, detail)
  select $1, now(), 'bench', 'heartbeat.create', 'Job', '{"token": "bench"}' from generate_series(1, $2::integer)`

async function insertHeartbeats(client: pg.Client, { org_id }: Writer): Promise<void> {
  const guids = Array.from({ length: MANY }, () => newGuid(systemRandom))
  const tokens = guids.map(() => newToken('beat', systemRandom))
  await client.query('begin')
  await client.query({ name: 'store-heartbeats', text: STORE, values: [org_id, guids, tokens] })
  await client.query({ name: 'record-heartbeats', text: RECORD, values: [org_id, MANY] })
  await client.query('commit')
}
