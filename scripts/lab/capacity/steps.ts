// One step of the search: this many checks for a while, and whether the server and Postgres handled them.
import { setTimeout as pause } from 'node:timers/promises'
import type { Meter } from '../cpu.ts'
import { machineMeter, processMeter } from '../cpu.ts'
import type { BenchServer, Settings, Stage } from '../stage.ts'
import { CALM, KINDS, type Manner, type Window } from '../traffic/orders.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { addUnits, PING_SEC, UNIT, type Unit } from '../traffic/units.ts'

export const P99_MAX_MS = 500
/** A queue that is this late at the end of a step is not being kept up with: its chore runs every few seconds. */
const QUEUE_MAX_SEC = 15
/** Maximum of uploads that wait at the end, as a share of those of a second. */
const WAITING_MAX = 1

/** Settings of the server: its agents come through a proxy, and its webhooks go to this machine. */
export const SERVED = { TRUST_PROXY: '127.0.0.1', ADDRESS_RATE_LIMIT: '10/30', EGRESS_ALLOW: '127.0.0.0/8' }
/** Settings of Postgres that the documentation recommends for a server of this size (deploying.md). */
export const RECOMMENDED: Settings = { checkpoint_timeout: '15min', max_wal_size: '8GB', shared_buffers: '1GB' }

export interface Ground {
  stage: Stage
  traffic: Traffic
  server: BenchServer
  units: Unit[]
  /** Results that each check gets when it is created. */
  minutes: number
}

export interface Step {
  checks: number
  window: Window
  cpu: CpuUse
  wal_per_sec: number
  queues: Queues
  /** Why it was not handled; empty when it was. */
  faults: string[]
}

/** Shares of one processor. */
export type CpuUse = Record<'server' | 'postgres' | 'generator' | 'others', number>

/** Starts to measure. The returned function returns the use since its last call. */
export function meterOf({ stage, traffic, server }: Ground): () => { cpu: CpuUse; seconds: number } {
  const meters: Record<'server' | 'postgres' | 'generator' | 'machine', Meter> = {
    server: server.meter,
    postgres: stage.postgres,
    generator: processMeter('generator', traffic.pid),
    machine: machineMeter,
  }
  const read = () => ({
    at: performance.now(),
    server: meters.server.seconds(),
    postgres: meters.postgres.seconds(),
    generator: meters.generator.seconds(),
    machine: meters.machine.seconds(),
  })
  let before = read()
  return () => {
    const now = read()
    const seconds = (now.at - before.at) / 1000
    const of = (name: keyof typeof meters) => (now[name] - before[name]) / seconds
    const [ofServer, postgres, generator] = [of('server'), of('postgres'), of('generator')]
    const others = Math.max(0, of('machine') - ofServer - postgres - generator)
    before = now
    return { cpu: { server: ofServer, postgres, generator, others }, seconds }
  }
}

/** How far behind each queue is, in seconds. */
export interface Queues {
  deliveries: number
  rejudging: number
  heartbeats: number
}

const QUEUES = `
  select
    coalesce((select extract(epoch from now() - min(next_attempt_at)) from deliveries where state = 'pending'), 0)::float8
      as deliveries,
    coalesce((select extract(epoch from now() - min(rejudge_at)) from check_states), 0)::float8 as rejudging,
    coalesce((select extract(epoch from now() - min(due_at)) from heartbeats where state = 'up'), 0)::float8 as heartbeats`

export async function readQueues({ database }: Stage): Promise<Queues> {
  const { rows } = await database.pools.machines.query<Queues>(QUEUES)
  return rows[0] as Queues
}

/** Sends the traffic of this many units, lets it settle, and observes it for a while. */
export async function takeStep(ground: Ground, units: number, settle_ms: number, window_ms: number): Promise<Step> {
  const { stage, traffic } = ground
  await sendFrom(ground, units, CALM)
  await pause(settle_ms)
  await traffic.tell()
  const used = meterOf(ground)
  const wal = await walAt(stage)
  await pause(window_ms)
  const window = await traffic.tell()
  const { cpu, seconds } = used()
  const queues = await readQueues(stage)
  return {
    checks: units * UNIT.checks,
    window,
    cpu,
    wal_per_sec: ((await walAt(stage)) - wal) / seconds,
    queues,
    faults: faultsOf(window, queues),
  }
}

/** Returns the reasons why a server did not keep up in a window. */
export function faultsOf(window: Window, queues: Queues): string[] {
  const { upload } = window.tallies
  const refused = KINDS.flatMap((kind) => {
    const { statuses, broken, given_up, dropped } = window.tallies[kind]
    const others = Object.entries(statuses).filter(([status]) => status !== '200')
    const lost = broken + given_up + dropped
    return [
      ...others.map(([status, count]) => `${count} of kind ${kind} were answered ${status}`),
      ...(lost > 0 ? [`${lost} of kind ${kind} had no answer`] : []),
    ]
  })
  const waiting = window.waiting / (upload.due / window.seconds)
  return [
    ...(upload.p99 < P99_MAX_MS ? [] : [`p99 ${upload.p99.toFixed(0)} ms`]),
    ...(waiting < WAITING_MAX ? [] : [`${waiting.toFixed(1)} s of uploads wait`]),
    ...refused,
    ...Object.entries(queues).flatMap(([name, sec]) =>
      sec < QUEUE_MAX_SEC ? [] : [`${name} are ${sec.toFixed(0)} s late`],
    ),
  ]
}

/** Makes this many units send, and their jobs ping. Others are silent. */
export async function sendFrom(ground: Ground, units: number, manner: Manner): Promise<void> {
  await comeToRest(ground.traffic)
  await grow(ground, units)
  await switchOn(ground, units)
  await drive(ground, units, manner)
}

/** Makes existing units send at once. */
export async function drive({ traffic, server, units: all }: Ground, units: number, manner: Manner): Promise<void> {
  await traffic.drive(server.port, units, manner)
  const paths = all.slice(0, units).flatMap((unit) => unit.ping_paths)
  await traffic.pingHeartbeats(server.port, paths, PING_SEC * 1000)
}

/** Waits until the work of one step is done. */
async function comeToRest(traffic: Traffic): Promise<void> {
  await traffic.rest()
  while ((await traffic.tell()).waiting > 0) await pause(200)
}

/** Adds what is missing of so many units. */
export async function grow(ground: Omit<Ground, 'server'>, units: number): Promise<void> {
  const { stage, traffic } = ground
  const missing = units - ground.units.length
  if (missing <= 0) return
  const added = await addUnits(stage, missing, ground.minutes, traffic.receiver)
  await traffic.takeOn(added)
  ground.units.push(...added)
  await stage.database.pools.machines.query('vacuum (analyze)')
}

/** Pauses the checks of units that send nothing, because alerts would report their silence. */
async function switchOn({ stage, units }: Ground, count: number): Promise<void> {
  const guids = (some: readonly Unit[]) => some.flatMap((unit) => unit.guids)
  const { machines } = stage.database.pools
  for (const [some, isOn] of [[units.slice(0, count), true] as const, [units.slice(count), false] as const]) {
    await machines.query(SWITCH, [guids(some), isOn])
  }
}

const SWITCH = `
  update checks c set enabled = $2 from unnest($1::text[]) as given(guid) join check_guids g using (guid)
  where c.org_id = g.org_id and c.check_id = g.check_id and c.enabled <> $2`

async function walAt({ database }: Stage): Promise<number> {
  const { rows } = await database.pools.machines.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes`,
  )
  return Number(rows[0]?.bytes)
}
