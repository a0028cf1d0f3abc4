// What a heartbeat is, and what becomes of it: by the calls of its job, and by their absence.
import { fromDate } from '../../runtime/timestamps.ts'
import type { Outage } from '../availability.ts'

/** What a job can say. `beat`: it ran well; `fail` and `exit_code`: it ran and failed; the others judge nothing. */
export type SignalKind = 'beat' | 'start' | 'fail' | 'log' | 'exit_code'

export interface Signal {
  kind: SignalKind
  /** 1 to 255, with `exit_code` alone. */
  exit_code: number | null
  /** Names the run, for jobs that overlap. */
  rid: string | null
  /** The end of what was sent along. */
  body: string | null
}

/** An earlier call. */
export interface Ping extends Signal {
  created_at: string
}

export type HeartbeatState = 'new' | 'up' | 'down'

/** What is held of a heartbeat. Times have six digits and are UTC: the order of the text is the order of time. */
export interface Heartbeat {
  interval_sec: number
  grace_sec: number
  /** By its owner or the platform: whatever is called then, its state stays as it was. */
  paused: boolean
  state: HeartbeatState
  down_since: string | null
  last_heartbeat_at: string | null
}

/** What a call moves. */
export interface Standing {
  state: HeartbeatState
  down_since: string | null
  last_heartbeat_at: string | null
  /** When it would be overdue; null when it cannot be. */
  due_at: string | null
}

export type HeartbeatChange =
  | { kind: 'none' }
  | { kind: 'down'; since: string; reason: 'overdue' | 'fail' | 'exit_code'; exit_code?: number }
  | { kind: 'up'; since: string; ended_at: string }

export type Reception =
  /** The same again, within a second: nothing new. */
  { kind: 'repeat' } | { kind: 'taken'; standing: Standing; change: HeartbeatChange; duration_ms: number | null }

/** The calls before this one that matter to it. */
export interface Before {
  newest: Ping | undefined
  /** The newest of the same run, logs left out. */
  ofRun: Pick<Ping, 'kind' | 'created_at'> | undefined
}

const REPEAT_MS = 1000

/** Whether a call of this kind ends a run, and thereby says how it went. */
export function endsRun(kind: SignalKind): boolean {
  return kind !== 'start' && kind !== 'log'
}

/** What a call makes of a heartbeat. The first that comes up is told to nobody. */
export function receive(held: Heartbeat, before: Before, signal: Signal, now: Date): Reception {
  const standing = standingAfter(held, signal, fromDate(now))
  if (standing.state === held.state && isRepeat(before.newest, signal, now)) return { kind: 'repeat' }
  const duration_ms = endsRun(signal.kind) ? runTime(before.ofRun, now) : null
  return { kind: 'taken', standing, change: changeOf(held, standing, signal, fromDate(now)), duration_ms }
}

/**
 * When a heartbeat is overdue unless it is called before, in milliseconds since the Unix epoch. Time in which the service
 * could not be called is added to its grace; `outages` are those that ended after its last call, oldest first.
 */
export function dueAt(
  { interval_sec, grace_sec }: Pick<Heartbeat, 'interval_sec' | 'grace_sec'>,
  last_heartbeat_at: string,
  outages: readonly Outage[] = [],
): number {
  const last = Date.parse(last_heartbeat_at)
  let due = last + (interval_sec + grace_sec) * 1000
  for (const { began, ended } of outages) {
    // One that begins as late as it is due takes nothing from it.
    if (began < due) due += Math.max(0, ended - Math.max(began, last))
  }
  return due
}

function standingAfter(held: Heartbeat, { kind }: Signal, now: string): Standing {
  const isHeard = endsRun(kind)
  const last = held.last_heartbeat_at
  // Another server's clock may be a little ahead of ours.
  const last_heartbeat_at = isHeard && (last === null || now > last) ? now : last
  const state = held.paused || !isHeard ? held.state : kind === 'beat' ? 'up' : 'down'
  const isDue = state === 'up' && !held.paused && last_heartbeat_at !== null
  return {
    state,
    down_since: state === 'down' ? (held.down_since ?? now) : null,
    last_heartbeat_at,
    due_at: isDue ? fromDate(new Date(dueAt(held, last_heartbeat_at))) : null,
  }
}

function changeOf(held: Heartbeat, { state }: Standing, { exit_code }: Signal, now: string): HeartbeatChange {
  if (state === held.state) return { kind: 'none' }
  if (state === 'up' && held.down_since !== null) {
    return { kind: 'up', since: held.down_since, ended_at: now > held.down_since ? now : held.down_since }
  }
  if (state !== 'down') return { kind: 'none' }
  return exit_code === null
    ? { kind: 'down', since: now, reason: 'fail' }
    : { kind: 'down', since: now, reason: 'exit_code', exit_code }
}

function isRepeat(newest: Ping | undefined, { kind, exit_code, rid, body }: Signal, now: Date): boolean {
  return (
    newest !== undefined &&
    newest.kind === kind &&
    newest.exit_code === exit_code &&
    newest.rid === rid &&
    newest.body === body &&
    Math.abs(now.getTime() - Date.parse(newest.created_at)) < REPEAT_MS
  )
}

/** From the start of the run to now; unknown when nobody said that it started. */
function runTime(ofRun: Before['ofRun'], now: Date): number | null {
  return ofRun?.kind === 'start' ? Math.max(0, now.getTime() - Date.parse(ofRun.created_at)) : null
}
