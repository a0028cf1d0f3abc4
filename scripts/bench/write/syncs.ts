// How much slower syncs are while 100 checks a second are changed. A sync reads one row while nothing has changed; after any change it looks
// at the checks of its monitor and sends those that changed, whoever changed them. So changes by the API are compared with the same changes
// by the driver, and both with syncs that look and find nothing.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { FleetMonitor } from '../../lab/fleet.ts'
import { Lane, openLanes, request } from '../../lab/lane.ts'
import { type BenchServer, type Stage, say } from '../../lab/stage.ts'
import { median, printFacts, printRows } from '../support/report.ts'
import { checkBody } from './creating.ts'
import { inTurn, post, type Writer } from './writers.ts'

const CHANGES_PER_SEC = 100
const SYNCS_PER_SEC = 100
/** Organisations whose checks are edited, and how many each has: as many as are edited in a second by one bulk request. */
const EDITED_ORGS = 50
const OF_ORG = CHANGES_PER_SEC
const INTERVALS = [60, 90]
const MOST_RATIO = 1.5

interface Syncing {
  monitors: readonly FleetMonitor[]
  ids: () => readonly string[]
}

/** Makes changes until the signal is aborted, `CHANGES_PER_SEC` of them. */
type Change = (signal: AbortSignal) => Promise<void>

interface Seen {
  latencies: number[]
  /** Microseconds of CPU of the server and Postgres for each sync, without what the changes take by themselves. */
  cpu: number[]
  /** Checks that the syncs told of, for each sync. */
  told: number[]
}

const EDIT = `update checks set interval_sec = $3 where org_id = $1 and check_id = any($2::bigint[])`
const RECORD = `
  insert into audit_entries (org_id, created_at, actor, action, subject, check_id, detail)
  select $1, now(), 'bench', 'check.edit', 'Shop', id, '{"token": "bench", "changed": ["interval_sec"]}' from unnest($2::bigint[]) id`

