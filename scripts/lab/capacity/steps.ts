// Runs one step of a search for the capacity: sends the traffic of some checks for a while, and decides whether the server and
// Postgres handled it.
import { setTimeout as pause } from 'node:timers/promises'
import { machineMeter, processMeter } from '../cpu.ts'
import type { Server } from '../server.ts'
import { type Settings, type Stage, say } from '../stage.ts'
import { CALM, KINDS, type Window } from '../traffic/orders.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { addUnits, UNIT, type Unit } from '../traffic/units.ts'
import { query } from '../world.ts'

export const P99_MAX_MS = 500
/**
 * Maximum delay of a queue at the end of a step, in seconds. The chores behind the queues run every few seconds, so a greater
 * delay means overload.
 */
const QUEUE_MAX_SEC = 15
/** Maximum number of uploads that wait at the end of a step, as a share of the uploads of a second. */
const WAITING_MAX = 1

/** Settings of the server. Its agents seem to come through a proxy, and its webhooks may go to this machine. */
export const SERVED = { TRUST_PROXY: '127.0.0.1', ADDRESS_RATE_LIMIT: '10/30', EGRESS_ALLOW: '127.0.0.0/8' }
/** Settings of Postgres that the documentation recommends for a server of this size (deploying.md). */
export const RECOMMENDED: Settings = { checkpoint_timeout: '15min', max_wal_size: '8GB', shared_buffers: '1GB' }

export interface Ground {
  stage: Stage
  traffic: Traffic
  server: Server
  units: Unit[]
  /** Number of results that each check gets when it is created, one for each minute. */
  minutes: number
}

/** Load and progress of all processes during a step. */
export interface Step {
  window: Window
  /** CPU time of each process, as a share of one processor. */
  cpu: Record<'server' | 'postgres' | 'generator' | 'others', number>
  /** Delay of the oldest entry in each queue, in seconds. */
  queues: Record<'deliveries' | 'rejudging' | 'heartbeats', number>
  /** Bytes of log that Postgres wrote, and the number of its checkpoints in the next field. */
  wal: number
  checkpoints: number
  /** Reasons why the server did not handle the load. Empty if it did. */
  faults: string[]
}

const QUEUES = `
  select
    coalesce((select extract(epoch from now() - min(next_attempt_at)) from deliveries where state = 'pending'), 0)::float8
      as deliveries,
    coalesce((select extract(epoch from now() - min(rejudge_at)) from check_states), 0)::float8 as rejudging,
    coalesce((select extract(epoch from now() - min(due_at)) from heartbeats where state = 'up'), 0)::float8 as heartbeats`

const COUNTERS = `
  select wal_bytes::float8 as wal, (num_timed + num_requested)::float8 as checkpoints
  from pg_stat_wal cross join pg_stat_checkpointer`

/** Starts to observe the processes. Returns a function that returns what happened since its previous call. */
export async function observe({ stage, traffic, server }: Ground): Promise<() => Promise<Step>> {
  const read = async () => {
    const [counters] = await query<Pick<Step, 'wal' | 'checkpoints'>>(stage, COUNTERS)
    return {
      ...{ server: processMeter('server', server.pid).seconds(), postgres: stage.postgres.seconds() },
      ...{ generator: processMeter('generator', traffic.pid).seconds(), machine: machineMeter.seconds() },
      ...(counters as Pick<Step, 'wal' | 'checkpoints'>),
    }
  }
  await traffic.tell()
  let before = await read()
  return async () => {
    const [window, now] = [await traffic.tell(), await read()]
    const [queues] = await query<Step['queues']>(stage, QUEUES)
    const of = (name: 'server' | 'postgres' | 'generator' | 'machine') => (now[name] - before[name]) / window.seconds
    const ours = { server: of('server'), postgres: of('postgres'), generator: of('generator') }
    const others = Math.max(0, of('machine') - ours.server - ours.postgres - ours.generator)
    const log = { wal: now.wal - before.wal, checkpoints: now.checkpoints - before.checkpoints }
    before = now
    const step = { window, cpu: { ...ours, others }, queues: queues as Step['queues'], ...log }
    return { ...step, faults: faultsOf(step) }
  }
}

/** Returns the reasons why a server did not keep up. */
function faultsOf({ window, queues }: Pick<Step, 'window' | 'queues'>): string[] {
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

/** Formats the figures of a step as one line. */
export function lineOf({ window, cpu, faults }: Step): string {
  const { p50, p99, most } = window.tallies.upload
  const used = Object.entries(cpu).map(([name, share]) => `${name} ${share.toFixed(2)}`)
  const spans = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ${most.toFixed(0)} ms`
  return `${spans}; CPU ${used.join(', ')}; ${faults.length === 0 ? 'held' : `not held: ${faults.join('; ')}`}`
}

/**
 * Sends the traffic of this many units, waits until it is steady, and observes it for a while. Returns whether the server handled
 * it.
 */
export async function isHeld(ground: Ground, units: number, settle_ms: number, window_ms: number): Promise<boolean> {
  await sendFrom(ground, units)
  await pause(settle_ms)
  const observed = await observe(ground)
  await pause(window_ms)
  const step = await observed()
  say(`${units * UNIT.checks} checks: ${lineOf(step)}`)
  return step.faults.length === 0
}

/** Makes this many units send requests, and their jobs ping. Disables the checks of other units, which are silent. */
export async function sendFrom(ground: Ground, units: number): Promise<void> {
  const { stage, traffic, server } = ground
  await traffic.rest()
  while ((await traffic.tell()).waiting > 0) await pause(200)
  await grow(ground, units)
  // Disables the checks of silent units, so that no alert reports their silence.
  for (const [some, isOn] of [
    [ground.units.slice(0, units), true] as const,
    [ground.units.slice(units), false] as const,
  ]) {
    await query(
      stage,
      SWITCH,
      some.flatMap(({ guids }) => guids),
      isOn,
    )
  }
  await traffic.drive(server.port, units, CALM)
}

const SWITCH = `
  update checks c set enabled = $2 from unnest($1::text[]) as given(guid) join check_guids g using (guid)
  where c.org_id = g.org_id and c.check_id = g.check_id and c.enabled <> $2`

/** Adds units until there are this many. */
export async function grow(ground: Omit<Ground, 'server'>, units: number): Promise<void> {
  const { stage, traffic } = ground
  const missing = units - ground.units.length
  if (missing <= 0) return
  const added = await addUnits(stage, missing, ground.minutes, traffic.receiver)
  await traffic.takeOn(added)
  ground.units.push(...added)
  await query(stage, 'vacuum (analyze)')
}