export async function compareSyncs(
  stage: Stage,
  server: BenchServer,
  writers: readonly Writer[],
  { monitors, ids }: Syncing,
): Promise<void> {
  const edited = writers.slice(0, EDITED_ORGS)
  say(`creating ${EDITED_ORGS * OF_ORG} checks to edit`)
  const check_ids = await makeEdited(stage, server, edited, ids)
  const next = inTurn(monitors)
  const changes: Record<string, Change> = {
    alone: async () => {},
    [LOOKING]: async () => {},
    [BY_DRIVER]: await byDriver(stage, edited, check_ids, 1),
    [BY_DRIVER_MANY]: await byDriver(stage, edited, check_ids, OF_ORG),
    [ONE_BY_ONE]: byApi(server, edited, oneByOne()),
    [IN_BULK]: byApi(server, edited, inBulk(ids)),
  }
  const seen = new Map(Object.keys(changes).map((name): [string, Seen] => [name, { latencies: [], cpu: [], told: [] }]))
  const { rounds, seconds } = stage.flags
  const used = () => server.meter.seconds() + stage.postgres.seconds()
  for (let round = -1; round < rounds; round++) {
    for (const [name, change] of inTurnFrom(Object.entries(changes), round + 1)) {
      say(`${round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}`}: syncs, ${name}`)
      // What it costs by itself, then beside the syncs.
      const alone = await measured(used, () => during(change, () => pause(seconds * 1000)))
      // What was changed until now is told before it counts.
      const since = await catchUp(server, monitors)
      const isFrozen = name === LOOKING
      if (isFrozen) await stage.database.pools.machines.query('select sync_tick()')
      const both = await measured(used, () => during(change, () => syncFor(seconds, server, { next, since, isFrozen })))
      const its = seen.get(name)
      if (round < 0 || !its) continue
      const { latencies, told } = both.result
      its.latencies.push(...latencies)
      its.cpu.push(((both.cpu - alone.cpu) / latencies.length) * 1e6)
      its.told.push(told / latencies.length)
    }
  }
  report(monitors.length, seen)
}

const LOOKING = 'alone, after one change elsewhere'
const BY_DRIVER = 'driver, one by one'
const BY_DRIVER_MANY = 'driver, in bulk'
const ONE_BY_ONE = 'API, one by one'
const IN_BULK = 'API, in bulk'

function report(monitors: number, seen: ReadonlyMap<string, Seen>): void {
  process.stdout.write(
    `\nwrite: ${SYNCS_PER_SEC} syncs a second of ${monitors} monitors while ${CHANGES_PER_SEC} changes a second go on\n\n`,
  )
  const at = (name: string, share: number) => {
    const sorted = (seen.get(name)?.latencies ?? []).toSorted((one, other) => one - other)
    return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  }
  const cpu = (name: string) => median(seen.get(name)?.cpu ?? [])
  printRows([
    ['median of rounds', 'p50 ms', 'p99 ms', 'CPU us/sync', 'checks told/sync'],
    ...[...seen].map(([name, { told }]) => [
      name,
      at(name, 0.5).toFixed(2),
      at(name, 0.99).toFixed(2),
      cpu(name).toFixed(0),
      median(told).toFixed(2),
    ]),
  ])
  const measures = [
    { what: 'p50', of: (name: string) => at(name, 0.5) },
    { what: 'p99', of: (name: string) => at(name, 0.99) },
    { what: 'CPU per sync', of: cpu },
  ]
  printFacts(
    PAIRS.flatMap(({ top, bottom, hasTarget }) =>
      measures.map(({ what, of }) => {
        const value = of(top) / of(bottom)
        return { what: `${top} / ${bottom}, ${what}`, value, ...(hasTarget && { atMost: MOST_RATIO }) }
      }),
    ),
  )
}

/** What syncs cost beside changes of the API is held against the same changes by the driver. The others say where the rest comes from. */
const PAIRS = [
  { top: ONE_BY_ONE, bottom: BY_DRIVER, hasTarget: true },
  { top: IN_BULK, bottom: BY_DRIVER_MANY, hasTarget: true },
  { top: ONE_BY_ONE, bottom: LOOKING, hasTarget: false },
  { top: IN_BULK, bottom: LOOKING, hasTarget: false },
  { top: BY_DRIVER, bottom: LOOKING, hasTarget: false },
  { top: LOOKING, bottom: 'alone', hasTarget: false },
]

/** Another one goes first in each round. */
function inTurnFrom<Thing>(things: readonly Thing[], round: number): Thing[] {
  return things.map((_, place) => things[(place + round) % things.length] as Thing)
}

async function measured<Result>(used: () => number, work: () => Promise<Result>) {
  const before = used()
  const result = await work()
  return { result, cpu: used() - before }
}

async function during<Result>(change: Change, work: () => Promise<Result>): Promise<Result> {
  const stopping = new AbortController()
  const changing = change(stopping.signal)
  const result = await work()
  stopping.abort()
  await changing
  return result
}

/** By organisation, the ids of its checks. */
async function makeEdited(
  stage: Stage,
  server: BenchServer,
  edited: readonly Writer[],
  ids: () => readonly string[],
): Promise<ReadonlyMap<number, number[]>> {
  const [lane] = await openLanes(server.port, 1)
  for (const { token } of edited) {
    const changes = Array.from({ length: OF_ORG }, (_, n) => putOf(n, { ...checkBody(ids()) }))
    await post(lane, token, '/bulk', JSON.stringify({ changes }), 200)
  }
  lane?.close()
  const { rows } = await stage.database.pools.machines.query<{ org_id: number; check_ids: number[] }>(
    `select org_id, array_agg(check_id) as check_ids from checks where org_id = any($1) and key like 'edited-%' group by org_id`,
    [edited.map(({ org_id }) => org_id)],
  )
  return new Map(rows.map(({ org_id, check_ids }) => [org_id, check_ids.map(Number)]))
}

function putOf(n: number, body: object) {
  return { action: 'put', kind: 'check', key: `edited-${n}`, body }
}

/** Sends one change, or a bulk request, and returns how many changes it was. */
type Send = (lane: Lane, writer: Writer, turn: number) => Promise<number>

function oneByOne(): Send {
  return async (lane, { token }, turn) => {
    const interval_sec = INTERVALS[Math.floor(turn / (EDITED_ORGS * OF_ORG)) % INTERVALS.length]
    const path = `/checks/key:edited-${Math.floor(turn / EDITED_ORGS) % OF_ORG}`
    const body = JSON.stringify({ interval_sec })
    const answer = await lane.ask(request('PATCH', path, { key: token, body, api: 'config-api' }))
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status} ${answer.body.toString()}`)
    return 1
  }
}

function inBulk(ids: () => readonly string[]): Send {
  return async (lane, { token }, turn) => {
    const interval_sec = INTERVALS[(Math.floor(turn / EDITED_ORGS) + 1) % INTERVALS.length]
    const { monitors: _, ...body } = checkBody(ids()) as { monitors: unknown }
    const changes = Array.from({ length: OF_ORG }, (__, n) => putOf(n, { ...body, interval_sec }))
    await post(lane, token, '/bulk', JSON.stringify({ changes }), 200)
    return OF_ORG
  }
}

function byApi(server: BenchServer, edited: readonly Writer[], send: Send): Change {
  const next = inTurn(edited)
  let turn = 0
  return async (signal) => {
    // A new connection each time: one that rests is closed by the server.
    const lane = await Lane.open(server.port)
    await paced(signal, () => send(lane, next(), turn++))
    lane.close()
  }
}

/** The rows that the server stores, by statements that are prepared and by nothing else: triggers, indexes and the sync clock are the same. */
async function byDriver(
  stage: Stage,
  edited: readonly Writer[],
  check_ids: ReadonlyMap<number, number[]>,
  many: number,
): Promise<Change> {
  const client = new pg.Client({ connectionString: stage.url })
  await client.connect()
  stage.undo(() => client.end())
  const next = inTurn(edited)
  let turn = 0
  return (signal) =>
    paced(signal, async () => {
      const { org_id } = next()
      const its = check_ids.get(org_id) ?? []
      const round = Math.floor(turn++ / EDITED_ORGS)
      const some = many === 1 ? [its[round % its.length]] : its
      const interval_sec = INTERVALS[(many === 1 ? Math.floor(round / its.length) : round) % INTERVALS.length]
      await client.query('begin')
      await client.query('select sync_tick()')
      await client.query({ name: 'edit', text: EDIT, values: [org_id, some, interval_sec] })
      await client.query({ name: 'record', text: RECORD, values: [org_id, some] })
      await client.query('commit')
      return some.length
    })
}

async function paced(signal: AbortSignal, send: () => Promise<number>): Promise<void> {
  const begun = performance.now()
  for (let sent = 0; !signal.aborted; ) {
    sent += await send()
    const ahead_ms = (sent / CHANGES_PER_SEC) * 1000 - (performance.now() - begun)
    if (ahead_ms > 0) await pause(ahead_ms, undefined, { signal }).catch(() => {})
  }
}

/** By monitor, the cursor of its next sync, once each has been told of all that was changed. */
async function catchUp(server: BenchServer, monitors: readonly FleetMonitor[]): Promise<Map<string, string>> {
  const [lane] = await openLanes(server.port, 1)
  const since = new Map<string, string>()
  for (const { key } of monitors) {
    const path = CURSORS.has(key) ? `/checks?since=${CURSORS.get(key)}` : '/checks'
    since.set(key, read(await lane?.send(request('GET', path, { key }))).server_time)
    CURSORS.set(key, since.get(key) ?? '')
  }
  lane?.close()
  return since
}

/** As far as each monitor has caught up before. */
const CURSORS = new Map<string, string>()

interface Round {
  next: () => FleetMonitor
  since: Map<string, string>
  /** Each sync asks from the same cursor, so that it looks and finds nothing. */
  isFrozen: boolean
}

/** Syncs at a pace, each when it is due: one that waits for another is as late as that makes it. */
async function syncFor(seconds: number, server: BenchServer, { next, since, isFrozen }: Round) {
  const lanes = await openLanes(server.port, LANES)
  const [latencies, begun] = [[] as number[], performance.now()]
  let [told, sent] = [0, 0]
  const work = async (lane: Lane) => {
    for (;;) {
      const due = begun + (sent++ / SYNCS_PER_SEC) * 1000
      if (due > begun + seconds * 1000) return
      const ahead_ms = due - performance.now()
      if (ahead_ms > 0) await pause(ahead_ms)
      const { key } = next()
      const asked = Math.max(due, begun)
      const body = await lane.send(request('GET', `/checks?since=${since.get(key) ?? ''}`, { key }))
      latencies.push(performance.now() - asked)
      const { server_time, checks } = read(body)
      told += checks.length
      if (!isFrozen) since.set(key, server_time)
    }
  }
  await Promise.all(lanes.map(work))
  for (const lane of lanes) lane.close()
  return { latencies, told }
}

const LANES = 4

function read(body: Buffer | undefined): { server_time: string; checks: unknown[] } {
  return JSON.parse(body?.toString() ?? '{}') as { server_time: string; checks: unknown[] }
}
